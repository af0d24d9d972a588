/** Color scales: map numbers to a colormap, linear or logarithmic, with an optional center. The kernel uses the same
 * rules, see cxg_widget/color/scale.py and tests/scales.json. Pure. */
// Changes with cxg_widget/color/scale.py: where a number lies on the colormap.
// Changes with cxg_widget/color/scale.py: kinds of a scale of colors.
import { clamp } from "../screen/clamp.js";
import { codeOf, isBent, LEVELS, levelsOf, numberAt, tableOf, zeroCode } from "./levels.js";
import { resolveLimit } from "./limits.js";

/**
 * @typedef {import("../state/state.js").Coloring} Coloring
 * @typedef {Pick<import("../wire/constants.js").Settings, "vmin" | "vmax" | "center" | "scale" | "zero">} Rule
 *
 * @typedef {object} Scale maps numbers to a colormap
 * @property {number} low number at the first color
 * @property {number} high number at the last color
 * @property {number | null} center number at the middle color; null = halfway between low and high
 * @property {boolean} isLog logarithmic
 */

const LARGEST = Number.MAX_VALUE;

/** The color scale of a coloring: limits from the settings, else those that suit the picture, else the full range.
 * Ignores invalid settings: a limit without a logarithm or on the wrong side of the center.
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
  // If one limit is set, the other keeps its default, unless that would reverse the colors.
  if (low < high) return { low, high, center: null, isLog };
  const start = areSet[0] ? low : isLog ? first : lo;
  return { low: start, high: Math.max(start, areSet[1] ? high : hi), center: null, isLog };
}

/** A scale with the same reach on both sides of the center, unless both limits are set. @param {number} center
 * @param {number[]} found both limits
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

/** The transform of each kind of scale, and its inverse.
 * @type {Record<Rule["scale"], [(value: number) => number, (way: number) => number]>} */
export const WAYS = { linear: [(value) => value, (way) => way], log: [Math.log, Math.exp] };

/** The number at the middle color; null if it is halfway between the ends. @param {Scale} scale
 * @returns {number | null} */
export function middleOf({ low, high, center, isLog }) {
  // Roots before the product, because the product may overflow.
  return center ?? (isLog && low > 0 ? Math.sqrt(low) * Math.sqrt(high) : null);
}

/** First and last code that are drawn in the grey of zeros; none if the last is lower.
 * @param {Coloring} coloring @param {Pick<Rule, "scale" | "zero">} rule @returns {[number, number]} */
export function greyCodes(coloring, { scale, zero }) {
  const code = zeroCode(levelsOf(coloring));
  if (scale === "log") return [0, coloring.hi < 0 ? LEVELS : code];
  return zero === "grey" && code >= 0 ? [code, code] : [0, -1];
}

/** Creates the function from codes to positions on the colormap, 0 to 1. If both ends are equal, higher numbers get
 * the last color and all others the first, such as the zeros of a gene whose 99th percentile is 0.
 * @param {Coloring} coloring
 * @param {Omit<Rule, "zero">} rule
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
