/** Draws how cells at 0 are distributed along that line if two columns are the axes: their points hide each other. */
// Changes with cxg_widget/draw/overlays/ties.py: cells at 0 of two columns.
// Changes with js/src/panels/overlays/overlay_notes.js: cells at 0 of two columns.
import { toPx } from "../../screen/camera.js";

/** @typedef {import("../../screen/camera.js").Camera} Camera */
/** @typedef {import("../../state/scene.js").Positions} Positions */

const LEVELS = 65_534;
const NOWHERE = 65_535;
/** Thickness of a bar, distance from the line, maximum length, and the least room to draw any bars. */
const [BIN_PX, GAP_PX, LONGEST_PX, LEAST_PX] = [3, 2, 30, 4];
const INK = 0.5;

/** Cache by points: the number loaded, and the positions of cells along each line.
 * @type {WeakMap<Positions, {loaded: number, along: [Uint16Array, Uint16Array]}>} */
const ALONG = new WeakMap();

/** Positions of cells along a line at 0, as codes.
 * @param {Positions} points @param {readonly number[]} extent x0, x1, y0, y1
 * @param {0 | 1} line the axis that is 0 @returns {Uint16Array} */
export function alongZero(points, extent, line) {
  const held = ALONG.get(points);
  if (held?.loaded === points.loaded) return held.along[line];
  const along = /** @type {[Uint16Array, Uint16Array]} */ ([0, 1].map((axis) => ofLine(points, extent, axis)));
  ALONG.set(points, { loaded: points.loaded, along });
  return along[line];
}

/** @param {Positions} points @param {readonly number[]} extent @param {number} axis */
function ofLine({ xy, loaded }, extent, axis) {
  const [lo, hi] = [extent[2 * axis], extent[2 * axis + 1]];
  const zero = Math.floor(((0 - lo) / (hi - lo || 1)) * LEVELS + 0.5);
  const found = [];
  for (let i = 0; i < loaded; i++) {
    const other = xy[2 * i + 1 - axis];
    if (xy[2 * i + axis] === zero && other !== NOWHERE) found.push(other);
  }
  return Uint16Array.from(found);
}

/** Length of each bar as a share of the longest. The bar at (0, 0) may exceed all others and is truncated.
 * @param {Uint16Array} along codes @param {number} from px at which code 0 lies @param {number} to px at which the last one lies
 * @param {number} length px @param {number} origin px at which (0, 0) lies @returns {Float64Array} of bins of 3 px */
export function profileOf(along, from, to, length, origin) {
  const bars = new Float64Array(Math.ceil(length / BIN_PX));
  for (const code of along) {
    const bin = Math.floor((from + (code / LEVELS) * (to - from)) / BIN_PX);
    if (bin >= 0 && bin < bars.length) bars[bin]++;
  }
  const cut = Math.floor(origin / BIN_PX);
  const most = bars.reduce((high, n, i) => (i === cut ? high : Math.max(high, n)), 0);
  return bars.map((n) => Math.min(n / (most || 1), 1));
}

/** @param {CanvasRenderingContext2D} context @param {Positions} points @param {readonly number[]} extent @param {0 | 1} line
 * @param {Camera} camera @param {import("../../style/point_style.js").Theme} theme */
export function paintProfile(context, points, extent, line, camera, { foreground }) {
  const [x0, x1, y0, y1] = extent;
  const [origin, low, high] = [toPx(camera, 0, 0), toPx(camera, x0, y0), toPx(camera, x1, y1)];
  const sides = [camera.width, camera.height];
  const [at, side, other] = [origin[line], sides[line], 1 - line];
  if (at < 0 || at > side) return;
  const away = Math.sign(high[line] - low[line]) * (Math.abs(at - low[line]) <= Math.abs(at - high[line]) ? -1 : 1);
  const room = (away < 0 ? at : side - at) - GAP_PX;
  if (room < LEAST_PX) return;
  const [start, reach] = [at + away * GAP_PX, away * Math.min(LONGEST_PX, room)];
  const along = alongZero(points, extent, line);
  const bars = profileOf(along, low[other], high[other], sides[other], origin[other]);
  context.fillStyle = `rgba(${foreground},${INK})`;
  bars.forEach((share, i) => {
    const bar = [Math.min(start, start + reach * share), Math.abs(reach * share)];
    const [x, width, y, height] = line === 0 ? [...bar, i * BIN_PX, BIN_PX] : [i * BIN_PX, BIN_PX, ...bar];
    if (share > 0) context.fillRect(x, y, width, height);
  });
}
