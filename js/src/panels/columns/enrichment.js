/** Enrichment of the selected cells in a column: sorts, formats and draws its rows. Pure. */
// Changes with cxg_widget/compare/composition.py: numbers of an enrichment.

import { html, nothing } from "lit-html";
import { EMPTY_LABEL } from "../../wire/constants.js";
import { MISSING_LABEL } from "../../wire/protocol.js";
import { share, wholeNumber } from "../../words/format.js";

/** @typedef {import("../../wire/protocol.js").ColumnCounts} Counts */
/** Mode of the rows of a panel. @typedef {"counts" | "enrichment"} Mode */

/** A row with an adjusted p below 0.05 gets a mark. */
const LOG10_MARKED = Math.log10(0.05);

/** Whether any selected cell passes the filters, so that an enrichment is defined. @param {Counts} counts */
export function hasChosen({ n_chosen, arrays }) {
  return n_chosen > 0 && arrays.chosen.length > 0;
}

/** @param {Counts} counts @param {number} i */
export function isEnriched({ arrays }, i) {
  return arrays.log10_p[i] < LOG10_MARKED;
}

/** Sort rows by p, ties by odds ratio. In a long list only the kernel's first rows are known; they come first.
 * @param {Counts} counts @param {number[]} given all rows @returns {number[]} */
export function byEnrichment({ rows, enriched, arrays: { odds, log10_p } }, given) {
  if (rows.length > 0) {
    const first = new Set(enriched);
    return [...enriched, ...given.filter((i) => !first.has(i))];
  }
  const oddsOf = (/** @type {number} */ i) => (Number.isNaN(odds[i]) ? -1 : odds[i]);
  return [...given].sort((a, b) => log10_p[a] - log10_p[b] || oddsOf(b) - oddsOf(a) || a - b);
}

/** Numbers of a row: [label, value] each. @param {Counts} counts @param {number} i */
export function enrichmentTexts({ n_chosen, n_held, arrays }, i) {
  const [n, held] = [arrays.chosen[i], arrays.held[i]];
  return [
    ["Selected", `${wholeNumber(n)}, ${share(n, n_chosen)}`],
    ["Expected", `${amount((n_chosen * held) / n_held)}, ${share(held, n_held)}`],
    ["Odds ratio", oddsText(arrays.odds[i])],
    ["p, adjusted", chanceText(arrays.log10_p[i])],
  ];
}

/** The numbers of a row as one sentence. @param {Counts} counts @param {number} i */
export function sentenceOf(counts, i) {
  const texts = enrichmentTexts(counts, i).map(([what, value]) => `${what.toLowerCase()} ${value}`);
  return `${isEnriched(counts, i) ? "enriched; " : ""}${texts.join("; ")}`;
}

/** Describes how many rows are enriched, and names the strongest.
 * @param {Counts} counts @param {number[]} rows by enrichment */
export function describeEnriched(counts, rows) {
  if (counts.rows.length > 0) return `Most enriched: ${labelOf(counts, rows[0])}`;
  const n = rows.filter((i) => isEnriched(counts, i)).length;
  const all = wholeNumber(rows.length);
  return n === 0
    ? `None of ${all} enriched`
    : `${wholeNumber(n)} of ${all} enriched; strongest: ${labelOf(counts, rows[0])}`;
}

/** @param {Counts} counts @param {number} i */
export function labelOf({ categories }, i) {
  const label = i === categories.length ? MISSING_LABEL : categories[i];
  return label === "" ? EMPTY_LABEL : (label ?? "…");
}

/** Format an odds ratio in few characters. @param {number} odds @returns {string} */
export function oddsText(odds) {
  if (Number.isNaN(odds)) return "–";
  if (odds === Number.POSITIVE_INFINITY) return "∞";
  if (odds >= 9999.5) return "> 9,999";
  if (odds >= 9.95) return wholeNumber(Math.round(odds));
  if (odds > 0 && odds < 0.005) return "< 0.01";
  return odds === 0 ? "0" : odds.toFixed(odds < 0.995 ? 2 : 1);
}

/** Format a p-value: "0.031", "2e-40". Takes its logarithm, because a double cannot hold a p below 5e-324.
 * @param {number} log10 @returns {string} */
export function chanceText(log10) {
  if (log10 >= -3) return String(Number((10 ** log10).toPrecision(2)));
  const power = Math.floor(log10);
  const digit = Math.round(10 ** (log10 - power));
  return digit === 10 ? `1e${power + 1}` : `${digit}e${power}`;
}

/** Format an expected number of cells. @param {number} n rarely an integer @returns {string} */
function amount(n) {
  return n < 9.95 ? String(Number(n.toPrecision(2))) : wholeNumber(n);
}

/** The odds ratio to the right of a label, with a mark if the row is enriched.
 * @param {Counts} counts @param {number} i */
export function oddsOf(counts, i) {
  const mark = isEnriched(counts, i) ? html`<span class="mark" aria-hidden="true">▲</span>` : nothing;
  return html`<span class="amount odds ${mark === nothing ? "" : "enriched"}" aria-hidden="true">${mark}${oddsText(counts.arrays.odds[i])}</span>
    <span class="spoken">${sentenceOf(counts, i)}</span>`;
}

/** A bar: the row's share of the selected cells, with a tick at its share of all cells.
 * @param {Counts} counts @param {number} i @param {number} most the largest of all shares */
export function shareBar({ n_chosen, n_held, arrays }, i, most) {
  const width = (/** @type {number} */ part) => `${(100 * part) / most}%`;
  return html`<span class="bars shares" aria-hidden="true"><i class="all" style="width:100%"></i>
    <i class="taken" style="width:${width(arrays.chosen[i] / n_chosen)}"></i>
    <i class="tick" style="left:${width(arrays.held[i] / n_held)}"></i></span>`;
}

/** The largest share of any row, among the selected cells or among all. @param {Counts} counts @returns {number} */
export function mostShare({ n_chosen, n_held, arrays }) {
  const most = (/** @type {Uint32Array} */ some) => some.reduce((most, one) => Math.max(most, one), 0);
  return Math.max(most(arrays.chosen) / n_chosen, most(arrays.held) / n_held) || 1;
}

/** The details of one row. @param {Counts} counts @param {number} i */
export function enrichmentTable(counts, i) {
  return html`<div class="enrichment" aria-hidden="true"><p class="label">${labelOf(counts, i)}</p>
    <dl>${enrichmentTexts(counts, i).map(([what, value]) => html`<dt>${what}</dt><dd>${value}</dd>`)}</dl></div>`;
}

/** The legend of bars and numbers. */
export const SHARE_KEY = html`<p class="share-key"><i class="taken"></i>share of selection <i class="tick"></i>share of all <span>odds ratio</span></p>`;
