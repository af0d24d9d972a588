/** Rows of an open column of categories that tell what is enriched among the selected cells, and the table of one of them. */
import { html, nothing } from "lit-html";
import { enrichmentTexts, isEnriched, labelOf, oddsText, sentenceOf } from "./enrichment.js";

/** @typedef {import("./enrichment.js").Counts} Counts */

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
