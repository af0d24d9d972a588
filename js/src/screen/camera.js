/**
 * The camera: transforms data units to the screen and back, in double precision. x and y have the same scale if they
 * share their units; otherwise each axis fills the plot independently. Pure.
 */
// Changes with cxg_widget/spatial/view.py: the view that shows everything.

import { COARSE_PX, MARGIN } from "../wire/constants.js";
import { clamp } from "./clamp.js";

/**
 * @typedef {[number, number, number, number]} View left, right, bottom, top in data units; bottom > top if y grows
 *   downwards
 * @typedef {[number, number, number, number]} Extent x0, x1, y0, y1 in data units
 *
 * @typedef {object} Camera
 * @property {number} x data units in the middle of the plot
 * @property {number} y
 * @property {number} unitsPerPx units of x per CSS px
 * @property {number} stretch units of y per px, divided by units of x per px; 1 if the axes share their units
 * @property {number} width CSS px
 * @property {number} height CSS px
 * @property {1 | -1} up 1: y grows upwards; -1: downwards
 *
 * @typedef {object} Viewport the view of one plot and its resolution
 * @property {Camera} camera
 * @property {readonly number[]} view left, right, bottom, top in data units
 * @property {number} ratio device px per CSS px
 * @property {number} diameter of a point, device px
 * @property {boolean} dark whether the page is dark
 * @property {{camera: Camera, diameter: number}} [whole] camera and diameter of the view that shows everything
 */

/** Limit for zooming out: the data takes at least this fraction of the plot. */
const SMALLEST = 0.2;
const FLOAT32_STEP = 2 ** -23;
/** @typedef {{least: number[], most: number[]}} Range of units per px, along x and along y */
/** @type {Range} */
const UNBOUNDED = { least: [0, 0], most: [Infinity, Infinity] };

/** Data units per CSS px along x and along y. @param {Camera} camera @returns {[number, number]} */
export function scales({ unitsPerPx, stretch }) {
  return [unitsPerPx, unitsPerPx * stretch];
}

/** The camera that shows a view: centered and complete if the axes share their units; otherwise exactly this view.
 * @param {readonly number[]} view @param {number} width CSS px @param {number} height CSS px @param {boolean} yDown @param {boolean} [equalUnits]
 * @returns {Camera} */
export function contain([left, right, bottom, top], width, height, yDown, equalUnits = true) {
  const [w, h] = [Math.max(width, 1), Math.max(height, 1)];
  let [perX, perY] = [Math.abs(right - left) / w, Math.abs(top - bottom) / h];
  // Halves before the sum, because the sum may overflow.
  const [x, y] = [left / 2 + right / 2, bottom / 2 + top / 2];
  if (equalUnits) perX = perY = Math.max(perX, perY) || Math.max(speck(x), speck(y)) / Math.min(w, h);
  const unitsPerPx = perX || speck(x) / w;
  return { x, y, unitsPerPx, stretch: (perY || speck(y) / h) / unitsPerPx, width, height, up: yDown ? -1 : 1 };
}

/** Length of axis to show if all points lie at one place: 1, or more for large numbers, which are less precise.
 * @param {number} at */
function speck(at) {
  return Math.max(1, Math.abs(at) * 2 ** -20);
}

/** The camera that shows everything with a margin around it. @param {Extent} extent @param {number} width @param {number} height
 * @param {boolean} yDown @param {boolean} [equalUnits] @returns {Camera} */
export function fit(extent, width, height, yDown, equalUnits) {
  const camera = contain(extent, width, height, yDown, equalUnits);
  return { ...camera, unitsPerPx: camera.unitsPerPx * (1 + 2 * MARGIN) };
}

/** The visible view. @param {Camera} camera @returns {View} */
export function visible(camera) {
  const [perX, perY] = scales(camera);
  const [w, h] = [(perX * camera.width) / 2, ((perY * camera.height) / 2) * camera.up];
  return [camera.x - w, camera.x + w, camera.y - h, camera.y + h];
}

/** @param {Camera} camera @param {number} px from the left @param {number} py from the top @returns {[number, number]} data units */
export function toData(camera, px, py) {
  const [perX, perY] = scales(camera);
  return [camera.x + (px - camera.width / 2) * perX, camera.y + (camera.height / 2 - py) * perY * camera.up];
}

/** @param {Camera} camera @param {number} dataX @param {number} dataY @returns {[number, number]} CSS px from left and top */
export function toPx(camera, dataX, dataY) {
  const [perX, perY] = scales(camera);
  return [camera.width / 2 + (dataX - camera.x) / perX, camera.height / 2 - ((dataY - camera.y) / perY) * camera.up];
}

/** Moves the picture by a distance. @param {Camera} camera @param {number} dx CSS px @param {number} dy CSS px
 * @returns {Camera} */
export function pan(camera, dx, dy) {
  const [perX, perY] = scales(camera);
  return { ...camera, x: camera.x - dx * perX, y: camera.y + dy * perY * camera.up };
}

/** Zooms in (factor > 1) or out around a place that keeps its position. Both axes zoom in by the same factor, until
 * both have reached their limits. When zooming out, an axis that reaches its limit stays while the other continues.
 * @param {Camera} camera @param {number} factor @param {number} px @param {number} py @param {Range} [range] @returns {Camera} */
