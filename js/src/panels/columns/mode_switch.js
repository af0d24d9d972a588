/** The switch of open rows: counts, or enrichment of the selected cells. */
import { html, nothing } from "lit-html";
import { nounsOf } from "../../words/nouns.js";

/** @typedef {import("../../page/parts/ui.js").Context} Context */
/** @typedef {import("./enrichment.js").Mode} Mode */

/** @type {[Mode, string, string][]} */
const MODES = [
  ["counts", "Counts", "Counts: all, passing the filters, selected"],
  ["enrichment", "Enrichment", "Selection compared with all others that pass the filters"],
];

/** @param {() => void} redraw */
export function createModes(redraw) {
  /** @type {Mode} */
  let mode = "counts";
  return {
    /** @returns {Mode} */
    get: () => mode,

    /** @param {Context} context */
    draw({ state }) {
      const set = (/** @type {Mode} */ wanted) => {
        mode = wanted;
        redraw();
      };
      /** An arrow key chooses the other mode and moves the focus to it. @param {KeyboardEvent} event */
      const press = (event) => {
        if (!event.key.startsWith("Arrow")) return;
        const group = /** @type {HTMLElement} */ (event.currentTarget);
        /** @type {HTMLElement | null} */ (group.querySelector("[aria-checked=false]"))?.focus();
        set(mode === "counts" ? "enrichment" : "counts");
        event.preventDefault();
        event.stopPropagation();
      };
      const isQuiet = mode === "enrichment" && state.selection.n === 0;
      return html`<div class="modes" role="radiogroup" aria-label="Show in open rows" @keydown=${press}>${MODES.map(
        ([id, name, title]) =>
          html`<button type="button" role="radio" aria-checked=${mode === id} tabindex=${mode === id ? 0 : -1} title=${title} @click=${() => set(id)}>${name}</button>`,
      )}</div>${isQuiet ? html`<p class="caption">Select ${nounsOf(state).obs.many} to see what is enriched.</p>` : nothing}`;
    },
  };
}
