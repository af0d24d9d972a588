/** A shape with few corners, for requests that follow a drag. Pure. */

/** Most corners of a shape that moves: an estimate needs no more, and a long lasso has thousands. */
export const MOST_CORNERS = 128;

/** @param {number[]} corners x and y alternating @returns {number[]} evenly chosen ones of them, float32 */
export function thinned(corners) {
  const n = corners.length / 2;
  const m = Math.min(n, MOST_CORNERS);
  const some = Array.from({ length: m }, (_, i) => Math.floor((i * n) / m));
  return some.flatMap((i) => [corners[2 * i], corners[2 * i + 1]]).map((one) => Number(one.toPrecision(6)));
}
