/** Finds cells in a circle around the pointer, of positions as codes. Pure. */

import { MISSING } from "../wire/protocol.js";

const LEVELS = MISSING - 1;

/**
 * The nearest of the points in an ellipse that count, and all of them.
 * @param {Uint16Array} xy codes over `extent` @param {readonly number[]} extent x0, x1, y0, y1
 * @param {{x: number, y: number, radius_x: number, radius_y: number}} at data units
 * @param {(point: number) => boolean} counts
 * @returns {{nearest: number, all: number[]}} nearest: -1 = there is none
 */
export function pointsIn(xy, [x0, x1, y0, y1], { x, y, radius_x, radius_y }, counts) {
  const [perX, perY] = [LEVELS / (x1 - x0 || 1), LEVELS / (y1 - y0 || 1)];
  const [cx, cy] = [(x - x0) * perX, (y - y0) * perY];
  const [rx, ry] = [radius_x * perX, radius_y * perY];
  let [nearest, least] = [-1, Number.POSITIVE_INFINITY];
  /** @type {number[]} */
  const all = [];
  for (let i = 0; i < xy.length / 2; i++) {
    const dx = xy[2 * i] - cx;
    if (dx > rx || dx < -rx) continue;
    const dy = xy[2 * i + 1] - cy;
    if (dy > ry || dy < -ry || xy[2 * i] === MISSING || xy[2 * i + 1] === MISSING) continue;
    const distance = (dx / rx) ** 2 + (dy / ry) ** 2;
    if (distance > 1 || !counts(i)) continue;
    all.push(i);
    if (distance < least) [nearest, least] = [i, distance];
  }
  return { nearest, all };
}

/** Where a point is, data units. @param {Uint16Array} xy @param {readonly number[]} extent @param {number} i @returns {[number, number] | null} */
export function placeOf(xy, [x0, x1, y0, y1], i) {
  const [x, y] = [xy[2 * i], xy[2 * i + 1]];
  if (x === MISSING || y === MISSING) return null;
  return [x0 + (x / LEVELS) * (x1 - x0), y0 + (y / LEVELS) * (y1 - y0)];
}
