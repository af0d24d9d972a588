/** Texts of a saved page: the tooltip, as in cxg_widget/display/hover.py and session/pointer.py, and a note on
 * rounded colors. Pure. */
// Changes with cxg_widget/display/hover.py: what the tooltip says.
// Changes with cxg_widget/session/pointer.py: what the tooltip says of many cells.
import { codeOf, levelsOf, numberAt, zeroCode } from "../style/levels.js";
import { WAYS } from "../style/scale.js";
import { EMPTY_LABEL, FINEST_SHARE, LONGEST_LABEL, MOST_IN_CROWD } from "../wire/constants.js";
import { MISSING } from "../wire/protocol.js";
import { share, shortNumber, wholeNumber } from "../words/format.js";
import { missingLabel } from "../words/missing.js";

/** @typedef {Pick<import("../wire/protocol.js").Color, "spec" | "name" | "scale" | "categories" | "lo" | "hi" | "levels">} Legend */

/** The number of a code; NaN = missing. @param {number} code @param {Legend} legend @returns {number} */
export function numberOf(code, legend) {
  if (code === MISSING) return Number.NaN;
  const levels = levelsOf(legend);
  return code === zeroCode(levels) ? 0 : numberAt(code, levels);
}

/** The value that colors a cell, as text. @param {number} code @param {Legend} legend @param {boolean} isInt
 * @returns {string} "" without a coloring */
export function valueText(code, legend, isInt) {
  const { scale, categories } = legend;
  const levels = levelsOf(legend);
  if (scale === "none") return "";
  if (scale === "categorical") return categories.length === 0 ? "" : (categories[code] ?? missingLabel(legend));
  const number = numberOf(code, legend);
  return Number.isNaN(number)
    ? missingLabel(legend)
    : written(number, numberAt(code + 0.5, levels) - numberAt(code - 0.5, levels), isInt);
}

/** A number with no more digits than the precision of its code. @param {number} number
 * @param {number} step from one code to the next @param {boolean} isInt */
function written(number, step, isInt) {
  if (isInt && step < 0.5) return String(Math.round(number));
  const place = step > 0 ? 10 ** Math.ceil(Math.log10(step)) : 0;
  const known = place > 0 ? Math.round(number / place) * place : number;
  return Math.abs(known) < 1e5 ? String(Number(known.toPrecision(5))) : wholeNumber(known);
}

/** The largest categories of many cells, or statistics of their numbers.
 * @param {ArrayLike<number>} codes of these cells @param {Legend} legend
 * @returns {[string, string][]} */
export function describeMany(codes, legend) {
  const n = codes.length;
  if (legend.scale === "continuous") return describeNumbers(codes, legend);
  if (legend.scale === "none" || legend.categories.length === 0) return [];
  const { categories } = legend;
  const counts = new Array(categories.length + 1).fill(0);
  for (let i = 0; i < n; i++) counts[Math.min(codes[i], categories.length)]++;
  const order = [...counts.keys()].filter((code) => counts[code] > 0).sort((a, b) => counts[b] - counts[a] || a - b);
  const rest = order.slice(MOST_IN_CROWD);
  /** @type {[string, string][]} */
  const texts = order
    .slice(0, MOST_IN_CROWD)
    .map((code) => [inALine(categories[code] ?? missingLabel(legend)), share(counts[code], n)]);
  const others = rest.reduce((sum, code) => sum + counts[code], 0);
  return rest.length > 0 ? [...texts, [`${rest.length} more`, share(others, n)]] : texts;
}

/** @param {ArrayLike<number>} codes @param {Legend} legend @returns {[string, string][]} */
function describeNumbers(codes, legend) {
  const numbers = Array.from(codes, (code) => numberOf(code, legend)).filter((one) => !Number.isNaN(one));
  const nMissing = codes.length - numbers.length;
  const mean = numbers.reduce((sum, one) => sum + one / numbers.length, 0);
  const nAbove = numbers.filter((one) => one > 0).length;
  /** @type {[string, string][]} */
  const texts = [[`mean of ${legend.name}`, numbers.length > 0 ? shortNumber(mean) : missingLabel(legend)]];
  if (!legend.spec.startsWith("obs:") && nAbove > 0 && nAbove < numbers.length)
    texts.push(["above 0", share(nAbove, numbers.length)]);
  if (nMissing > 0) texts.push([missingLabel(legend), share(nMissing, codes.length)]);
  return texts;
}

/** @param {string} label @returns {string} */
function inALine(label) {
  const line = label.split(/\s+/).filter(Boolean).join(" ") || EMPTY_LABEL;
  return line.length <= LONGEST_LABEL ? line : `${line.slice(0, LONGEST_LABEL - 1)}…`;
}

/** A note if codes are too coarse for the color limits.
 * @param {Legend} legend @param {Record<string, any>} settings @returns {string} "" if they are fine enough */
export function describeRounding(legend, { vmin, vmax, scale }) {
  if (legend.scale !== "continuous") return "";
  const levels = levelsOf(legend);
  const [low, high] = [vmin ?? legend.lo, vmax ?? legend.hi];
  const [way] = WAYS[/** @type {keyof typeof WAYS} */ (scale)];
  const span = way(high) - way(low);
  if (typeof low !== "number" || typeof high !== "number" || !(span > 0 && span < Infinity)) return "";
  const steps = [codeOf(low, levels), codeOf(high, levels) - 1].map(
    (code) => (way(numberAt(code + 1, levels)) - way(numberAt(code, levels))) / span,
  );
  const n = Math.max(1, Math.round(1 / Math.max(...steps)));
  if (n * FINEST_SHARE * 2 >= 1) return "";
  const ends = `${shortNumber(low)} and ${shortNumber(high)}`;
  return `Colors between ${ends} round to ${n === 1 ? "1 step" : `${n} steps`}: this file holds no finer numbers. Set the limits before you save it.`;
}
