/** Colour limits: numbers, percentiles like "p99", or nothing; in data units and as codes of the wire. Pure. */
import { MISSING } from "./protocol.js";

/** @typedef {import("./state.js").Coloring} Coloring */

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
  return coloring.lo + quantiles[below] + (place - below) * (quantiles[above] - quantiles[below]);
}

/**
 * Both limits as codes, which may lie outside 0..65534. Where they are equal, what is above them has the highest colour
 * and all else the lowest, such as the zeros of a gene whose 99th percentile is 0; the upper one is never below the lower one.
 * @param {Coloring} coloring
 * @param {{vmin: number | string | null, vmax: number | string | null}} traits
 * @returns {[number, number]}
 */
export function limitCodes(coloring, { vmin, vmax }) {
  const { lo, hi } = coloring;
  const span = hi - lo || 1;
  const code = (/** @type {number} */ value) => ((value - lo) / span) * LEVELS;
  const [low, high] = limitsShown(coloring, { vmin, vmax });
  return [code(low), code(high)];
}

/**
 * Both limits in data units: those that were set, else those that suit the picture on show, else the ends of the data.
 * @param {Coloring} coloring
 * @param {{vmin: number | string | null, vmax: number | string | null}} traits
 * @returns {[number, number]}
 */
export function limitsShown(coloring, { vmin, vmax }) {
  const { lo, hi } = coloring;
  const [least, most] = (coloring.limits ?? [0, LEVELS]).map((code) => lo + (code / LEVELS) * (hi - lo));
  const low = resolveLimit(vmin, coloring, least);
  const high = resolveLimit(vmax, coloring, most);
  // What was set leaves the other end where it suits, unless that would turn the colours round.
  if (low < high) return [low, high];
  const start = vmin === null ? lo : low;
  return [start, Math.max(start, vmax === null ? hi : high)];
}
