/** Scrolls through more rows than an element can be high: keeps a row position apart from the scrollbar's. Pure. */
import { ROW_PX } from "../../page/parts/legend_rows.js";

/** Browsers cut elements off from 17 million px on. */
export const HIGHEST_PX = 8_000_000;

/** How high the sheet of all rows is. @param {number} nRows @returns {number} CSS px */
export function sheetPx(nRows) {
  return Math.min(nRows * ROW_PX, HIGHEST_PX);
}

/** How far down one can be. @param {number} nRows @param {number} viewPx height of what is in sight @returns {number} px of rows */
export function lowest(nRows, viewPx) {
  return Math.max(0, nRows * ROW_PX - viewPx);
}

/** Is the sheet too short for its rows, so that the scrollbar jumps and the wheel has to be followed by hand? @param {number} nRows */
export function isScaled(nRows) {
  return nRows * ROW_PX > HIGHEST_PX;
}

/** How far a wheel turns. @param {WheelEvent} event @param {number} viewPx @returns {number} px of rows */
export function turnedBy({ deltaMode, deltaY }, viewPx) {
  return deltaMode === 1 ? deltaY * ROW_PX : deltaMode === 2 ? deltaY * viewPx : deltaY;
}

/** Where the scrollbar is for a place. @param {number} top px of rows above what is in sight @param {number} nRows @param {number} viewPx */
export function scrollOf(top, nRows, viewPx) {
  return isScaled(nRows) ? (top / lowest(nRows, viewPx)) * (HIGHEST_PX - viewPx) : top;
}

/** The place that the scrollbar is at; the one before where it is there still. @param {number} scroll @param {number} before
 * @param {number} nRows @param {number} viewPx @returns {number} px of rows */
export function topOf(scroll, before, nRows, viewPx) {
  if (!isScaled(nRows)) return Math.min(scroll, lowest(nRows, viewPx));
  if (Math.abs(scroll - scrollOf(before, nRows, viewPx)) < 1.5) return before; // browsers round it
  return Math.min(1, scroll / (HIGHEST_PX - viewPx)) * lowest(nRows, viewPx);
}
