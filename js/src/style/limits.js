/** Color limits: numbers, percentiles like "p99", or null; converts them to data units. Pure. */
// Changes with cxg_widget/color/limits.py: limits as users type them.
import { codeOf, LEVELS, levelsOf, numberAt, valueAt } from "./levels.js";

/** @typedef {import("../state/state.js").Coloring} Coloring */

/** A coloring whose numbers describe pixels and not cells, such as a standard deviation or a sum.
 * @param {Coloring} color @param {import("../wire/protocol.js").Image} image @returns {Coloring} */
export function ofPixels(color, { statistic, scale: [lo, hi, low, high, least], levels, arrays }) {
  const { histogram, quantiles, log_histogram: logHistogram } = arrays;
  const limits = /** @type {[number, number]} */ ([low, high].map((one) => codeOf(one, levels)));
  const numbers = { lo, hi, levels, limits, least, histogram, logHistogram, quantiles };
  return { ...color, ...numbers, statistic, nZero: -1, nNegative: 0 };
}

/**
 * Converts a limit to a number in data units.
 * @param {number | string | null} value number, percentile "p0".."p100" or null
 * @param {Coloring} coloring
 * @param {number} fallback if the limit is null or invalid
 * @returns {number}
 */
export function resolveLimit(value, coloring, fallback) {
  if (value === null || value === undefined) return fallback;
  if (typeof value === "number") return value;
  if (coloring.hi <= coloring.lo) return fallback;
  const { quantiles } = coloring;
  const percent = Number(value.slice(1));
  if (value[0] !== "p" || !(percent >= 0 && percent <= 100) || quantiles.length === 0) return fallback;
  const place = (percent / 100) * (quantiles.length - 1);
  const below = Math.floor(place);
  const above = Math.min(below + 1, quantiles.length - 1);
  const levels = levelsOf(coloring);
  const [low, high] = [below, above].map((at) => numberAt(quantiles[at] * LEVELS, levels));
  return valueAt(place - below, low, high);
}

/**
 * Parses a typed limit: a number, a percentile such as "p99", or null for empty text. undefined = invalid.
 * @param {string} text @returns {number | string | null | undefined}
 */
export function readLimit(text) {
  // Accepts pasted numbers with a typographic minus or thousands separators.
  const typed = text
    .trim()
    .replace(/\u2212/g, "-")
    .replace(/(\d),(?=\d{3}\b)/g, "$1");
  if (typed === "") return null;
  const percentile = /^p\s*(\d+(?:\.\d+)?)$/i.exec(typed) ?? /^(\d+(?:\.\d+)?)\s*%$/.exec(typed);
  if (percentile !== null) return Number(percentile[1]) <= 100 ? `p${Number(percentile[1])}` : undefined;
  const value = Number(typed);
  return Number.isFinite(value) ? value : undefined;
}
