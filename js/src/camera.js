/** From data units to the screen and back, in double precision; x and y always have the same scale. Pure. */

/**
 * @typedef {[number, number, number, number]} View left, right, bottom, top in data units; bottom > top where y grows downwards
 * @typedef {[number, number, number, number]} Extent x0, x1, y0, y1 in data units
 *
 * @typedef {object} Camera
 * @property {number} x data units in the middle of the plot
 * @property {number} y
 * @property {number} unitsPerPx data units per CSS px
 * @property {number} width CSS px
 * @property {number} height CSS px
 * @property {1 | -1} up 1: y grows upwards; -1: downwards
 */

const MARGIN = 1.08;
/** How far one can zoom out: the data takes at least this part of the plot. */
const SMALLEST = 0.2;
const FLOAT32_STEP = 2 ** -23;

/** The camera that shows all of a view, in the middle. @param {readonly number[]} view @param {number} width CSS px @param {number} height CSS px
 * @param {boolean} yDown @returns {Camera} */
export function contain([left, right, bottom, top], width, height, yDown) {
  const [w, h] = [Math.abs(right - left), Math.abs(top - bottom)];
  const unitsPerPx = Math.max(w / Math.max(width, 1), h / Math.max(height, 1)) || 1 / Math.max(Math.min(width, height), 1);
  return { x: (left + right) / 2, y: (bottom + top) / 2, unitsPerPx, width, height, up: yDown ? -1 : 1 };
}

/** The camera that shows everything with a margin of 4 % on each side. @param {Extent} extent @param {number} width @param {number} height
 * @param {boolean} yDown @returns {Camera} */
export function fit(extent, width, height, yDown) {
  const camera = contain(extent, width, height, yDown);
  return { ...camera, unitsPerPx: camera.unitsPerPx * MARGIN };
}

/** What is to be seen. @param {Camera} camera @returns {View} */
export function visible({ x, y, unitsPerPx, width, height, up }) {
  const [w, h] = [(unitsPerPx * width) / 2, ((unitsPerPx * height) / 2) * up];
  return [x - w, x + w, y - h, y + h];
}

/** @param {Camera} camera @param {number} px from the left @param {number} py from the top @returns {[number, number]} data units */
export function toData({ x, y, unitsPerPx, width, height, up }, px, py) {
  return [x + (px - width / 2) * unitsPerPx, y + (height / 2 - py) * unitsPerPx * up];
}

/** @param {Camera} camera @param {number} dataX @param {number} dataY @returns {[number, number]} CSS px from left and top */
export function toPx({ x, y, unitsPerPx, width, height, up }, dataX, dataY) {
  return [width / 2 + (dataX - x) / unitsPerPx, height / 2 - ((dataY - y) / unitsPerPx) * up];
}

/** Move the picture with the hand. @param {Camera} camera @param {number} dx CSS px @param {number} dy CSS px @returns {Camera} */
export function pan(camera, dx, dy) {
  return { ...camera, x: camera.x - dx * camera.unitsPerPx, y: camera.y + dy * camera.unitsPerPx * camera.up };
}

/** Zoom in (factor > 1) or out about a place that stays where it is. @param {Camera} camera @param {number} factor @param {number} px @param {number} py
 * @param {[number, number]} [range] smallest and largest units per px @returns {Camera} */
export function zoomAt(camera, factor, px, py, [least, most] = [0, Infinity]) {
  const unitsPerPx = Math.min(Math.max(camera.unitsPerPx / factor, Math.min(least, camera.unitsPerPx)), Math.max(most, camera.unitsPerPx));
  const [dataX, dataY] = toData(camera, px, py);
  const zoomed = { ...camera, unitsPerPx };
  const [atX, atY] = toPx(zoomed, dataX, dataY);
  return pan(zoomed, px - atX, py - atY);
}

/** Smallest and largest units per px: never beyond the precision of the data, never lost in the void.
 * @param {Extent} extent @param {number} width @param {number} height @param {number} ratio device px per CSS px @returns {[number, number]} */
export function zoomRange(extent, width, height, ratio) {
  const largest = Math.max(...extent.map(Math.abs));
  const whole = fit(extent, width, height, false).unitsPerPx;
  return [Math.min(Math.max(largest * FLOAT32_STEP * ratio, whole * 1e-9), whole), whole / SMALLEST];
}

/** Keep the middle of the plot over the data. @param {Camera} camera @param {Extent} extent @returns {Camera} */
export function keepOver(camera, [x0, x1, y0, y1]) {
  const clamp = (/** @type {number} */ at, /** @type {number} */ a, /** @type {number} */ b) =>
    Math.min(Math.max(at, Math.min(a, b)), Math.max(a, b));
  return { ...camera, x: clamp(camera.x, x0, x1), y: clamp(camera.y, y0, y1) };
}

/** Scale and offset from position codes (0..65534 over an extent) to clip space. @param {Camera} camera @param {readonly number[]} extent
 * @returns {{scale: [number, number], offset: [number, number]}} */
export function codesToClip({ x, y, unitsPerPx, width, height, up }, [x0, x1, y0, y1]) {
  const [halfW, halfH] = [(unitsPerPx * width) / 2 || 1, ((unitsPerPx * height) / 2) * up || 1];
  return {
    scale: [(x1 - x0) / 65_534 / halfW, (y1 - y0) / 65_534 / halfH],
    offset: [(x0 - x) / halfW, (y0 - y) / halfH],
  };
}

/** CSS px that one step of a position code takes. @param {Camera} camera @param {readonly number[]} extent @returns {number} */
export function codeSizePx({ unitsPerPx }, [x0, x1, y0, y1]) {
  return Math.max(Math.abs(x1 - x0), Math.abs(y1 - y0)) / 65_534 / unitsPerPx;
}

/** A view with the same middle and `factor` times the sides. @param {readonly number[]} view @param {number} factor @returns {View} */
export function expand([left, right, bottom, top], factor) {
  const [x, y, w, h] = [(left + right) / 2, (bottom + top) / 2, ((right - left) / 2) * factor, ((top - bottom) / 2) * factor];
  return [x - w, x + w, y - h, y + h];
}

/** Does an extent hold a view? @param {readonly number[]} extent @param {readonly number[]} view @returns {boolean} */
export function covers(extent, view) {
  const [x0, x1, y0, y1] = [Math.min(extent[0], extent[1]), Math.max(extent[0], extent[1]), Math.min(extent[2], extent[3]), Math.max(extent[2], extent[3])];
  return Math.min(view[0], view[1]) >= x0 && Math.max(view[0], view[1]) <= x1 && Math.min(view[2], view[3]) >= y0 && Math.max(view[2], view[3]) <= y1;
}
