/** How many points one frame may draw, learnt from how long the last ones took. Pure. */

const FEWEST = 4_000;
const MOST = 50_000_000;

/**
 * @param {number} [targetMs] GPU time of a slice
 * @param {number} [start] points of the first slice
 */
export function createBudget(targetMs = 30, start = 60_000) {
  let points = start;
  return {
    /** Points of the next slice. */
    get points() {
      return Math.round(points);
    },
    /** Learn from a slice. @param {number} drawn points @param {number} ms until the GPU was done */
    record(drawn, ms) {
      const isFull = drawn >= 0.7 * points;
      if (ms > targetMs) points *= Math.max(targetMs / ms, 0.4);
      else if (isFull) points *= Math.min(targetMs / Math.max(ms, 1), 1.5);
      points = Math.min(Math.max(points, FEWEST), MOST);
    },
  };
}
