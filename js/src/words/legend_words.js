/** The text of the legend, as in cxg_widget/draw/pages/legend_words.py. Pure. */
// Changes with cxg_widget/draw/pages/legend_words.py: the words of a key.
// Changes with cxg_widget/color/scale.py: kinds of a scale of colors.
// Changes with js/src/page/parts/legend_numbers.js: words where a scale has no values.
// Changes with cxg_widget/draw/points/crowding.py: words for what a pixel shows.
import { countPassing, nSelectedPassing } from "../state/counts.js";
import { nShown } from "../state/hidden.js";
import { safeColor, toHex } from "../style/color.js";
import { colorsOn, stopsOf } from "../style/point_style.js";
import { middleOf, scaleOf } from "../style/scale.js";
import { EMPTY_LABEL, LEFT_OUT_GREY, MOST_KEY_ROWS, ZERO_GREY } from "../wire/constants.js";
import { LEFT_OUT_LABEL, MISSING_LABEL } from "../wire/protocol.js";
import { counted, share, shortCount, shortNumber, wholeNumber } from "./format.js";
import { missingLabel } from "./missing.js";
import { capitalized, nounsOf } from "./nouns.js";

/** @typedef {import("../state/state.js").Coloring} Coloring */

/**
 * @typedef {object} Key the legend beside a picture, as final texts
 * @property {string} title of the dataset
 * @property {string} size numbers of all, shown and selected cells, and of selected cells that pass the filters
 * @property {string} heading name of the coloring
 * @property {string} detail
 * @property {[string, string, string][]} rows label, count (of cells that pass the filters) and color of each shown
 *   category; then of missing values, with "" for a color, and of cells that the filters exclude
 * @property {number} more number of shown categories without a row
 * @property {string[]} ramp colors of the color bar, low to high; empty if there is none
 * @property {[string, string]} ends the two limits of the bar
 * @property {string} middle the number at its middle, if it is not halfway between the limits
 * @property {string} sentence text in place of a bar
 */

/** An empty legend, with only a title and a size to add. @type {Omit<Key, "title" | "size">} */
export const NO_KEY = {
  heading: "",
  detail: "",
  rows: [],
  more: 0,
  ramp: [],
  ends: ["", ""],
  middle: "",
  sentence: "",
};

/** The largest categories, at most `most`: largest first, or in their own order if it is meaningful.
 * @param {Pick<Coloring, "counts" | "ordered">} color @param {number[]} shown @param {number} most @returns {number[]} */
export function largestOf({ counts, ordered }, shown, most) {
  const found = [...shown].sort((a, b) => (counts[b] ?? 0) - (counts[a] ?? 0) || a - b).slice(0, most);
  return ordered ? found.sort((a, b) => a - b) : found;
}

/** @param {import("../state/state.js").State} state @param {boolean} [dark] whether the picture is dark
 * @returns {Key} */
export function keyOf(state, dark = false) {
  const { dataset, traits } = state;
  const color = state.color && countPassing(state, state.color);
  const hidden = new Set(traits.hidden);
  /** @type {Key} */
  const key = { ...NO_KEY, title: dataset?.title ?? "", size: sizeOf(state) };
  const leftOut = leftOutOf(state, dark);
  if (color === null || color.scale === "none")
    return leftOut.length === 0 ? key : { ...key, heading: capitalized(nounsOf(state).obs.many), rows: leftOut };
  const { name: heading, detail, categories, counts, lo, hi, nMissing } = color;
  const named = { ...key, heading, detail };
  /** @type {Key["rows"]} */
  const missing = nMissing > 0 ? [[missingLabel(color), shortCount(nMissing), ""]] : [];
  if (color.scale === "categorical") {
    const shown = [...categories.keys()].filter((i) => !hidden.has(categories[i]));
    const few = shown.length <= MOST_KEY_ROWS ? shown : largestOf(color, shown, MOST_KEY_ROWS);
    /** @type {Key["rows"]} */
    const rows = few.map((i) => [
      categories[i] || EMPTY_LABEL,
      counts[i] === undefined ? "" : shortCount(counts[i]),
      safeColor(color.colors[i]),
    ]);
    return {
      ...named,
      rows: [...rows, ...cornersOf(color, dark), ...(hidden.has(MISSING_LABEL) ? [] : missing), ...leftOut],
      more: shown.length - few.length,
    };
  }
  const others = [...missing, ...leftOut];
  if (/** @type {Coloring} */ (state.color).nMissing >= color.nObs)
    return { ...named, rows: others, sentence: "No values." };
  if (lo === hi) return { ...named, rows: others, sentence: `All values are ${shortNumber(lo)}.` };
  const scale = scaleOf(color, traits);
  const detailNow = [detail, statisticOf(state), scale.isLog ? "log scale" : ""].filter(Boolean).join(" · ");
  const rows = [...zerosOf(color, traits, dark), ...others];
  if (scale.isLog && hi <= 0) return { ...named, detail: detailNow, rows, sentence: "No values above 0." };
  const middle = middleOf(scale);
  return {
    ...named,
    detail: detailNow,
    rows,
    ramp: stopsOf(traits.cmap, dark),
    ends: endsOf(scale.low, scale.high, scale.isLog ? color.least : lo, hi),
    middle: middle === null ? "" : shortNumber(middle),
  };
}