export function zoomAt(camera, factor, px, py, { least, most } = UNBOUNDED) {
  const now = scales(camera);
  const by = Math.max(1 / factor, Math.min(least[0] / now[0], least[1] / now[1], 1));
  const [perX, perY] = now.map((units, axis) => Math.min(units * by, Math.max(most[axis], units)));
  const [dataX, dataY] = toData(camera, px, py);
  const zoomed = { ...camera, unitsPerPx: perX, stretch: perY / perX };
  // Corrects the place under the pointer, because rounding would make the picture drift.
  const [atX, atY] = toPx(zoomed, dataX, dataY);
  return pan(zoomed, px - atX, py - atY);
}

/** Smallest and largest units per px: the precision of the data limits zooming in, the size of the data zooming out.
 * @param {Extent} extent @param {number} width @param {number} height @param {number} ratio device px per CSS px @param {boolean} [equalUnits]
 * @returns {Range} */
export function zoomRange(extent, width, height, ratio, equalUnits = true) {
  const [x0, x1, y0, y1] = extent.map(Math.abs);
  const [x, y] = [Math.max(x0, x1), Math.max(y0, y1)];
  const largest = equalUnits ? [Math.max(x, y), Math.max(x, y)] : [x, y];
  const whole = scales(fit(extent, width, height, false, equalUnits));
  const least = whole.map((units, axis) => clamp(largest[axis] * FLOAT32_STEP * ratio, units * 1e-9, units));
  return { least, most: whole.map((units) => units / SMALLEST) };
}

/** Zoom factor relative to another camera; if the axes differ, their geometric mean.
 * @param {Camera} camera @param {Camera} whole */
export function zoomOver(camera, whole) {
  return (whole.unitsPerPx / camera.unitsPerPx) * Math.sqrt(whole.stretch / camera.stretch);
}

/** Keeps the center of the plot over the data. @param {Camera} camera @param {Extent} extent @returns {Camera} */
export function keepOver(camera, [x0, x1, y0, y1]) {
  const within = (/** @type {number} */ at, /** @type {number} */ a, /** @type {number} */ b) =>
    clamp(at, Math.min(a, b), Math.max(a, b));
  return { ...camera, x: within(camera.x, x0, x1), y: within(camera.y, y0, y1) };
}

/** Scale and offset from position codes (0..65534 over an extent) to clip space. @param {Camera} camera @param {readonly number[]} extent
 * @returns {{scale: [number, number], offset: [number, number]}} */
export function codesToClip(camera, [x0, x1, y0, y1]) {
  const { x, y, width, height, up } = camera;
  const [perX, perY] = scales(camera);
  const [halfW, halfH] = [(perX * width) / 2 || 1, ((perY * height) / 2) * up || 1];
  return {
    scale: [(x1 - x0) / 65_534 / halfW, (y1 - y0) / 65_534 / halfH],
    offset: [(x0 - x) / halfW, (y0 - y) / halfH],
  };
}

/** True if one step of a position code is so large on the screen that points would show as a lattice.
 * @param {Pick<Viewport, "camera" | "ratio">} viewport @param {readonly number[]} extent that the codes span @returns {boolean} */
export function isCoarse({ camera, ratio }, extent) {
  return cellSizePx(camera, extent, 65_534, 65_534) * ratio > COARSE_PX;
}

/** Size in CSS px of one cell of an extent cut into columns and rows, along its longer axis.
 * @param {Camera} camera @param {readonly number[]} extent @param {number} columns @param {number} rows @returns {number} */
export function cellSizePx(camera, [x0, x1, y0, y1], columns, rows) {
  const [perX, perY] = scales(camera);
  return Math.max(Math.abs(x1 - x0) / columns / perX, Math.abs(y1 - y0) / rows / perY);
}

/** A view with the same center and `factor` times the sides. @param {readonly number[]} view @param {number} factor
 * @returns {View} */
export function expand([left, right, bottom, top], factor) {
  const [x, y, w, h] = [
    (left + right) / 2,
    (bottom + top) / 2,
    ((right - left) / 2) * factor,
    ((top - bottom) / 2) * factor,
  ];
  return [x - w, x + w, y - h, y + h];
}

/** True if an extent contains a view. @param {readonly number[]} extent @param {readonly number[]} view
 * @returns {boolean} */
export function covers(extent, view) {
  const [x0, x1, y0, y1] = [
    Math.min(extent[0], extent[1]),
    Math.max(extent[0], extent[1]),
    Math.min(extent[2], extent[3]),
    Math.max(extent[2], extent[3]),
  ];
  return (
    Math.min(view[0], view[1]) >= x0 &&
    Math.max(view[0], view[1]) <= x1 &&
    Math.min(view[2], view[3]) >= y0 &&
    Math.max(view[2], view[3]) <= y1
  );
}

/** A view in position codes (0..65534 over an extent): from and to along x, from and to along y. @param {readonly number[]} extent
 * @param {readonly number[]} view @returns {[number, number, number, number]} */
export function viewInCodes([x0, x1, y0, y1], [left, right, bottom, top]) {
  const code = (/** @type {number} */ value, /** @type {number} */ from, /** @type {number} */ to) =>
    ((value - from) / (to - from || 1)) * 65_534;
  return [
    code(left, x0, x1),
    code(right, x0, x1),
    code(Math.min(bottom, top), y0, y1),
    code(Math.max(bottom, top), y0, y1),
  ];
}
