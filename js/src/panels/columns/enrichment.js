/** Enrichment of the selected cells in a column: its rows, their order, and how they are written and drawn. Pure. */
// Changes with cxg_widget/compare/composition.py: numbers of an enrichment.

import { html, nothing } from "lit-html";
import { EMPTY_LABEL } from "../../wire/constants.js";
import { MISSING_LABEL } from "../../wire/protocol.js";
import { share, wholeNumber } from "../../words/format.js";

/** @typedef {import("../../wire/protocol.js").ColumnCounts} Counts */
/** What the rows of a panel show. @typedef {"counts" | "enrichment"} Mode */

/** The adjusted chance below which a row has a mark: one in twenty. */
const LOG10_MARKED = Math.log10(0.05);

/** Are there selected cells that pass, so that something can be said of them? @param {Counts} counts */
export function hasChosen({ n_chosen, arrays }) {
  return n_chosen > 0 && arrays.chosen.length > 0;
}

/** @param {Counts} counts @param {number} i */
export function isEnriched({ arrays }, i) {
  return arrays.log10_p[i] < LOG10_MARKED;
}

/** Rows by the chance to be so many, the least likely first, of equally likely ones by odds: of a long list the first are listed, and come before all
 * others. @param {Counts} counts @param {number[]} given all rows @returns {number[]} */
export function byEnrichment({ rows, enriched, arrays: { odds, log10_p } }, given) {
  if (rows.length > 0) {
    const first = new Set(enriched);
    return [...enriched, ...given.filter((i) => !first.has(i))];
  }
  const oddsOf = (/** @type {number} */ i) => (Number.isNaN(odds[i]) ? -1 : odds[i]);
  return [...given].sort((a, b) => log10_p[a] - log10_p[b] || oddsOf(b) - oddsOf(a) || a - b);
}

/** What is said of a row: [what, how much] each. @param {Counts} counts @param {number} i */
export function enrichmentTexts({ n_chosen, n_held, arrays }, i) {
  const [n, held] = [arrays.chosen[i], arrays.held[i]];
  return [
    ["Selected", `${wholeNumber(n)}, ${share(n, n_chosen)}`],
    ["Expected", `${amount((n_chosen * held) / n_held)}, ${share(held, n_held)}`],
    ["Odds ratio", oddsText(arrays.odds[i])],
    ["p, adjusted", chanceText(arrays.log10_p[i])],
  ];
}

/** The same as one sentence. @param {Counts} counts @param {number} i */
export function sentenceOf(counts, i) {
  const texts = enrichmentTexts(counts, i).map(([what, value]) => `${what.toLowerCase()} ${value}`);
  return `${isEnriched(counts, i) ? "enriched; " : ""}${texts.join("; ")}`;
}

/** How many rows are enriched, and which of them most. @param {Counts} counts @param {number[]} rows by enrichment */
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

/** Odds in few signs. @param {number} odds @returns {string} */
export function oddsText(odds) {
  if (Number.isNaN(odds)) return "–";
  if (odds === Number.POSITIVE_INFINITY) return "∞";
  if (odds >= 9999.5) return "> 9,999";
  if (odds >= 9.95) return wholeNumber(Math.round(odds));
  if (odds > 0 && odds < 0.005) return "< 0.01";
  return odds === 0 ? "0" : odds.toFixed(odds < 0.995 ? 2 : 1);
}

/** A chance by its logarithm, which may lie below all that a number holds: "0.031", "2e-40". @param {number} log10 @returns {string} */
export function chanceText(log10) {
  if (log10 >= -3) return String(Number((10 ** log10).toPrecision(2)));
  const power = Math.floor(log10);
  const digit = Math.round(10 ** (log10 - power));
  return digit === 10 ? `1e${power + 1}` : `${digit}e${power}`;
}

/** @param {number} n of cells that are expected, no whole number @returns {string} */
function amount(n) {
  return n < 9.95 ? String(Number(n.toPrecision(2))) : wholeNumber(n);
}

/** What stands right of a label: the odds ratio, with a mark where it is enriched. @param {Counts} counts @param {number} i */
export function oddsOf(counts, i) {
  const mark = isEnriched(counts, i) ? html`<span class="mark" aria-hidden="true">▲</span>` : nothing;
  return html`<span class="amount odds ${mark === nothing ? "" : "enriched"}" aria-hidden="true">${mark}${oddsText(counts.arrays.odds[i])}</span>
    <span class="said">${sentenceOf(counts, i)}</span>`;
}

/** Which part of the selected cells a row is, with a tick at its part of all. @param {Counts} counts @param {number} i @param {number} most the largest of all shares */
export function shareBar({ n_chosen, n_held, arrays }, i, most) {
  const width = (/** @type {number} */ part) => `${(100 * part) / most}%`;
  return html`<span class="bars shares" aria-hidden="true"><i class="all" style="width:100%"></i>
    <i class="taken" style="width:${width(arrays.chosen[i] / n_chosen)}"></i>
    <i class="tick" style="left:${width(arrays.held[i] / n_held)}"></i></span>`;
}

/** The largest share of any row, of the selected cells or of all. @param {Counts} counts @returns {number} */
export function mostShare({ n_chosen, n_held, arrays }) {
  const most = (/** @type {Uint32Array} */ some) => some.reduce((most, one) => Math.max(most, one), 0);
  return Math.max(most(arrays.chosen) / n_chosen, most(arrays.held) / n_held) || 1;
}

/** All that is known of one row. @param {Counts} counts @param {number} i */
export function enrichmentTable(counts, i) {
  return html`<div class="enrichment" aria-hidden="true"><p class="label">${labelOf(counts, i)}</p>
    <dl>${enrichmentTexts(counts, i).map(([what, value]) => html`<dt>${what}</dt><dd>${value}</dd>`)}</dl></div>`;
}

/** What bars and numbers mean. */
export const SHARE_KEY = html`<p class="share-key"><i class="taken"></i>share of selection <i class="tick"></i>share of all <span>odds ratio</span></p>`;
