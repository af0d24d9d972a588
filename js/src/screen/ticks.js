/** Ticks: round numbers along an axis, and their text. Pure. */
// Changes with cxg_widget/draw/pages/axes.py: ticks.
import { clamp } from "./clamp.js";

/** @typedef {{value: number, text: string}} Tick */

const STEPS = [1, 2, 5];
/** Numbers outside this range get an exponent, as in the legend. */
const LARGEST = 1e7;
const SMALLEST = 1e-3;

/**
 * Round numbers between two ends, as dense as the space allows.
 * @param {number} from @param {number} to either order @param {number} lengthPx of the axis between them
 * @param {(text: string) => number} roomPx width of a number with the space around it
 * @returns {Tick[]} ascending
 */
export function ticksBetween(from, to, lengthPx, roomPx) {
  const [lo, hi] = [Math.min(from, to), Math.max(from, to)];
  const perPx = (hi - lo) / lengthPx;
  if (!(perPx > 0) || !Number.isFinite(perPx)) return [];
  for (let step = stepAbove(perPx * roomPx("")); step <= hi - lo; step = stepAbove(step * 1.5)) {
    const ticks = multiples(step, lo, hi);
    if (ticks.every(({ text }) => roomPx(text) * perPx <= step)) return ticks;
  }
  return [];
}

/** The smallest of ..., 1, 2, 5, 10, ... that is at least `least`. @param {number} least @returns {number} */
export function stepAbove(least) {
  const power = Math.floor(Math.log10(least));
  const mantissa = least / 10 ** power;
  // The tolerance keeps a step that equals the minimum, despite rounding.
  const digit = STEPS.find((one) => one >= mantissa * (1 - 1e-9));
  return digit === undefined ? parse(1, power + 1) : parse(digit, power);
}

/** Parses the number from text, because a product with a power of ten is not always the nearest double.
 * @param {number} digit @param {number} power */
function parse(digit, power) {
  return Number(`${digit}e${power}`);
}

/** @param {number} step @param {number} lo @param {number} hi @returns {Tick[]} */
function multiples(step, lo, hi) {
  const [first, last] = [Math.ceil(lo / step), Math.floor(hi / step)];
  const most = Math.max(Math.abs(lo), Math.abs(hi));
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => {
    const value = (first + i) * step + 0; // never -0
    return { value, text: textOf(value, step, most) };
  });
}

/** Text of a number with enough digits to distinguish adjacent ticks. @param {number} value @param {number} step
 * @param {number} most largest absolute value on the axis
 * @returns {string} */
function textOf(value, step, most) {
  const power = Math.floor(Math.log10(step) + 1e-9);
  if (most < LARGEST && most >= SMALLEST) return formatOf(Math.max(0, -power)).format(value);
  if (value === 0) return "0";
  const digits = Math.floor(Math.log10(Math.abs(value)) + 1e-9) - power;
  return value.toExponential(clamp(digits, 0, 15)).replace("e+", "e");
}

/** @type {Map<number, Intl.NumberFormat>} */
const formats = new Map();

/** Caches formatters, because creating one takes longer than formatting. @param {number} digits after the point
 * @returns {Intl.NumberFormat} */
function formatOf(digits) {
  const known = formats.get(digits);
  if (known !== undefined) return known;
  const made = new Intl.NumberFormat("en-US", {
    minimumFractionDigits: Math.min(digits, 20),
    maximumFractionDigits: Math.min(digits, 20),
  });
  formats.set(digits, made);
  return made;
}
