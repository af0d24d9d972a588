/** Chooses how many points the next slice draws. A straight line, fitted to the past slices with less weight for
 * older ones, separates the fixed cost of a slice from the cost per point. A mean alone would make frames 1.5 times
 * as long where each slice has a fixed cost, see docs/decisions/0029. Pure. */
import { clamp } from "../screen/clamp.js";

/**
 * Duration of a slice. Slices are short while the user moves the picture, and longer soon after, when it may move
 * again. At rest long slices waste less, because each picture has a fixed cost. A slice never has fewer points than
 * `fewest`: on a busy machine every slice is slow, and more slices would make it slower still.
 */
const PACES = {
  urgent: { targetMs: 30, fewest: 20_000 },
  soon: { targetMs: 250, fewest: 300_000 },
  rest: { targetMs: 500, fewest: 1_000_000 },
};
/** @typedef {keyof typeof PACES} Pace */
export const PACE_ORDER = /** @type {const} */ (["urgent", "soon", "rest"]);
/** A slice has at most this many times the points of the largest recent slice (at least FAMILIAR): a fitted line is
 * unreliable far from its data. */
const LEAP = 4;
const FAMILIAR = 250_000;
/** Each new slice multiplies the weights of the older ones by this. */
const KEPT = 0.85;
/** Prior of the fit: it decides before the first slice, and keeps a small weight after. */
const BELIEF = { weight: 0.2, points: 100_000, fixedMs: 4 };
/** Caps the time of a slice, so that one stall does not spoil the fit. */
const LONGEST_MS = 1_000;

/** @param {number} [rate] points per millisecond, at first
 * @param {Record<Pace, {targetMs: number, fewest: number}>} [paces] */
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
    // A negative slope or intercept is noise: the few slices are too similar in size.
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
    /** Adds a slice to the fit. @param {number} drawn points @param {number} ms until the GPU finished */
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
