/** The color-by box: a field that finds obs columns, vars and sets of vars. The kernel searches; this module only
 * displays. */
import { html, nothing } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { MOST_BLENDED } from "../../wire/constants.js";
import { wholeNumber } from "../../words/format.js";
import { capitalized, colorable, nounsOf } from "../../words/nouns.js";
import { ICONS } from "../icons.js";
import { rowAfterKey } from "./legend_rows.js";
import { marked } from "./marked.js";
import { colorOf, groupMatches, kindOf, tagOf } from "./search_matches.js";
import { patch, textIn } from "./ui.js";

/** @typedef {import("./ui.js").Context} Context */
/** @typedef {import("../../state/state.js").Match} Match */

/** @param {Context} context */
export function searchBox(context) {
  const { state, ui } = context;
  const { open, text, active } = ui.search;
  const shown = nameShown(context);
  const off = state.link === "offline" || state.dataset === null;
  const groups = open ? groupMatches(state.found.matches, text, nounsOf(state)) : [];
  const hasActive = active >= 0 && groups.length > 0;
  return html`<div class="field search">
    <div class="over"><span class="caption" aria-hidden="true">Color by</span>${blendChoice(context)}</div>
    <div class="box ${shown.waiting ? "waiting" : ""}">
      ${ICONS.search}
      <input id="color" type="text" role="combobox" aria-label="Color by" aria-expanded=${open} aria-controls="found" aria-autocomplete="list"
        aria-activedescendant=${hasActive ? `found-${active}` : nothing} autocomplete="off" spellcheck="false" ?disabled=${off}
        placeholder=${shown.name === "" ? capitalized(colorable(state)) : shown.name} title=${shown.name} .value=${live(open ? text : shown.name)}
        @focus=${(/** @type {Event} */ event) => openSearch(context, event)} @click=${(/** @type {Event} */ event) => openSearch(context, event)} @blur=${() => close(context)}
        @input=${(/** @type {Event} */ event) => type(context, textIn(event))}
        @keydown=${(/** @type {KeyboardEvent} */ event) => press(context, event)}>
      ${!open && shown.tag !== "" ? html`<span class="tag">${shown.tag}</span>` : nothing}
    </div>
    ${open ? results(context, groups) : nothing}
  </div>`;
}

/** Chooses between the mean and a color each, for up to MOST_BLENDED genes. @param {Context} context */
function blendChoice({ state, actions }) {
  const { color, blend } = state.traits;
  if (!Array.isArray(color) || color.length < 2 || color.length > MOST_BLENDED) return nothing;
  return html`<select class="blend" aria-label="Several ${nounsOf(state).var.many}" ?disabled=${state.link === "offline"} .value=${live(blend)}
    @change=${(/** @type {Event} */ event) => actions.setTrait("blend", /** @type {any} */ (textIn(event)))}>
    <option value="mean" ?selected=${blend === "mean"}>mean</option><option value="colors" ?selected=${blend === "colors"}>a color each</option></select>`;
}

/** Name of the current coloring, or of the picked match while its coloring is loading. @param {Context} context */
function nameShown({ state, ui }) {
  const coloring = state.nextColor ?? state.color;
  const { picked } = ui.search;
  const tag = (/** @type {string} */ of) => tagOf(of, nounsOf(state));
  const waiting = picked !== null && state.traits.color === colorOf(picked) && (coloring?.spec ?? "") !== picked.spec;
  if (waiting)
    return { name: picked.spec === "" ? "" : picked.label, tag: picked.spec === "" ? "" : tag(picked.kind), waiting };
  const kind = kindOf(coloring?.spec ?? "");
  return { name: coloring?.name ?? "", tag: kind === "" ? "" : tag(kind), waiting };
}

