/** Arrow keys in a panel of rows: move between elements with `data-row`, and from the first to the field above. */
import { rowAfterKey } from "../../page/parts/legend_rows.js";

/**
 * Move the focus according to a key.
 * @param {KeyboardEvent} event of the element around field and rows @param {number} nRows
 * @returns {number | null} the row that has the focus now, -1 = the field; null = the key is not handled
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