/** Rows of several genes, each with its own hue, and of their mixes. @param {Coloring} color @param {boolean} dark
 * @returns {Key["rows"]} */
export const cornersOf = (color, dark) =>
  (color.corners ?? []).map(([name, limits, code]) => [name, limits, safeColor(colorsOn(color, dark)[code])]);

/** The row of numbers drawn in the grey of zeros, if there are any. @param {Coloring} color
 * @param {import("../state/state.js").Traits} traits @param {boolean} dark @returns {Key["rows"]} */
export function zerosOf({ lo, nZero, nNegative, nObs }, { scale, zero }, dark) {
  const isLog = scale === "log";
  const n = nZero + (isLog ? nNegative : 0);
  if (!(isLog || zero === "grey") || n === 0) return [];
  return [[isLog && lo < 0 ? "≤ 0" : "0", n > 0 ? share(n, nObs) : "", toHex(ZERO_GREY[dark ? "dark" : "light"])]];
}

/** The row of cells that the filters exclude, if they are drawn. @param {import("../state/state.js").State} state
 * @param {boolean} dark
 * @returns {Key["rows"]} */
function leftOutOf(state, dark) {
  const nObs = state.dataset?.nObs ?? 0;
  const n = nObs - nShown(state, nObs);
  if (state.traits.filtered !== "grey" || n === 0) return [];
  return [[LEFT_OUT_LABEL, shortCount(n), toHex(LEFT_OUT_GREY[dark ? "dark" : "light"])]];
}

/** Name of the statistic that a pixel with several cells shows; "" if each cell shows its own number.
 * @param {import("../state/state.js").State} state @returns {string} */
function statisticOf({ color, crowd: { weight, behind } }) {
  if (color?.statistic) return `${color.statistic} per pixel`;
  if (weight < 1) return weight > 0 ? "mean to maximum per pixel" : "mean per pixel";
  return behind > 1 ? "maximum per pixel" : "";
}

/** Both limits, with "≤" or "≥" if the color at that end also represents values beyond it.
 * @param {number} low @param {number} high @param {number} lo @param {number} hi @returns {[string, string]} */
function endsOf(low, high, lo, hi) {
  const beyond = low === high ? "> " : "≥ ";
  return [(low > lo ? "≤ " : "") + shortNumber(low), (high < hi ? beyond : "") + shortNumber(high)];
}

/** @param {import("../state/state.js").State} state @returns {string} */
function sizeOf(state) {
  const { dataset, selection } = state;
  if (dataset === null) return "";
  const { nObs } = dataset;
  const total = counted(nObs, nounsOf({ dataset }).obs);
  const n = nShown(state, nObs);
  const shown = n === nObs ? "" : wholeNumber(n);
  if (selection.n === 0) return (shown && `${shown} of ${total} shown`) || total;
  const nPassing = nSelectedPassing(state);
  const selected = nPassing === null ? ` · ${share(selection.n, nObs)}` : `, ${wholeNumber(nPassing)} pass`;
  return `${wholeNumber(selection.n)} of ${total} selected${selected}${shown && `, ${shown} shown`}`;
}

/** The legend as lines of text. @param {Key} key @returns {string[]} */
export function linesOf({ title, size, heading, detail, rows, more, ramp, ends, middle, sentence }) {
  const named = (detail && `${heading} (${detail})`) || heading;
  const bar = (ramp.length > 0 ? ends.join(" to ") : sentence) + (middle && `, ${middle} in the middle`);
  const texts = rows.map(([label, count]) => (count && `${label}: ${count}`) || label);
  return [title, size, named, bar, ...texts, more > 0 ? `and ${wholeNumber(more)} more` : ""].filter(
    (line) => line !== "",
  );
}
