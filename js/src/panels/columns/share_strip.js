/** A histogram of shares of a column of numbers: the selected cells as an outline, the rest in gray. */
import { html, nothing, svg } from "lit-html";
import { share } from "../../words/format.js";
import { hasChosen } from "./enrichment.js";

/** @typedef {import("../../wire/protocol.js").ColumnCounts} Counts */

/**
 * Share of the selected cells, and of the rest, in each bin. A bin of zeros that would flatten all others is truncated.
 * @param {Counts} counts @param {number} cut the bin of zeros, -1 = none
 * @returns {{chosen: number[], rest: number[], most: number}} shares; most: the share at full height
 */
export function sharesOf({ arrays, n_chosen, n_held }, cut) {
  const n = arrays.all.length - 1;
  const some = (/** @type {(i: number) => number} */ of) => Array.from({ length: n }, (_, i) => of(i));
  const nRest = n_held - n_chosen;
  const chosen = some((i) => arrays.chosen[i] / n_chosen);
  const rest = some((i) => (nRest === 0 ? 0 : (arrays.held[i] - arrays.chosen[i]) / nRest));
  const most = Math.max(...[...chosen, ...rest].filter((_, i) => i % n !== cut));
  return { chosen, rest, most: most > 0 ? most : 1 };
}

/** SVG path around bars in a box of n x 1, y downwards. @param {number[]} shares @param {number} most */
function outline(shares, most) {
  const steps = shares.map((one, i) => `V${(1 - Math.min(1, one / most)).toFixed(4)}H${i + 1}`);
  return `M0 1${steps.join("")}V1`;
}

/** @param {Counts} counts @param {number} cut @param {string} name */
export function shareStrip(counts, cut, name) {
  const { chosen, rest, most } = sharesOf(counts, cut);
  return html`<svg class="counted shares" viewBox="0 0 ${chosen.length} 1" preserveAspectRatio="none" role="img"
    aria-label="Histogram of ${name}: shares of the selection and of the rest">
    ${svg`<path class="rest" d=${outline(rest, most)} /><path class="chosen" d=${outline(chosen, most)} />`}</svg>`;
}

/** The legend of the outlines, with the shares in a truncated bar. @param {Counts} counts @param {number} cut */
export function shareCaption(counts, cut) {
  const { chosen, rest } = sharesOf(counts, cut);
  return html`<p class="share-key"><i class="outline"></i>selection <i class="others"></i>rest <span>shares</span></p>
    ${cut < 0 ? nothing : html`<p class="caption">Truncated bar: ${share(chosen[cut], 1)} of the selection, ${share(rest[cut], 1)} of the rest</p>`}`;
}

/** @param {Counts} counts @param {import("./enrichment.js").Mode} mode */
export const showsShares = (counts, mode) => mode === "enrichment" && hasChosen(counts);
