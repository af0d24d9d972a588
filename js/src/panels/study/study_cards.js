/** What the cards of a part show: of each row its values by sample, the scale, the test. Pure. */
import { shortNumber, wholeNumber } from "../../words/format.js";

/** @typedef {import("../../wire/protocol.js").StudyPart} StudyPart */

/**
 * @typedef {object} Sample of a study
 * @property {string} name as it is excluded
 * @property {string} sample value of the sample column
 * @property {number} condition
 * @property {string} pair "" = none
 * @property {number} n_cells cells within the population
 * @property {number} n_all cells of the dataset
 * @property {boolean} excluded
 * @property {(string | number | null)[]} covariates
 *
 * @typedef {object} Card
 * @property {string} name heading
 * @property {string} detail after the heading
 * @property {string} category whose cells the heading selects
 * @property {ArrayLike<number>} values by sample; NaN = none
 * @property {ArrayLike<number> | null} counts cells by sample
 * @property {[number, number]} domain
 * @property {string} unit after each number of the scale
 * @property {string[]} steps names of whole numbers, of a category; else empty
 * @property {string} effect unit of the effect
 * @property {number[]} test effect, statistic, p, p_adj, n_a and n_b of the chosen pair; [] = not tested at all
 */

const PERCENT = 100;
/** Categories whose number is not stated: most cards have room for their names. */
const MOST_NAMED = 6;

/** @param {StudyPart} part @returns {Sample[]} */
export const samplesOf = (part) => /** @type {Sample[]} */ (part.samples);

/** Cards of composition or expression, those with the largest effect first.
 * @param {StudyPart} part @param {number} pair index in `pairs` @param {string} whole heading of the row of all cells, where there are no types; "" = there are
 * @returns {Card[]} */
export function cardsOf(part, pair, whole) {
  const { arrays, rows, pairs } = part;
  const isShare = part.part === "composition";
  const nSamples = part.samples.length;
  const nPairs = pairs.length;
  const effect = part.is_log2 ? "log2" : "diff";
  const rowOf = (/** @type {Float32Array | Uint32Array} */ all, /** @type {number} */ i) =>
    all.subarray(i * nSamples, (i + 1) * nSamples);
  const testOf = (/** @type {number} */ i) =>
    nPairs === 0 || arrays.tests.length === 0
      ? []
      : Array.from({ length: 6 }, (_, k) => arrays.tests[(k * rows.length + i) * nPairs + pair]);
  const cards = rows.map(({ gene, category }, i) => {
    const values = isShare ? rowOf(arrays.values, i).map((one) => PERCENT * one) : rowOf(arrays.values, i);
    return {
      name: gene || whole || category,
      detail: gene === "" || whole !== "" ? "" : category,
      category: whole === "" ? category : "",
      values,
      counts: rowOf(arrays.counts, i),
      domain: domainOf(values, isShare),
      unit: isShare ? "\u00a0%" : "",
      steps: [],
      effect,
      test: testOf(i),
    };
  });
  const sizeOf = (/** @type {Card} */ { test }) => (Number.isNaN(test[0] ?? NaN) ? -1 : Math.abs(test[0]));
  return cards.sort((a, b) => sizeOf(b) - sizeOf(a));
}

/** Cards of covariates: a number on its scale, a category on a place of its own.
 * @param {StudyPart} part @returns {Card[]} */
export function covariateCards(part) {
  const samples = samplesOf(part);
  return part.columns.map(({ name, kind, categories }, i) => {
    const given = samples.map(({ covariates }) => covariates[i]);
    const isCategory = kind === "category";
    const values = Float64Array.from(given, (one) =>
      one === null ? NaN : isCategory ? categories.indexOf(one) : Number(one),
    );
    const domain = /** @type {[number, number]} */ (
      isCategory ? [-0.5, categories.length - 0.5] : domainOf(values, false)
    );
    const nMissing = given.filter((one) => one === null).length;
    const missing = nMissing === 0 ? [] : [`missing in ${wholeNumber(nMissing)}`];
    const n = categories.length;
    const detail = [...(n > MOST_NAMED ? [`${wholeNumber(n)} categories`] : []), ...missing].join(", ");
    return {
      name,
      detail,
      category: "",
      values,
      counts: null,
      domain,
      unit: "",
      steps: isCategory ? categories : [],
      effect: "",
      test: [],
    };
  });
}

/** @param {ArrayLike<number>} values @param {boolean} isShare whether the scale starts at 0
 * @returns {[number, number]} */
function domainOf(values, isShare) {
  const there = Array.from(values).filter(Number.isFinite);
  if (there.length === 0) return [0, 1];
  const [lo, hi] = [Math.min(...there), Math.max(...there)];
  if (isShare) return [0, hi * 1.04 || 1];
  const room = (hi - lo) * 0.04 || Math.abs(hi) * 0.04 || 1;
  return [lo - room, hi + room];
}

/** Two digits of a p-value. @param {number} p */
export const pText = (p) => (Number.isNaN(p) ? "–" : shortNumber(Number(p.toPrecision(2))));

/** "+0.52". @param {number} effect */
export const effectText = (effect) =>
  Number.isNaN(effect) ? "–" : `${effect < 0 ? "−" : "+"}${Math.abs(effect).toFixed(2)}`;

/** The test of a card in words. @param {Card} card @param {string} a @param {string} b */
export function describeTest({ test: [effect, statistic, p, adjusted, nA, nB], effect: unit }, a, b) {
  const n = `${wholeNumber(nA || 0)} and ${wholeNumber(nB || 0)} samples`;
  if (effect === undefined) return "";
  if (Number.isNaN(p)) return `${a} against ${b}: not tested, ${n}`;
  const side = effect > 0 ? `higher in ${a}` : effect < 0 ? `higher in ${b}` : "no difference";
  return `${a} against ${b}: ${unit === "log2" ? "log2 " : ""}difference ${effectText(effect)}, ${side}; statistic ${shortNumber(Number(statistic.toPrecision(3)))}, p ${pText(p)}, p_adj ${pText(adjusted)}; ${n}`;
}
