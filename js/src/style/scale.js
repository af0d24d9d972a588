/** Where numbers lie on a colormap: evenly or by logarithm, and around which number its middle is. The kernel has the same laws, see
 * cxg_widget/color/scale.py and tests/scales.json. Pure. */
// Changes with cxg_widget/color/scale.py: where a number lies on the colormap.
// Changes with cxg_widget/color/scale.py: kinds of a scale of colors.
import { clamp } from "../screen/clamp.js";
import { codeOf, isBent, LEVELS, levelsOf, numberAt, tableOf, zeroCode } from "./levels.js";
import { resolveLimit } from "./limits.js";

/**
 * @typedef {import("../state/state.js").Coloring} Coloring
 * @typedef {Pick<import("../wire/constants.js").Settings, "vmin" | "vmax" | "center" | "scale" | "zero">} Rule
 *
 * @typedef {object} Scale a colormap laid over numbers
 * @property {number} low at its first end
 * @property {number} high
 * @property {number | null} center in its middle; null = what lies half way
 * @property {boolean} isLog ways are those of logarithms
 */

const LARGEST = Number.MAX_VALUE;

/** The colormap over the numbers of a coloring as a user set it, else as suits the picture, else over all of them. What cannot be on
 * these numbers, a limit without a logarithm or on the wrong side of the centre, counts as not set.
 * @param {Coloring} coloring @param {Omit<Rule, "zero">} rule @returns {Scale} */
export function scaleOf(coloring, { vmin, vmax, center, scale }) {
  const { lo, hi, limits } = coloring;
  const isLog = scale === "log";
  const first = coloring.least ?? 0;
  const suiting = limits?.map((code) => numberAt(code, levelsOf(coloring))) ?? [lo, hi];
  const ends = isLog ? suiting.map((end) => Math.max(end, first)) : suiting;
  const found = [resolveLimit(vmin, coloring, ends[0]), resolveLimit(vmax, coloring, ends[1])];
  const [low, high] = isLog ? found.map((end, i) => (end > 0 ? end : ends[i])) : found;
  const areSet = [vmin !== null, vmax !== null];
  if (typeof center === "number" && (center > 0 || !isLog)) return around(center, [low, high], areSet, ends, scale);
  // What was set leaves the other end where it suits, unless that would turn the colors round.
  if (low < high) return { low, high, center: null, isLog };
  const start = areSet[0] ? low : isLog ? first : lo;
  return { low: start, high: Math.max(start, areSet[1] ? high : hi), center: null, isLog };
}

/** As wide on either side of the centre, but for limits that were both set. @param {number} center @param {number[]} found both limits
 * @param {boolean[]} areSet @param {number[]} suiting @param {Rule["scale"]} scale @returns {Scale} */
function around(center, [low, high], areSet, suiting, scale) {
  const isLog = scale === "log";
  const [hasLow, hasHigh] = [areSet[0] && low < center, areSet[1] && high > center];
  if (hasLow && hasHigh) return { low, high, center, isLog };
  const [to, from] = WAYS[scale];
  const ends = (hasLow ? [low] : hasHigh ? [high] : suiting).map((end) => Math.abs(to(end) - to(center)));
  const reach = Math.max(0, ...ends.filter(Number.isFinite));
  const [first, last] = [-reach, reach].map((way) => from(to(center) + way));
  return { low: Math.max(first, -LARGEST), high: Math.min(last, LARGEST), center, isLog };
}

/** What to put numbers through before they are laid on each scale, and the way back.
 * @type {Record<Rule["scale"], [(value: number) => number, (way: number) => number]>} */
export const WAYS = { linear: [(value) => value, (way) => way], log: [Math.log, Math.exp] };

/** The number in the middle of the colormap where that is not half way between its ends. @param {Scale} scale @returns {number | null} */
export function middleOf({ low, high, center, isLog }) {
  // Roots before the product, which may be infinite.
  return center ?? (isLog && low > 0 ? Math.sqrt(low) * Math.sqrt(high) : null);
}

/** The first and the last code that have the grey of zeros; none where the last lies below the first.
 * @param {Coloring} coloring @param {Pick<Rule, "scale" | "zero">} rule @returns {[number, number]} */
export function greyCodes(coloring, { scale, zero }) {
  const code = zeroCode(levelsOf(coloring));
  if (scale === "log") return [0, coloring.hi < 0 ? LEVELS : code];
  return zero === "grey" && code >= 0 ? [code, code] : [0, -1];
}

/** What tells where codes lie on the colormap, 0 to 1. Where both ends are one, what lies above has the last color and all else the
 * first, such as the zeros of a gene whose 99th percentile is 0. @param {Coloring} coloring @param {Omit<Rule, "zero">} rule
 * @returns {(code: number) => number} */
export function placesOf(coloring, rule) {
  const levels = levelsOf(coloring);
  const { low, high, center, isLog } = scaleOf(coloring, rule);
  const zero = zeroCode(levels);
  const numbers = isBent(levels) || isLog ? tableOf(levels) : null;
  const way = isLog ? Math.log : (/** @type {number} */ value) => (numbers ? value : codeOf(value, levels));
  const [start, middle, end] = [low, center ?? low, high].map(way);
  const nothing = way(0);
  const part = (/** @type {number} */ at, /** @type {number} */ from, /** @type {number} */ to) =>
    clamp((at - from) / (to - from), 0, 1);
  return (code) => {
    const at = numbers ? (isLog ? Math.log(numbers[code]) : numbers[code]) : code === zero ? nothing : code;
    if (start === end) return Number(at > start);
    if (center === null) return part(at, start, end);
    return at < middle ? part(at, start, middle) / 2 : 0.5 + part(at, middle, end) / 2;
  };
}
