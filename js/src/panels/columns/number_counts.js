/** An open column of numbers: a histogram with a brush, and two fields for the limits of its filter. */
import { html, nothing, svg } from "lit-html";
import { barHeights, barPath, cutOf } from "../../page/parts/legend_histogram.js";
import { shareOf } from "../../style/levels.js";
import { counted, share, shortNumber, wholeNumber } from "../../words/format.js";
import { nounsOf } from "../../words/nouns.js";
import { brushHands, roomOf, shownOf } from "./brush_gestures.js";
import { shareCaption, shareStrip, showsShares } from "./share_strip.js";

/** @typedef {import("../../page/parts/ui.js").Context} Context */
/** @typedef {import("./brush_gestures.js").Ends} Ends */

/**
 * @param {{name: string, counts: import("../../wire/protocol.js").ColumnCounts, mode: import("./enrichment.js").Mode, isInteger: boolean, isRoot: boolean, setRoot: (isRoot: boolean) => void, now: () => Ends, wrong: string,
 *   take: () => void, drag: (ends: Ends, done: boolean) => void, fail: (sentence: string) => void}} given
 *   now: the current ends; take: called when a drag starts; drag: called at each move, with done = true at the last
 * @param {Context} context
 */
export function numberCounts(
  { name, counts, mode, isInteger, isRoot, setRoot, now, wrong, take, drag, fail },
  context,
) {
  const { edges, arrays } = counts;
  const { many } = nounsOf(context.state).obs;
  const nMissing = arrays.all.at(-1) ?? 0;
  const total = arrays.all.reduce((sum, count) => sum + count, 0);
  if (edges.length < 2) return html`<p class="none">No values.</p>`;
  const [lo, hi] = [edges[0], /** @type {number} */ (edges.at(-1))];
  const isOffline = context.state.link === "offline";
  const room = roomOf(isInteger);
  const ends = now();
  const [low, high] = shownOf(ends, edges, isInteger);
  const isOn = ends[0] !== null || ends[1] !== null;
  const places = [low, high].map((value) => 100 * shareOf(value, lo, hi));
  const { grab, press } = brushHands({ edges, isInteger, isOffline, now, take, drag });

  /** @param {0 | 1} which @param {string} title */
  function field(which, title) {
    const shown = ends[which] === null ? "" : exact(/** @type {number} */ (ends[which]));
    const commit = (/** @type {Event} */ event) => {
      const input = /** @type {HTMLInputElement} */ (event.currentTarget);
      const value = input.value.trim() === "" ? null : Number(input.value.replace(/(\d),(?=\d{3}\b)/g, "$1"));
      if (Number.isNaN(value)) return fail("Enter a number, or leave empty for no limit.");
      /** @type {Ends} */
      const wanted = which === 0 ? [value, ends[1]] : [ends[0], value];
      if (wanted[0] !== null && wanted[1] !== null && wanted[0] > wanted[1])
        return fail("The lower limit must not exceed the upper limit.");
      return drag(wanted, true);
    };
    return html`<input type="text" class="limit" aria-label="${title} limit of ${name}" title="${title} limit, inclusive; empty for none" autocomplete="off"
      spellcheck="false" placeholder=${shortNumber(which === 0 ? lo : hi - room)} ?disabled=${isOffline} .value=${shown} @change=${commit}>`;
  }

  /** Describe the bin under the pointer. Writes into the page directly, because a redraw per move would be slow.
   * @param {PointerEvent} event */
  function point(event) {
    const strip = /** @type {HTMLElement} */ (event.currentTarget);
    const place = strip.parentElement?.querySelector(".reading > .caption");
    if (!place) return;
    const { left, width } = strip.getBoundingClientRect();
    const bin = Math.floor(((event.clientX - left) / width) * n);
    const isOver = event.type === "pointermove" && bin >= 0 && bin < n;
    place.textContent = isOver ? describeBin(counts, bin, isInteger, nounsOf(context.state).obs) : "";
  }

  const n = edges.length - 1;
  const { most, cut } = cutOf(arrays.all.slice(0, n), edges, counts.n_zeros);
  const isOfShares = showsShares(counts, mode);
  const path = (/** @type {Uint32Array} */ one) => barPath(barHeights(one.slice(0, n), most, isRoot));
  const range = isOn ? `${shortNumber(low)} to ${shortNumber(high - room)}` : "all";
  const countStrip = () => html`<svg class="counted" viewBox="0 0 ${n} 1" preserveAspectRatio="none" role="img"
    aria-label="Histogram of ${name}, ${isRoot ? "heights by cube root" : "linear heights"}, highest ${wholeNumber(most)}: all ${many}, those that pass, those selected">
    ${svg`<path class="all" d=${path(arrays.all)} /><path class="filtered" d=${path(arrays.filtered)} /><path class="selected" d=${path(arrays.selected)} />`}</svg>`;
  return html`<div class="numbers">
    <div class="strip" role="slider" tabindex="0" aria-label="Range of ${name} to keep; arrows move it, Shift + arrows resize it, Escape clears it"
      aria-valuemin=${lo} aria-valuemax=${hi} aria-valuenow=${low} aria-valuetext=${range} aria-disabled=${isOffline} @pointerdown=${grab} @keydown=${press} @pointermove=${point} @pointerleave=${point}>
      ${isOfShares ? shareStrip(counts, cut, name) : countStrip()}
      ${isOfShares ? nothing : html`<span class="axis" aria-hidden="true"><small>${wholeNumber(most)}</small><small>0</small></span>`}
      ${cut < 0 ? nothing : html`<i class="cut" style="left:${(100 * cut) / n}%;width:${100 / n}%"></i>`}
      ${
        isOn
          ? html`<i class="out" style="width:${places[0]}%"></i><i class="out" style="left:${places[1]}%;right:0"></i>
            <i class="end" style="left:${places[0]}%"></i><i class="end" style="left:${places[1]}%"></i>`
          : nothing
      }
    </div>
    ${
      isOfShares
        ? nothing
        : html`<div class="reading"><span class="caption" aria-hidden="true"></span><button type="button" class="text" aria-pressed=${isRoot}
      title="Cube-root scale for the bars of all histograms, so that small counts are visible" @click=${() => setRoot(!isRoot)}>Cube root</button></div>`
    }
    <div class="limits">${field(0, "Lower")}
      ${isOn ? html`<button type="button" class="text" ?disabled=${isOffline} @click=${() => drag([null, null], true)}>Clear</button>` : nothing}
      ${field(1, "Upper")}</div>
    ${isOfShares ? shareCaption(counts, cut) : nothing}
    ${wrong === "" ? nothing : html`<p class="fault" role="alert">${wrong}</p>`}
    ${counts.n_zeros > 0 ? html`<p class="caption">${share(counts.n_zeros, total)} zeros${cut < 0 || isOfShares ? "" : " (bar truncated)"}</p>` : nothing}
    ${nMissing > 0 ? html`<p class="caption">${wholeNumber(nMissing)} without a value</p>` : nothing}
  </div>`;
}

/** Describes a bin: "3 to 4: 120 cells, 80 pass, 12 selected".
 * @param {import("../../wire/protocol.js").ColumnCounts} counts @param {number} bin
 * @param {boolean} isInteger @param {{one: string, many: string}} noun @returns {string} */
export function describeBin({ edges, arrays: { all, filtered, selected } }, bin, isInteger, noun) {
  const [from, to] = isInteger ? [Math.ceil(edges[bin]), Math.ceil(edges[bin + 1]) - 1] : [edges[bin], edges[bin + 1]];
  const range = isInteger && from >= to ? wholeNumber(from) : `${shortNumber(from)} to ${shortNumber(to)}`;
  return `${range}: ${counted(all[bin], noun)}, ${wholeNumber(filtered[bin])} pass, ${wholeNumber(selected[bin])} selected`;
}

/** A number with all its digits. @param {number} value @returns {string} */
function exact(value) {
  return String(value);
}
