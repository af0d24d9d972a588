/** The grid of panels side by side, and the heading of each: name, color key, embedding, close button. */
// Changes with cxg_widget/display/looks.py and js/src/panels/linked/look.js: names of panels, and what they override.
// Changes with cxg_widget/draw/pages/page.py: the grid of panels.
import { html, nothing } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { ICONS } from "../../page/icons.js";
import { textIn } from "../../page/parts/ui.js";
import { keyOf } from "../../words/legend_words.js";
import { nounsOf } from "../../words/nouns.js";
import { wordsOf } from "../../words/rule_words.js";

/**
 * @typedef {import("../../state/state.js").State} State
 * @typedef {import("../../wire/constants.js").Look} Setting
 */

/** Maximum number of colors in a heading; its tooltip lists all categories. */
const MOST_SWATCHES = 8;

/** The name of a panel.
 * @param {State} state of the panel @param {Setting} look @param {boolean} [isPlaced] whether to name its embedding
 * @returns {string} */
export function titleOf(state, look, isPlaced = look.embedding !== undefined) {
  const part = look.within === undefined ? "" : partOf(look.within);
  const color = (part === "" || "color" in look) && state.color?.name;
  const what = [part, color].filter(Boolean).join(" · ") || `All ${nounsOf(state).obs.many}`;
  return isPlaced ? `${what} · ${placeName(state)}` : what;
}

/** The name of a panel's embedding. @param {State} state of the panel */
function placeName({ points, traits }) {
  return points?.embedding ?? [traits.embedding ?? []].flat().join(" × ");
}

/** The name of a subset: "T cell". A number or a boolean needs its column: "leiden 3", "is_doublet True".
 * @param {any} rule @returns {string} */
function partOf(rule) {
  const [name, kept] = wordsOf(rule);
  const isBare = ["True", "False"].includes(kept) || !/\p{L}/u.test(kept);
  return isBare ? `${name} ${kept}` : kept;
}

/** Tooltip of a heading: the full name, with the column of the subset. @param {State} state @param {Setting} look */
function hintOf(state, look) {
  const name = look.within === undefined ? "" : wordsOf(look.within)[0];
  const title = titleOf(state, look);
  return name === "" || title.startsWith(`${name} `) ? title : `${name}: ${title}`;
}

/** Whether a panel uses the colors of the plot (and so its legend) for a subset or for another embedding.
 * @param {Setting} look */
export const isPart = (look) => (look.within ?? look.embedding) !== undefined && !("color" in look);

/** The heading of a panel. @param {State} state of the panel @param {Setting} look @param {boolean} dark
 * @param {{remove: () => void, choose: (embedding: string) => void} | null} hands handlers; null = there is no kernel
 * @param {(() => void) | null} [closeAll] only for the panel in the upper right corner */
export function head(state, look, dark, hands, closeAll = null) {
  const name = titleOf(state, look);
  const isChosen = (state.dataset?.embeddings.length ?? 0) > 1;
  return html`<h3 title=${hintOf(state, look)}>${titleOf(state, look, look.embedding !== undefined && !isChosen)}</h3>
    ${isPart(look) ? nothing : meaning(state, dark)}
    <span class="ends">${isChosen ? places(state, look, hands?.choose ?? null) : nothing}
    ${closeAll === null ? nothing : html`<button type="button" class="text" title="Close all panels" ?disabled=${hands === null} @click=${closeAll}>Close all</button>`}
    <button type="button" class="small" aria-label="Remove the panel ${name}" title="Remove" ?disabled=${hands === null} @click=${hands?.remove}>${ICONS.close}</button></span>`;
}

/** A select of all embeddings, at the panel's current one.
 * @param {State} state @param {Setting} look @param {((embedding: string) => void) | null} choose */
function places(state, look, choose) {
  const names = state.dataset?.embeddings.map(({ name }) => name) ?? [];
  const now = state.traits.embedding;
  const value = Array.isArray(now) ? placeName(state) : (now ?? "");
  const all = names.includes(value) ? names : [value, ...names];
  const take = (/** @type {Event} */ event) => textIn(event) !== value && choose?.(textIn(event));
  return html`<select class="place" aria-label="Embedding of the panel ${titleOf(state, look, false)}" title=${value} ?disabled=${choose === null}
    .value=${live(value)} @change=${take}>${all.map((one) => html`<option value=${one} ?selected=${one === value}>${one}</option>`)}</select>`;
}

/** @param {State} state @param {boolean} dark */
function meaning(state, dark) {
  const { detail, ramp, ends, rows, more, sentence } = keyOf(state, dark);
  if (sentence !== "") return html`<span class="meaning">${sentence}</span>`;
  if (ramp.length > 0) {
    const colors = `background:linear-gradient(to right,${ramp.join()})`;
    return html`<span class="meaning" title=${[detail, `${ends[0]} to ${ends[1]}`].filter(Boolean).join("\n")}><span>${ends[0]}</span><i class="bar-of-colors" style=${colors}></i><span>${ends[1]}</span></span>`;
  }
  const all = [...rows.map(([label]) => label), ...(more > 0 ? [`and ${more} more`] : [])];
  if (all.length === 0) return nothing;
  const first = rows.slice(0, MOST_SWATCHES);
  // All labels are one text, so that CSS truncates it between two labels, with an ellipsis.
  return html`<span class="meaning color-words" role="img" aria-label="Colors: ${all.join(", ")}" title=${all.join("\n")}>${first.map(
    ([label, , color]) => html`<span><i style=${`background:${color || "var(--missing)"}`}></i>${label}</span>`,
  )}${first.length < all.length ? "…" : nothing}</span>`;
}

/** The announcement for screen readers. @param {number} n panels */
export function describePanelCount(n) {
  return n > 1 ? `${n} panels side by side.` : "One panel.";
}

/** Height of the heading above each panel. */
export const HEAD_PX = 28;

/** Choose the number of columns and rows.
 * @param {number} n panels @param {number} width px @param {number} height
 * @returns {{columns: number, rows: number}} */
export function gridOf(n, width, height) {
  const all = Array.from({ length: n }, (_, i) => {
    const columns = i + 1;
    const rows = Math.ceil(n / columns);
    const [wide, high] = [width / columns, Math.max(height / rows - HEAD_PX, 1)];
    // Maximize the side of a square that fits; each empty place costs 1 px, which breaks ties.
    return { columns, rows, side: Math.min(wide, high) - (columns * rows - n) };
  });
  return all.reduce((best, one) => (one.side > best.side ? one : best));
}

/** Styles that place a panel's heading and plot.
 * @param {number} at its index in the list @param {{columns: number, rows: number}} grid
 * @param {number} [foot] px to leave free below all panels */
export function placeOf(at, { columns, rows }, foot = 0) {
  const [column, row] = [at % columns, Math.floor(at / columns)];
  const down = (/** @type {number} */ part) => `${100 * part}%${foot > 0 ? ` - ${part * foot}px` : ""}`;
  const [left, top] = [`${(100 * column) / columns}%`, down(row / rows)];
  const [width, height] = [`${100 / columns}%`, down(1 / rows)];
  return {
    head: { left, top: `calc(${top})`, width, height: `${HEAD_PX}px` },
    body: { left, top: `calc(${top} + ${HEAD_PX}px)`, width, height: `calc(${height} - ${HEAD_PX}px)` },
    isFirst: column === 0,
    isLower: row > 0,
  };
}
