/** The panel of all obs columns: a field that narrows the list, and a row for each, which colours by it. */
import { html, nothing } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { ICONS } from "../page/icons.js";
import { marked } from "../page/panels/marked.js";
import { rowAfterKey } from "../page/panels/rows.js";
import { textIn } from "../page/panels/ui.js";
import { wholeNumber } from "../words/format.js";

/** @typedef {import("../page/panels/ui.js").Context} Context */
/** @typedef {import("../state/state.js").Dataset} Dataset */
/** @typedef {{name: string, kind: string}} Column */

/** What a kind of column holds; all others hold numbers. @type {Record<string, string>} */
const WORDS = { categorical: "categories", boolean: "yes / no", string: "text" };
/** What would be taken for more than a name. */
const PREFIXED = /^(obs|var|set):/;

/** @param {{client: import("../wire/client.js").Client, redraw: () => void}} given @returns {(context: Context, dataset: Dataset) => unknown} */
export function createColumns({ redraw }) {
  let filter = "";
  /** The one that the Tab key leads to. */
  let active = "";

  /** @param {string} text */
  function narrow(text) {
    filter = text;
    redraw();
  }

  /** Arrow keys go through the rows, and from the first of them back to the field. @param {KeyboardEvent} event @param {Column[]} columns */
  function press(event, columns) {
    const here = Number(/** @type {HTMLElement} */ (event.target).dataset.row ?? -1);
    const row = rowAfterKey(event.key, here, columns.length);
    if (row === null || (here < 0 && event.key !== "ArrowDown")) return;
    event.preventDefault();
    const goesBack = here === 0 && event.key === "ArrowUp";
    const to = /** @type {Element} */ (event.currentTarget).querySelector(goesBack ? "input" : `[data-row="${row}"]`);
    /** @type {HTMLElement | null} */ (to)?.focus();
    if (!goesBack) active = columns[row]?.name ?? "";
    redraw();
  }

  return ({ state, actions }, dataset) => {
    const wanted = filter.trim().toLowerCase();
    const columns = dataset.columns.filter(({ name }) => name.toLowerCase().includes(wanted));
    const first = columns.some(({ name }) => name === active) ? active : columns[0]?.name;
    const spec = (state.nextColor ?? state.color)?.spec;
    const colorBy = (/** @type {string} */ name) => {
      active = name;
      actions.setTrait("color", PREFIXED.test(name) ? `obs:${name}` : name);
    };
    return html`<div class="columns" @keydown=${(/** @type {KeyboardEvent} */ event) => press(event, columns)}>
      <div class="box">${ICONS.search}<input type="text" aria-label="Find a column" placeholder="Find a column" autocomplete="off" spellcheck="false"
        .value=${live(filter)} @input=${(/** @type {Event} */ event) => narrow(textIn(event))}
        @keydown=${(/** @type {KeyboardEvent} */ event) => leave(event, narrow)}></div>
      <p class="caption" role="status">${told(columns.length, dataset.columns.length, filter)}</p>
      <ul aria-label="Columns">${columns.map(({ name, kind }, i) => {
        const isShown = spec === `obs:${name}`;
        return html`<li><button type="button" class="column" data-row=${i} tabindex=${name === first ? 0 : -1} aria-pressed=${isShown}
          title="Color by ${name}" ?disabled=${state.link === "offline"} @click=${() => colorBy(name)}>
          <span class="label">${name === "" ? html`<em>(empty)</em>` : marked(name, filter)}</span>
          <span class="kind">${WORDS[kind] ?? "number"}</span>${isShown ? ICONS.check : nothing}
        </button></li>`;
      })}</ul>
    </div>`;
  };
}

/** Escape empties the field; where it is empty, it is left to who else wants it. @param {KeyboardEvent} event @param {(text: string) => void} narrow */
function leave(event, narrow) {
  if (event.key !== "Escape" || textIn(event) === "") return;
  event.preventDefault();
  event.stopPropagation();
  narrow("");
}

/** @param {number} n @param {number} nAll @param {string} filter */
function told(n, nAll, filter) {
  if (nAll === 0) return "There are no columns.";
  if (n === 0) return `No column matches “${filter.trim()}”.`;
  const all = nAll === 1 ? "1 column" : `${wholeNumber(nAll)} columns`;
  return n < nAll ? `${wholeNumber(n)} of ${all}` : all;
}
