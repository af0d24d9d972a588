/** Scrolls through more rows than an element can be high: keeps a row position apart from the scrollbar's. Pure. */
import { ROW_PX } from "../../page/parts/legend_rows.js";

/** Browsers truncate elements from about 17 million px on. */
export const HIGHEST_PX = 8_000_000;

/** Height of the sheet of all rows. @param {number} nRows @returns {number} CSS px */
export function sheetPx(nRows) {
  return Math.min(nRows * ROW_PX, HIGHEST_PX);
}

/** The largest scroll position.
 * @param {number} nRows @param {number} viewPx height of the view @returns {number} px of rows */
export function lowest(nRows, viewPx) {
  return Math.max(0, nRows * ROW_PX - viewPx);
}

/** Whether the sheet is shorter than its rows: the scrollbar then jumps, and the page must handle the wheel.
 * @param {number} nRows */
export function isScaled(nRows) {
  return nRows * ROW_PX > HIGHEST_PX;
}

/** The distance that a wheel event scrolls.
 * @param {WheelEvent} event @param {number} viewPx @returns {number} px of rows */
export function turnedBy({ deltaMode, deltaY }, viewPx) {
  return deltaMode === 1 ? deltaY * ROW_PX : deltaMode === 2 ? deltaY * viewPx : deltaY;
}

/** The scrollbar position for a row position.
 * @param {number} top px of rows above the view @param {number} nRows @param {number} viewPx */
export function scrollOf(top, nRows, viewPx) {
  return isScaled(nRows) ? (top / lowest(nRows, viewPx)) * (HIGHEST_PX - viewPx) : top;
}

/** The row position for a scrollbar position; the previous one if the scrollbar has not moved.
 * @param {number} scroll @param {number} before
 * @param {number} nRows @param {number} viewPx @returns {number} px of rows */
export function topOf(scroll, before, nRows, viewPx) {
  if (!isScaled(nRows)) return Math.min(scroll, lowest(nRows, viewPx));
  if (Math.abs(scroll - scrollOf(before, nRows, viewPx)) < 1.5) return before; // browsers round the position
  return Math.min(1, scroll / (HIGHEST_PX - viewPx)) * lowest(nRows, viewPx);
}