/** @param {Context} context @param {ReturnType<typeof groupMatches>} groups */
function results(context, groups) {
  const { state, ui } = context;
  const { text, active } = ui.search;
  const { query, matches, nMore } = state.found;
  const stale = query !== text;
  let index = -1;
  const listed = groups.map(
    ({ heading, options }) => html`<div role="group" aria-label=${heading || nothing}>
      ${heading === "" ? nothing : html`<div class="heading" aria-hidden="true">${heading}</div>`}
      ${options.map((match) => option(context, match, ++index, index === active))}
    </div>`,
  );
  const none = matches.length === 0 && !stale && text.trim() !== "";
  return html`<div class="found" aria-busy=${stale} @pointerdown=${keepFocus}>
    <div id="found" role="listbox" aria-label="Color by" tabindex="-1">${listed}</div>
    ${none ? html`<p class="none" role="status">Nothing matches “${text.trim()}”.</p>` : nothing}
    ${nMore > 0 ? html`<p class="more">${wholeNumber(nMore)} more. Type to narrow down.</p>` : nothing}
  </div>`;
}

/** @param {Context} context @param {Match} match @param {number} index @param {boolean} isActive */
function option(context, match, index, isActive) {
  const { state, ui } = context;
  const isCurrent = ((state.nextColor ?? state.color)?.spec ?? "") === match.spec;
  return html`<div id="found-${index}" role="option" aria-selected=${isCurrent} class="option ${isActive ? "active" : ""}"
    title=${match.detail === "" ? match.label : `${match.label}\n${match.detail}`}
    @pointermove=${() => isActive || patch(context, "search", { active: index })} @click=${() => pick(context, match)}>
    <span class="label">${marked(match.label, ui.search.text)}</span><span class="detail">${marked(match.detail, ui.search.text)}</span>${isCurrent ? ICONS.check : nothing}
  </div>`;
}

/** Keeps the focus in the field on a press in the list. @param {Event} event */
function keepFocus(event) {
  event.preventDefault();
}

/** @param {Context} context @param {Event} event */
function openSearch({ state, ui, update, ask }, event) {
  if (ui.search.open || state.link === "offline") return;
  // Clears the field now, because the first letter may arrive before the next redraw.
  /** @type {HTMLInputElement} */ (event.currentTarget).value = "";
  update({ search: { open: true, text: "", active: -1, pick: false, picked: null }, popover: "" });
  ask("");
}

/** @param {Context} context */
function close(context) {
  if (context.ui.search.open) patch(context, "search", { open: false, text: "", pick: false });
}

/** @param {Context} context @param {string} text */
function type(context, text) {
  patch(context, "search", { open: true, text, active: text.trim() === "" ? -1 : 0, pick: false });
  context.ask(text);
}

/** @param {Context} context @param {Match} match */
export function pick({ update, actions }, match) {
  update({ search: { open: false, text: "", active: -1, pick: false, picked: match } });
  actions.setTrait("color", colorOf(match));
}

/** @param {Context} context @param {KeyboardEvent} event */
function press(context, event) {
  const { state, ui } = context;
  const { open, text, active } = ui.search;
  const options = groupMatches(state.found.matches, text, nounsOf(state)).flatMap((group) => group.options);
  if (event.isComposing) return;
  if (!open) {
    if (["ArrowDown", "ArrowUp", "Enter"].includes(event.key)) take(event, () => openSearch(context, event));
  } else if (event.key === "Escape") take(event, () => close(context));
  else if (event.key === "Enter") {
    const fresh = state.found.query === text;
    const chosen = options[active];
    if (fresh && chosen !== undefined) take(event, () => pick(context, chosen));
    else take(event, () => patch(context, "search", { pick: !fresh && text.trim() !== "" }));
  } else {
    const row = rowAfterKey(event.key, active, options.length);
    if (row !== null) take(event, () => patch(context, "search", { active: row }));
  }
}

/** @param {Event} event @param {() => void} act */
function take(event, act) {
  event.preventDefault();
  event.stopPropagation();
  act();
}
