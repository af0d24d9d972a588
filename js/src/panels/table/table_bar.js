/** The bar over the table: which cells are in it, how many, which columns, and buttons that copy and download all rows. */
import { html, nothing } from "lit-html";
import { textIn } from "../../page/parts/ui.js";
import { nSelectedPassing } from "../../state/counts.js";
import { counted, wholeNumber } from "../../words/format.js";
import { nounsOf } from "../../words/nouns.js";
import { MOST_COPIED } from "./table_export.js";

/** @typedef {import("./row_requests.js").Setting} Setting */
/** @typedef {import("./row_requests.js").Of} Of */

/** @type {{of: "filter" | "selection", name: string}[]} */
const OF = [
  { of: "filter", name: "Passing" },
  { of: "selection", name: "Selected" },
];

/**
 * @param {import("../../page/parts/ui.js").Context} context
 * @param {{setting: Setting, set: (change: Partial<Setting>) => void, found: import("./row_requests.js").Rows | null, cells: Of,
 *   choose: (cells: Of) => void, sentence: string, columnChoice: ReturnType<typeof import("./table_columns.js").createColumnChoice>,
 *   exported: ReturnType<typeof import("./table_export.js").createExport>}} given
 *   cells: which cells are listed while a filter is active; sentence: replaces the number of rows
 */
export function tableBar(context, { setting, set, found, cells, choose, sentence, columnChoice, exported }) {
  const { state } = context;
  const isOffline = state.link === "offline";
  const { of = "filter", columns: chosen } = setting;
  const { many } = nounsOf(state).obs;
  const columns = chosen ?? found?.columns.map(({ spec }) => spec) ?? []; // new columns show before their rows arrive
  const take = (/** @type {Event} */ event) => choose(textIn(event) === "" ? "" : "filter");
  return html`<div class="bar table-bar">
    <div class="choices" role="group" aria-label="Rows of the table">${OF.map(
      (one) =>
        html`<button type="button" class="text" aria-pressed=${of === one.of} ?disabled=${isOffline} @click=${() => set({ of: one.of })}>${one.of === "filter" && cells === "" ? "All" : one.name}</button>`,
    )}</div>
    ${
      state.traits.filters.length > 0
        ? html`<select class="wide" aria-label="Cells of the table" .value=${cells} @change=${take}>
          <option value="filter" ?selected=${cells === "filter"}>passing ${many}</option><option value="" ?selected=${cells === ""}>all ${many}</option></select>`
        : nothing
    }
    <span class="caption" role="status">${sentence || found?.error || (found === null ? "Reading…" : sizeOf(state, found.total, of === "selection" && cells === "filter"))}</span>
    <div class="choices">${columnChoice(context, columns, (wanted) => set({ columns: wanted }))}
    <button type="button" class="text" title="Copy up to ${wholeNumber(MOST_COPIED)} rows as text for a spreadsheet" ?disabled=${isOffline || exported.isBusy()} @click=${() => void exported.copy(state, cells)}>Copy</button>
    <button type="button" class="text" title="Download all rows" ?disabled=${isOffline} @click=${() => void exported.save(state, undefined, cells)}>${exported.isBusy() ? "Stop" : "CSV"}</button></div>
  </div>`;
}

/** "80 cells", or "80 cells of 120 selected" if the table lists only those that pass.
 * @param {import("../../state/state.js").State} state
 * @param {number} n rows of the table @param {boolean} isPart whether the table lists the selected cells that pass */
function sizeOf(state, n, isPart) {
  const nPassing = isPart ? nSelectedPassing(state) : null;
  const size = counted(n, nounsOf(state).obs);
  return nPassing === n ? `${size} of ${wholeNumber(state.selection.n)} selected` : size;
}
