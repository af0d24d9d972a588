/** Positions of genes in the volcano plot, in CSS px, and the gene nearest to a point. Pure. */
import { contain, toData, toPx } from "../../screen/camera.js";
import { axesOf } from "./gene_order.js";

/** @typedef {import("./result.js").Found} Found */
/** @typedef {import("../../screen/camera.js").Camera} Camera */

/** Limit of the fold change axis. Beyond it one mean is almost 0, and the offset of 1e-9 sets the value. */
const FARTHEST_FOLD = 16;
/** Margin around the data, as a share of its range. */
const ROOM = 0.05;
const NEAR_PX = 8;

/**
 * @typedef {object} Placed
 * @property {Camera} camera of the field without the axis margins
 * @property {Float32Array} x CSS px from the left of the field; NaN = not drawn
 * @property {Float32Array} y CSS px from its top
 * @property {number} nBeyond number of genes off scale, drawn on the edges
 */

/** @param {Found} found @param {number} width CSS px of the field @param {number} height
 * @param {{fold: number | null, p: number | null}} cuts lines that must be in view
 * @returns {Placed} */
export function placed(found, width, height, cuts) {
  const { x: along, y: log10 } = axesOf(found);
  const farthest = found.hasFold ? FARTHEST_FOLD : Infinity;
  let [wide, high] = [
    found.hasFold ? Math.min(cuts.fold ?? 0, farthest) : 0,
    cuts.p === null ? 0 : -Math.log10(cuts.p),
  ];
  for (let i = 0; i < found.n; i++) {
    const [across, up] = [Math.abs(along[i]), -log10[i]];
    if (across <= farthest && across !== Infinity) wide = Math.max(wide, across);
    if (up < Infinity) high = Math.max(high, up);
  }
  [wide, high] = [(wide || 1) * (1 + ROOM), (high || 1) * (1 + ROOM)];
  const camera = contain([-wide, wide, -high * 0.025, high], width, height, false, false);
  const [x, y] = [new Float32Array(found.n), new Float32Array(found.n)];
  let nBeyond = 0;
  for (let i = 0; i < found.n; i++) {
    const [px, py] = toPx(camera, clamped(along[i], wide), Math.min(-log10[i], high));
    [x[i], y[i]] = [px, py];
    if (Math.abs(along[i]) > wide || -log10[i] > high) nBeyond++;
  }
  return { camera, x, y, nBeyond };
}

/** @param {number} value @param {number} most largest absolute value */
function clamped(value, most) {
  return Math.max(-most, Math.min(most, value));
}

/** The gene nearest to a point; listed genes take precedence; -1 = none within reach.
 * @param {Placed} there @param {Uint8Array} keep
 * @param {number} px @param {number} py @returns {number} */
export function nearest({ x, y }, keep, px, py) {
  const best = [-1, -1];
  const least = [NEAR_PX ** 2, NEAR_PX ** 2];
  for (let i = 0; i < x.length; i++) {
    const away = (x[i] - px) ** 2 + (y[i] - py) ** 2;
    if (away < least[keep[i]]) [least[keep[i]], best[keep[i]]] = [away, i];
  }
  return best[1] >= 0 ? best[1] : best[0];
}

/** Convert a rectangle to data units. At an edge of the field it includes the genes off scale. @param {Placed} there
 * @param {[number, number]} from CSS px @param {[number, number]} to @returns {import("./gene_order.js").Box} */
export function boxOf({ camera }, from, to) {
  const within = (/** @type {[number, number]} */ [px, py]) => [
    Math.max(0, Math.min(camera.width, px)),
    Math.max(0, Math.min(camera.height, py)),
  ];
  const corners = [from, to].map(within);
  const [[x0, y0], [x1, y1]] = corners.map(([px, py]) => toData(camera, px, py));
  const [left, right] = corners.map(([px]) => px).sort((a, b) => a - b);
  const top = Math.min(corners[0][1], corners[1][1]);
  return [
    left <= 0 ? -Infinity : Math.min(x0, x1),
    right >= camera.width ? Infinity : Math.max(x0, x1),
    Math.min(y0, y1),
    top <= 0 ? Infinity : Math.max(y0, y1),
  ];
}

/** A box in CSS px, as drawn.
 * @param {Camera} camera @param {import("./gene_order.js").Box} box
 * @returns {[number, number, number, number]} left, top, width, height */
export function boxPx(camera, [x0, x1, y0, y1]) {
  const [left, bottom] = toPx(camera, x0, y0);
  const [right, top] = toPx(camera, x1, y1);
  const [l, r] = [Math.max(0, left), Math.min(camera.width, right)];
  const [t, b] = [Math.max(0, top), Math.min(camera.height, bottom)];
  return [l, t, r - l, b - t];
}
