/** Colour limits: numbers, percentiles like "p99", or nothing; in data units and as codes of the wire. Pure. */
import { MISSING } from "../wire/protocol.js";

/** @typedef {import("../state/state.js").Coloring} Coloring */

/** A colouring whose numbers are those of pixels, which are no cell's: a deviation, a sum. @param {Coloring} color @param {import("../wire/protocol.js").Image} image
 * @returns {Coloring} */
export function ofPixels(color, { statistic, scale: [lo, hi, low, high, least], arrays }) {
  const { histogram, quantiles, log_histogram: logHistogram } = arrays;
  /** @type {[number, number]} */
  const limits = [shareOf(low, lo, hi) * LEVELS, shareOf(high, lo, hi) * LEVELS];
  const numbers = { lo, hi, limits, least, histogram, logHistogram, quantiles };
  return { ...color, ...numbers, statistic, nZero: -1, nNegative: 0 };
}

/** Codes 0..LEVELS span the range of a coloring. */
const LEVELS = MISSING - 1;

/**
 * A limit as a number in data units.
 * @param {number | string | null} value number, percentile "p0".."p100" or null
 * @param {Coloring} coloring
 * @param {number} fallback where there is none
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
  return valueAt(quantiles[below] + (place - below) * (quantiles[above] - quantiles[below]), coloring.lo, coloring.hi);
}

/** Where a value lies, 0 at lo and 1 at hi. The difference of two numbers may be none. @param {number} value @param {number} lo @param {number} hi */
export function shareOf(value, lo, hi) {
  const unit = Number.isFinite(hi - lo) ? 1 : 0.5;
  return (value * unit - lo * unit) / (hi * unit - lo * unit || 1);
}

/** The value at a share of the way from lo to hi. @param {number} share @param {number} lo @param {number} hi */
export function valueAt(share, lo, hi) {
  return Number.isFinite(hi - lo) ? lo + share * (hi - lo) : lo * (1 - share) + hi * share;
}

/**
 * Read what was typed as a limit: a number, a percentile such as "p99", or null for nothing. undefined = neither.
 * @param {string} text @returns {number | string | null | undefined}
 */
export function readLimit(text) {
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
