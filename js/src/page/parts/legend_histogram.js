/** The geometry of the numeric legend: bars, gradient, and conversion between values and positions on the bar. Pure. */
import { valueAt as between, shareOf } from "../../style/levels.js";

/** Colors for a colormap without stops. */
const GREYS = ["#dddddd", "#222222"];

/** Minimum height of a bar, as a fraction of the box: one px. */
const SLIVER = 0.02;

/**
 * Scale of the bars. If the bar of zeros would flatten all others, as with most genes, it is truncated.
 * @param {ArrayLike<number>} counts cells of each bin @param {ArrayLike<number>} edges @param {number} nZeros
 * @returns {{most: number, cut: number}} most: the count that fills the height of the box; cut: the bin of
 *   zeros if it is higher, else -1
 */
export function cutOf(counts, edges, nZeros) {
  const all = Array.from(counts);
  const at = all.findIndex(
    (_, i) => edges[i] <= 0 && (edges[i + 1] > 0 || (i === all.length - 1 && edges[i + 1] === 0)),
  );
  const [most, others] = [all, all.filter((_, i) => i !== at)].map((some) => Math.max(0, ...some));
  const isCut = at >= 0 && others > 0 && all[at] > others && nZeros > all[at] / 2;
  return isCut ? { most: others, cut: at } : { most, cut: -1 };
}

/** Heights of bars, 0..1; a bar with any cells is visible. @param {ArrayLike<number>} counts
 * @param {number} most count that fills the height of the box
 * @param {boolean} [isRoot] by cube root @returns {number[]} */
export function barHeights(counts, most, isRoot = false) {
  const heightOf = (/** @type {number} */ share) =>
    Math.min(1, isRoot ? Math.max(2 * SLIVER, Math.cbrt(share)) : Math.max(SLIVER, share));
  return Array.from(counts, (count) => count && heightOf(count / most));
}

/** The bars as one SVG path in a box of n x 1, y down. @param {number[]} heights @returns {string} */
export function barPath(heights) {
  const bars = heights.map((height, i) => (height === 0 ? "" : `M${i} 1V${round(1 - height)}H${i + 1}V1Z`));
  return bars.join("");
}

/** Position of a value between lo and hi, clamped to 0..1. @param {number} value @param {number} lo
 * @param {number} hi @returns {number} */
export function placeOf(value, lo, hi) {
  if (!(hi > lo)) return value > hi ? 1 : 0;
  return Math.max(0, Math.min(1, shareOf(value, lo, hi)));
}

/** The value at a position 0..1 between lo and hi. @param {number} place @param {number} lo @param {number} hi
 * @returns {number} */
export function valueAt(place, lo, hi) {
  return between(Math.max(0, Math.min(1, place)), lo, hi);
}

/**
 * A CSS gradient over lo..hi whose colors span two positions.
 * @param {string[] | undefined} stops evenly spaced @param {number} [from] 0..1 @param {number} [to] 0..1 @param {number} [middle] of the colors
 * @returns {string}
 */
export function gradient(stops, from = 0, to = 1, middle = (from + to) / 2) {
  const colors = stops !== undefined && stops.length > 1 ? stops : GREYS;
  const steps = colors.map((color, i) => {
    const share = (2 * i) / (colors.length - 1);
    const place = share < 1 ? from + share * (middle - from) : middle + (share - 1) * (to - middle);
    return `${color} ${round(100 * place)}%`;
  });
  return `linear-gradient(to right, ${steps.join(", ")})`;
}

/**
 * The value to which a key moves a limit; null for other keys. An arrow key moves it by 1 % of the bar; Shift and an
 * arrow key, or a page key, by 10 %.
 * @param {string} key @param {boolean} shift @param {number} value @param {[number, number]} bar its two ends
 * @param {[number, number]} reach least and greatest value the limit may have @returns {number | null}
 */
export function valueAfterKey(key, shift, value, [lo, hi], [least, greatest]) {
  const page = hi / 10 - lo / 10;
  const step = shift ? page : page / 10;
  /** @type {Record<string, number>} */
  const targets = {
    ArrowRight: value + step,
    ArrowUp: value + step,
    ArrowLeft: value - step,
    ArrowDown: value - step,
    PageUp: value + page,
    PageDown: value - page,
    Home: least,
    End: greatest,
  };
  return key in targets ? Math.max(least, Math.min(greatest, targets[key])) : null;
}

/** @param {number} value */
function round(value) {
  return Math.round(value * 1000) / 1000;
}
