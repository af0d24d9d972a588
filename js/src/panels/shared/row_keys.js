/** Arrow keys in a panel of rows: between those with `data-row`, and from the first back to the field above. */
import { rowAfterKey } from "../../page/parts/legend_rows.js";

/**
 * Move the focus as a key asks for.
 * @param {KeyboardEvent} event of the element around field and rows @param {number} nRows
 * @returns {number | null} the row it is in now, -1 = in the field; null = the key means nothing here
 */
export function moveByKey(event, nRows) {
  const { row: at, field } = /** @type {HTMLElement} */ (event.target).dataset;
  const here = Number(at ?? -1);
  const row = rowAfterKey(event.key, here, nRows);
  if (event.defaultPrevented || row === null || (at === undefined && field === undefined)) return null;
  if (here < 0 && event.key !== "ArrowDown") return null;
  event.preventDefault();
  const goesBack = here === 0 && event.key === "ArrowUp";
  const to = /** @type {Element} */ (event.currentTarget).querySelector(
    goesBack ? "[data-field]" : `[data-row="${row}"]`,
  );
  /** @type {HTMLElement | null} */ (to)?.focus();
  return goesBack ? -1 : row;
}
