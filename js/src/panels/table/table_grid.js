/** The grid of the table: column headers that sort, and the rows in view. */
import { html, nothing } from "lit-html";
import { ref } from "lit-html/directives/ref.js";
import { ROW_PX } from "../../page/parts/legend_rows.js";
import { sheetPx } from "./scrolling.js";

/** @typedef {import("./row_requests.js").Rows} Rows */

/** Minimum width of the names; must match style.css. */
const NAMES_PX = 150;
/** @param {{is_number: boolean, px?: number}} column */
const leastPx = ({ is_number, px }) => px ?? (is_number ? 84 : 110);
/** Height of the header row, CSS px; must match style.css. */
export const HEAD_PX = 26;

/**
 * @typedef {object} Sight the rows in view
 * @property {Rows | null} rows loaded rows, perhaps not all of those in view
 * @property {boolean} areOld whether the rows are older than the last change
 * @property {number} top px of rows above
 * @property {number} scroll scrollbar position, px
 * @property {number} first position of the first row in view
 * @property {number} n number of rows in view
 *
 * @typedef {object} At the active cell of the grid
 * @property {number} row position of a row; -1 = the header row
 * @property {number} column 0 = the names
 *
 * @typedef {object} Hands
 * @property {(element: Element | undefined) => void} hold called with the element that scrolls
 * @property {() => void} scroll
 * @property {(event: WheelEvent) => void} turn
 * @property {(event: KeyboardEvent) => void} press
 * @property {(event: PointerEvent) => void} point
 * @property {() => void} leave
 * @property {(event: MouseEvent) => void} click
 * @property {(event: MouseEvent) => void} pick
 * @property {() => void} focus
 */

/**
 * @param {Sight} sight @param {At} at @param {{sort: string, descending: boolean, label: string, index: string, pointed: number | undefined, id?: string}} shown
 *   sort: "" = store order; label: of the grid; index: header of the names; pointed: row of the hovered cell;
 *   id: prefix of element ids, "cell" by default
 * @param {Hands} hands
 */
export function tableGrid(sight, at, shown, hands) {
  const { rows } = sight;
  const columns = rows?.columns ?? [];
  const total = rows?.total ?? 0;
  const idOf = (/** @type {number} */ place, /** @type {number} */ column) => cellId(place, column, shown.id);
  const isThere = rows !== null && (at.row < 0 || (at.row >= rows.start && at.row < rows.start + rows.rows.length));
  return html`<div class="grid" role="grid" tabindex="0" data-field="table" aria-label=${shown.label} aria-rowcount=${total + 1} aria-colcount=${columns.length + 1}
    aria-multiselectable="true" aria-busy=${sight.areOld} aria-activedescendant=${isThere ? idOf(at.row, at.column) : nothing}
    style="--least:${columns.reduce((px, /** @type {any} */ one) => px + leastPx(one), NAMES_PX)}px;--columns:${columns.map((/** @type {any} */ one) => `minmax(${leastPx(one)}px,1fr)`).join(" ")}" ${ref(hands.hold)}
    @scroll=${hands.scroll} @wheel=${hands.turn} @keydown=${hands.press} @pointerover=${hands.point} @pointerleave=${hands.leave} @click=${hands.click} @dblclick=${hands.pick}
    @focus=${hands.focus}>
    <div role="rowgroup" class="heads"><div role="row" class="line" aria-rowindex="1">
      ${head("index", { name: shown.index, detail: "", error: "", is_number: false }, 0)}
      ${columns.map((one, i) => head(one.spec, one, i + 1))}</div></div>
    <div role="rowgroup" class="rows-of-table" style="height:${sheetPx(total)}px">
      <div role="presentation" class="lines" style="transform:translateY(${sight.scroll - sight.top + sight.first * ROW_PX}px)">${lines()}</div></div>
  </div>`;

  /** @param {string} spec @param {Record<string, any>} about @param {number} column */
  function head(spec, { name, detail, error, is_number: isNumber }, column) {
    const way = shown.sort !== spec ? "none" : shown.descending ? "descending" : "ascending";
    const isActive = at.row < 0 && at.column === column;
    return html`<div role="columnheader" id=${idOf(-1, column)} class="datum ${isNumber ? "number" : ""} ${isActive ? "active" : ""}" aria-sort=${way} aria-colindex=${column + 1} data-head=${column}
      title=${error || (detail === "" ? name : `${name} (${detail})`)}><span class="label">${error === "" ? nothing : html`<b class="damaged">⚠<span class="spoken">${error}</span></b>`}${name === "" ? html`<em>(empty)</em>` : name}</span>
      ${way === "none" ? nothing : html`<i aria-hidden="true">${way === "ascending" ? "▲" : "▼"}</i>`}</div>`;
  }

  function lines() {
    const found = [];
    for (let place = sight.first; place < Math.min(sight.first + sight.n, total); place++) found.push(line(place));
    return found;
  }

  /** @param {number} place */
  function line(place) {
    const i = place - (rows?.start ?? 0);
    if (rows === null || i < 0 || i >= rows.rows.length)
      return html`<div role="row" class="line waiting" aria-rowindex=${place + 2}><div role="gridcell" class="datum">…</div></div>`;
    const isPointed = rows.rows[i] === shown.pointed;
    const isActive = at.row === place;
    return html`<div role="row" class="line ${isActive ? "active" : ""} ${isPointed ? "pointed" : ""}" aria-rowindex=${place + 2} aria-selected=${rows.arrays.selected[i] === 1} data-place=${place}>
      ${cell("rowheader", place, 0, rows.names[i], isActive)}
      ${columns.map(({ is_number }, k) => cell(is_number ? "gridcell number" : "gridcell", place, k + 1, rows.values[k][i] ?? "", isActive))}
    </div>`;
  }

  /** @param {string} kind its role, and whether it is a number @param {number} place @param {number} column @param {string} text @param {boolean} isActive */
  function cell(kind, place, column, text, isActive) {
    const [role, number = ""] = kind.split(" ");
    return html`<div role=${role} id=${idOf(place, column)} class="datum ${number} ${isActive && at.column === column ? "active" : ""}" aria-colindex=${column + 1} data-column=${column} title=${text}>${text}</div>`;
  }
}

/** The element id of a grid cell.
 * @param {number} place -1 = the header row @param {number} column @param {string} [of] the table */
export function cellId(place, column, of = "cell") {
  return `${of}-${place < 0 ? "head" : place}-${column}`;
}

/** Scroll sideways until a column is in view next to the sticky names.
 * @param {HTMLElement} grid @param {string} [which] selector, the active cell by default */
export function revealColumn(grid, which = ".datum.active") {
  const datum = /** @type {HTMLElement | null} */ (grid.querySelector(which));
  if (datum === null || datum.dataset.column === "0" || datum.dataset.head === "0") return;
  const names = /** @type {HTMLElement} */ (grid.querySelector(".datum")).offsetWidth;
  const [left, right] = [datum.offsetLeft, datum.offsetLeft + datum.offsetWidth];
  if (left - names < grid.scrollLeft) grid.scrollLeft = left - names;
  else if (right > grid.scrollLeft + grid.clientWidth) grid.scrollLeft = right - grid.clientWidth;
}
