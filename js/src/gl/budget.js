/** How many points a slice may hold, learnt from how long the last ones took. Pure. */

/** While a hand moves the picture, slices are short; at rest longer ones waste less. Never fewer points than `fewest`: a busy
 * machine makes every slice slow, and more of them would only make it slower. */
const URGENT = { targetMs: 28, fewest: 20_000 };
const REST = { targetMs: 120, fewest: 160_000 };
const MOST = 50_000_000;

/** @param {number} [rate] points a millisecond to begin with */
export function createBudget(rate = 2_000) {
  return {
    /** Points of the next slice. @param {boolean} isUrgent @returns {number} */
    points(isUrgent) {
      const { targetMs, fewest } = isUrgent ? URGENT : REST;
      return Math.round(Math.min(Math.max(rate * targetMs, fewest), MOST));
    },
    /** Learn from a slice. @param {number} drawn points @param {number} ms until the GPU was done */
    record(drawn, ms) {
      const found = drawn / Math.max(ms, 1);
      const isTelling = drawn >= 0.5 * URGENT.targetMs * rate || (drawn >= URGENT.fewest && ms > REST.targetMs);
      if (isTelling) rate += 0.4 * (Math.min(found, 4 * rate) - rate);
    },
  };
}
