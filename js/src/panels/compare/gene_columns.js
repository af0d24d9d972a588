/** Columns of the gene table: names, descriptions and number formats. Pure. */
// Changes with cxg_widget/session/analysis/comparison_frames.py: numbers of a compared gene.
// Changes with cxg_widget/compare/moments.py: what a share counts.
import { shortNumber, wholeNumber } from "../../words/format.js";

/** @typedef {import("./result.js").Found} Found */
/** @typedef {keyof Found["columns"]} Key */
/** @typedef {{name: string, key: Key, text: (value: number) => string, detail: (a: string, b: string) => string,
 *   px: number}} Column name: as in Python; key: the values to sort by */

const NONE = "–";

/** Format a number; NaN is "–". @param {number} value */
function number(value) {
  if (Number.isNaN(value)) return NONE;
  return Number.isFinite(value) ? shortNumber(value) : value > 0 ? "∞" : "−∞";
}

/** Format a share as a percentage. @param {number} value 0 to 1 */
function part(value) {
  return Number.isNaN(value) ? NONE : `${(100 * value).toFixed(value > 0 && value < 0.0995 ? 1 : 0)}\u00a0%`;
}

/** Format a p-value: "0.031", "3.2e-400". Takes its logarithm, because a double cannot hold a p below 5e-324.
 * @param {number} log10 @returns {string} */
export function chance(log10) {
  if (Number.isNaN(log10)) return NONE;
  if (log10 === -Infinity) return "0";
  if (log10 >= -3) return String(Number((10 ** log10).toPrecision(3)));
  const power = Math.floor(log10);
  const digits = (10 ** (log10 - power)).toFixed(1);
  return digits === "10.0" ? `1.0e${power + 1}` : `${digits}e${power}`;
}

/** All columns, in display order. @type {Record<Key, Omit<Column, "key">>} */
const BY_KEY = {
  log2fc: {
    name: "log2fc",
    text: number,
    detail: (a, b) => `log2 fold change: above 0 means higher in ${a} than in ${b}`,
    px: 70,
  },
  log10_p_adj: { name: "p_adj", text: chance, detail: () => "p-value adjusted for multiple testing", px: 88 },
  share_a: { name: "share_a", text: part, detail: (a) => `Share of ${a} with a value above 0`, px: 68 },
  share_b: { name: "share_b", text: part, detail: (_, b) => `Share of ${b} with a value above 0`, px: 68 },
  mean_a: { name: "mean_a", text: number, detail: (a) => `Mean of the tested values in ${a}`, px: 70 },
  mean_b: { name: "mean_b", text: number, detail: (_, b) => `Mean of the tested values in ${b}`, px: 70 },
  statistic: { name: "statistic", text: number, detail: (a) => `Test statistic: above 0 means higher in ${a}`, px: 90 },
  log10_p: { name: "p", text: chance, detail: () => "Two-sided p-value, not adjusted", px: 88 },
  auc: {
    name: "auc",
    text: number,
    detail: (a, b) => `Probability that a value of ${a} exceeds a value of ${b}`,
    px: 62,
  },
  n_a: { name: "n_a", text: wholeNumber, detail: (a) => `Number of values in ${a}`, px: 66 },
  n_b: { name: "n_b", text: wholeNumber, detail: (_, b) => `Number of values in ${b}`, px: 66 },
};
/** @type {Column[]} */
const COLUMNS = /** @type {Key[]} */ (Object.keys(BY_KEY)).map((key) => ({ key, ...BY_KEY[key] }));

/** The columns that a comparison has. @param {Found} found @returns {Column[]} */
export function columnsOf({ hasFold, hasAuc }) {
  return COLUMNS.filter(({ name }) => (name !== "log2fc" || hasFold) && (name !== "auc" || hasAuc));
}

/** Rows of the tooltip of a gene: [name, value] each.
 * @param {Found} found @param {number} i @returns {[string, string][]} */
export function describeGene(found, i) {
  const wanted = columnsOf(found).filter(({ name }) =>
    ["log2fc", "p_adj", "share_a", "share_b", "statistic"].includes(name),
  );
  return wanted.map(({ name, key, text }) => [name, text(found.columns[key][i])]);
}
