/** The Columns panel: active filters, a search field, and one row per obs column, which opens its counts. */
// Changes with cxg_widget/display/search.py: words for kinds of columns.
import { html, nothing } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { ICONS } from "../../page/icons.js";
import { marked } from "../../page/parts/marked.js";
import { textIn } from "../../page/parts/ui.js";
import { memo } from "../../state/memo.js";
import { wholeNumber } from "../../words/format.js";
import { createOverview } from "../filters/active_filters.js";
import { ruleOf } from "../filters/filter_rules.js";
import { besideButtons } from "../linked/add_panels.js";
import { moveByKey } from "../shared/row_keys.js";
import { createModes } from "./mode_switch.js";

/** @typedef {import("../../page/parts/ui.js").Context} Context */
/** @typedef {import("../../state/state.js").Dataset} Dataset */
/** @typedef {{name: string, kind: string}} Column */

/** Descriptions of column kinds; all other kinds are numbers. @type {Record<string, string>} */
const WORDS = { categorical: "categories", boolean: "yes / no", string: "text" };
/** What would be taken for more than a name. */
const PREFIXED = /^(obs|var|set):/;

/** @param {import("../index.js").Given} given @returns {import("../index.js").DrawPanel} */
export function createColumns(given) {
  const { redraw, opened } = given;
  const overview = createOverview(given);
  const modes = createModes(redraw);
  const listed = /** @type {ReturnType<typeof memo<Column[]>>} */ (memo());
  let filter = "";
  let byName = false;
  /** The row that Tab moves to. */
  let active = "";

  /** @param {() => void} change */
  function then(change) {
    change();
    redraw();
  }

  /** @param {KeyboardEvent} event @param {Column[]} columns */
  function press(event, columns) {
    const row = moveByKey(event, columns.length);
    if (row !== null) then(() => void (active = columns[row]?.name ?? active));
  }

  /** @param {Context} context @param {Column} column @param {number} i @param {boolean} isFirst */
  function row(context, column, i, isFirst) {
    const { state, actions } = context;
    const { name, kind } = column;
    const spec = `obs:${name}`;
    const isShown = (state.nextColor ?? state.color)?.spec === spec;
    const [isOpen, isOffline] = [opened.has(spec), state.link === "offline"];
    return html`<li class=${isOpen ? "open" : ""}><div class="column">
      <button type="button" class="opener" data-row=${i} tabindex=${isFirst ? 0 : -1} aria-expanded=${isOpen} title=${name} ?disabled=${isOffline}
        @click=${() => then(() => ((active = name), opened.toggle(spec)))}>${ICONS.down}
        <span class="label">${name === "" ? html`<em>(empty)</em>` : marked(name, filter)}</span>
        ${ruleOf(state.traits.filters, spec) === undefined ? nothing : html`<span class="filtered" title="Has a filter"></span>`}
        <span class="kind">${WORDS[kind] ?? "number"}</span></button>
      <button type="button" class="small colors" aria-label="Color by ${name}" title="Color by ${name}" aria-pressed=${isShown} ?disabled=${isOffline}
        @click=${() => actions.setTrait("color", PREFIXED.test(name) ? `obs:${name}` : name)}><i></i></button>
    </div>${isOpen ? besideButtons(context, column) : nothing}${opened.body(context, { name, spec, id: `count-${i}`, isInteger: kind === "int", mode: modes.get() })}</li>`;
  }

  return (context, dataset) => {
    if (context === null || dataset === undefined) return nothing;
    const columns = listed([dataset, filter, byName], () => inOrder(dataset.columns, filter, byName));
    const first = columns.some(({ name }) => name === active) ? active : columns[0]?.name;
    return html`<div class="columns" @keydown=${(/** @type {KeyboardEvent} */ event) => press(event, columns)}>
      ${overview(context, dataset)}
      <div class="find"><div class="box">${ICONS.search}<input type="text" data-field="find" aria-label="Find a column" placeholder="Find a column" autocomplete="off"
        spellcheck="false" .value=${live(filter)} @input=${(/** @type {Event} */ event) => then(() => void (filter = textIn(event)))}
        @keydown=${(/** @type {KeyboardEvent} */ event) => leave(event, () => then(() => void (filter = "")))}></div>
        <button type="button" class="small" aria-label="Sort by name" aria-pressed=${byName} title=${byName ? "Sorted by name; click for file order" : "Sort by name"}
          @click=${() => then(() => void (byName = !byName))}>${ICONS.sort}</button></div>
      ${modes.draw(context)}
      <p class="caption" role="status">${describeList(columns.length, dataset.columns.length, filter)}</p>
      <ul class="list" aria-label="Columns">${columns.map((column, i) => row(context, column, i, column.name === first))}</ul>
    </div>`;
  };
}

/** @param {Column[]} columns @param {string} filter @param {boolean} byName @returns {Column[]} */
function inOrder(columns, filter, byName) {
  const wanted = filter.trim().toLowerCase();
  const found = columns.filter(({ name }) => name.toLowerCase().includes(wanted));
  return byName ? found.sort((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true })) : found;
}

/** Escape clears the field; if the field is empty, other handlers get the key.
 * @param {KeyboardEvent} event @param {() => void} clear */
function leave(event, clear) {
  if (event.key !== "Escape" || textIn(event) === "") return;
  event.preventDefault();
  event.stopPropagation();
  clear();
}

/** @param {number} n @param {number} nAll @param {string} filter */
function describeList(n, nAll, filter) {
  if (nAll === 0) return "No columns.";
  if (n === 0) return `No column matches “${filter.trim()}”.`;
  const all = nAll === 1 ? "1 column" : `${wholeNumber(nAll)} columns`;
  return n < nAll ? `${wholeNumber(n)} of ${all}` : all;
}
