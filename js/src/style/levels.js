/** Levels: the numbers that the codes 0..65534 represent, evenly over a range or with finer steps around a center.
 * The kernel uses the same rules, see cxg_widget/wire/levels.py and tests/levels.json. Pure. */
// Changes with cxg_widget/wire/levels.py: the number that a code stands for.
import { clamp } from "../screen/clamp.js";
import { memo } from "../state/memo.js";
import { MISSING } from "../wire/protocol.js";

/** @typedef {readonly number[]} Levels lo, hi: codes are even between them; lo, hi, center, width: in asinh((value - center) / width) */

export const LEVELS = MISSING - 1;

/** Position of a value, 0 at lo and 1 at hi. The difference hi - lo may overflow to infinity. @param {number} value
 * @param {number} lo @param {number} hi */
export function shareOf(value, lo, hi) {
  const unit = Number.isFinite(hi - lo) ? 1 : 0.5;
  return (value * unit - lo * unit) / (hi * unit - lo * unit || 1);
}

/** The value at a fraction of the way from lo to hi. @param {number} share @param {number} lo @param {number} hi */
export function valueAt(share, lo, hi) {
  return Number.isFinite(hi - lo) ? lo + share * (hi - lo) : lo * (1 - share) + hi * share;
}

/** @param {{lo: number, hi: number, levels?: Levels}} color @returns {Levels} */
export const levelsOf = ({ lo, hi, levels }) => (levels?.length ? levels : [lo, hi]);

/** True if steps between codes are finer around the center. @param {Levels} levels */
export const isBent = (levels) => levels.length > 2;

/** The code of a number, possibly fractional; bent levels clamp numbers outside of lo..hi.
 * @param {number} value @param {Levels} levels */
export function codeOf(value, levels) {
  const [lo, hi] = levels;
  if (!isBent(levels)) return shareOf(value, lo, hi) * LEVELS;
  const [low, high, way] = [lo, hi, value].map(wayOf(levels));
  return clamp((way - low) / (high - low), 0, 1) * LEVELS;
}

/** The number of a code, which may be fractional. @param {number} code @param {Levels} levels @returns {number} */
export function numberAt(code, levels) {
  const [lo, hi, center, width] = levels;
  if (!isBent(levels)) return valueAt(code / LEVELS, lo, hi);
  const [low, high] = [lo, hi].map(wayOf(levels));
  const way = low + (code / LEVELS) * (high - low);
  return clamp(center + width * Math.sinh(way), lo, hi);
}

/** The code reserved for 0; -1 if 0 lies outside lo..hi. @param {Levels} levels @returns {number} */
export function zeroCode(levels) {
  const [lo, hi] = levels;
  if (!(lo <= 0 && hi >= 0)) return -1;
  return clamp(Math.floor(codeOf(0, levels) + 0.5), +(lo < 0), LEVELS - +(hi > 0));
}

/** The code that shows a mean; only a mean of exactly 0 gets the code of 0.
 * @param {number} value @param {Levels} levels @param {number} zero code of 0, or -1 */
export function shownAt(value, levels, zero) {
  const code = codeOf(value, levels);
  if (zero < 0) return code;
  return value === 0 ? zero : value > 0 ? Math.max(code, zero + 1) : Math.min(code, zero - 1);
}

const kept = /** @type {ReturnType<typeof memo<Float64Array>>} */ (memo());

/** The number of each code, 0 exactly. @param {Levels} levels */
export const tableOf = (levels) =>
  kept([...levels], () => {
    const table = new Float64Array(MISSING).map((_, code) => numberAt(code, levels));
    table[zeroCode(levels)] = 0; // index -1 has no effect on a typed array
    return table;
  });

/** @param {Levels} levels @returns {(value: number) => number} */
const wayOf =
  ([, , center, width]) =>
  (value) =>
    Math.asinh((value - center) / width);
