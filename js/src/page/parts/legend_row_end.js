/** The right end of a row of the legend: its counts, or on hover the buttons of the row. */
import { html, nothing } from "lit-html";
import { MODES_HINT, modeOf } from "../../plot/lasso.js";
import { legendCounts } from "../../state/counts.js";
import { counted, shortCount, wholeNumber } from "../../words/format.js";
import { nounsOf } from "../../words/nouns.js";
import { ICONS } from "../icons.js";

/** @typedef {import("./ui.js").Context} Context */

/** Format of counts if a row has two: "7.1K" leaves space for the name; the title has all digits. */
const COMPACT = new Intl.NumberFormat("en", { notation: "compact" });
/** @param {number} n @param {boolean} isOfTwo */
const written = (n, isOfTwo) => (isOfTwo ? COMPACT.format(n) : shortCount(n));

/** Counts and buttons take the same space, so that labels do not move or shrink on hover.
 * @param {Context} context @param {number | undefined} total cells; undefined until all values have been read
 * @param {number | undefined} selected
 * @param {boolean} [canAct] */
export function rowEnd({ state }, total, selected, canAct = state.link !== "offline") {
  const cells = nounsOf(state).obs.many;
  return html`<span class="end">
    <span class="counts">
      ${selected === undefined ? nothing : html`<b class=${selected === 0 ? "zero" : ""}>${written(selected, true)}</b>`}
      <span class="count">${total === undefined ? nothing : written(total, selected !== undefined)}</span>
    </span>
    ${
      canAct
        ? html`<span class="acts" aria-hidden="true">
          <i class="act select" title="Select these ${cells} (S)\n${MODES_HINT}">${ICONS.lasso}</i>
          <i class="act only" title="Show only these ${cells} (Enter)">${ICONS.only}</i></span>`
        : nothing
    }
  </span>`;
}

/** CSS widths of the columns of counts in a legend, so that counts align.
 * @param {import("../../state/state.js").State} state @param {import("../../state/state.js").Coloring} color */
export function countWidths(state, color) {
  const { first, second } = legendCounts(state, color);
  const shown = (/** @type {ArrayLike<number>} */ counts) =>
    color.scale === "categorical" ? counts : [counts[counts.length - 1] ?? 0];
  const widest = (/** @type {ArrayLike<number>} */ counts) => {
    const { length } = shortCount(Array.from(shown(counts)).reduce((most, one) => Math.max(most, one), 0));
    return `${first ? Math.min(4, length) : length}ch`;
  };
  return `--total:${widest(second)};--selected:${widest(first ?? [])}`;
}

/** The counts of a row in words. @param {Context} context @param {number | undefined} total
 * @param {number | undefined} selected @param {string} key heading of both @returns {string} */
export function describeRow({ state }, total, selected, key) {
  if (total === undefined) return "";
  const all = counted(total, nounsOf(state).obs);
  const [what, of] = key.split(" / ").map((one) => (one === "passing" ? " pass" : ` ${one}`));
  return selected === undefined ? all : `${all}${of === " pass" ? of : ""}, ${wholeNumber(selected)}${what}`;
}

/** Handles a click or a key on a row of the legend. "S" or the lasso icon selects, with the modifier keys of a lasso.
 * @param {Context} context @param {MouseEvent | KeyboardEvent} event @param {number} i category
 * @returns {boolean} whether it handled the event */
export function actOn({ actions }, event, i) {
  const isKey = event instanceof KeyboardEvent;
  const on = (/** @type {string} */ act) => event.target instanceof Element && event.target.closest(act) !== null;
  if (isKey ? event.code === "KeyS" && !event.ctrlKey && !event.metaKey : on(".select")) {
    actions.selectCategory(i, modeOf({ shift: event.shiftKey, alt: event.altKey }));
  } else if (!isKey && (event.altKey || on(".only"))) {
    if (event.detail < 2) actions.onlyCategory(i); // the second click of a double click would show all again
  } else return false;
  event.preventDefault();
  event.stopPropagation();
  return true;
}
