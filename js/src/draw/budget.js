/** Chooses how many points a slice may hold. A weighted straight line through the slices seen, the older the lighter, tells what each
 * slice costs, whatever is in it, from what each point adds: a mean alone would make frames half as long
 * again where each slice has its price, see docs/decisions/0029. Pure. */
import { clamp } from "../screen/clamp.js";

/**
 * While a hand moves the picture, slices are short; soon after it may move again; at rest longer ones waste less, for each
 * picture of a page has its price. Never fewer points than `fewest`: a busy machine makes every slice slow, and more of
 * them would only make it slower.
 */
const PACES = {
  urgent: { targetMs: 30, fewest: 20_000 },
  soon: { targetMs: 250, fewest: 300_000 },
  rest: { targetMs: 500, fewest: 1_000_000 },
};
/** @typedef {keyof typeof PACES} Pace */
export const PACE_ORDER = /** @type {const} */ (["urgent", "soon", "rest"]);
/** A slice may be so many times as long as the longest one of late, or as FAMILIAR: a line goes wrong far from what was seen. */
const LEAP = 4;
const FAMILIAR = 250_000;
const KEPT = 0.85;
/** What is believed before anything is seen, and never quite forgotten. */
const BELIEF = { weight: 0.2, points: 100_000, fixedMs: 4 };
/** One stall is no law. */
const LONGEST_MS = 1_000;

/** @param {number} [rate] points a millisecond to begin with @param {Record<Pace, {targetMs: number, fewest: number}>} [paces] */
export function createBudget(rate = 2_000, paces = PACES) {
  const belief = [
    { weight: BELIEF.weight, x: 0, y: BELIEF.fixedMs },
    { weight: BELIEF.weight, x: BELIEF.points, y: BELIEF.fixedMs + BELIEF.points / rate },
  ];
  /** @type {{weight: number, x: number, y: number}[]} */
  let seen = [];

  /** @returns {{fixedMs: number, msPerPoint: number}} */
  function line() {
    const all = [...belief, ...seen];
    const weight = sum(all, () => 1);
    const [x, y] = [sum(all, (one) => one.x) / weight, sum(all, (one) => one.y) / weight];
    const slope = sum(all, (one) => (one.x - x) * (one.y - y)) / sum(all, (one) => (one.x - x) ** 2);
    // A slope below 0, or a line that begins below 0, is noise of few slices of like size.
    const msPerPoint = clamp(slope, 1e-7, y / Math.max(x, 1));
    return { fixedMs: Math.max(y - msPerPoint * x, 0), msPerPoint };
  }

  return {
    /** Points of the next slice. @param {Pace} pace @returns {number} */
    points(pace) {
      const { targetMs, fewest } = paces[pace];
      const { fixedMs, msPerPoint } = line();
      const tried = Math.max(...seen.map(({ x }) => x), FAMILIAR);
      return Math.round(clamp((targetMs - fixedMs) / msPerPoint, fewest, LEAP * tried));
    },
    /** Learn from a slice. @param {number} drawn points @param {number} ms until the GPU was done */
    record(drawn, ms) {
      if (drawn === 0) return;
      seen = seen.map((one) => ({ ...one, weight: one.weight * KEPT })).filter(({ weight }) => weight > 0.01);
      seen.push({ weight: 1, x: drawn, y: Math.min(ms, LONGEST_MS) });
    },
  };
}

/** @template {{weight: number}} T @param {T[]} all @param {(one: T) => number} value @returns {number} */
function sum(all, value) {
  return all.reduce((total, one) => total + one.weight * value(one), 0);
}
