/** The legend of a categorical coloring: one row per category. Only visible rows are in the document. */
import { html, nothing } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { legendCounts } from "../../state/counts.js";
import { labelsOf } from "../../state/hidden.js";
import { memo } from "../../state/memo.js";
import { safeColor } from "../../style/color.js";
import { wholeNumber } from "../../words/format.js";
import { ICONS } from "../icons.js";
import { missingRow } from "./legend_missing.js";
import { actOn, describeRow, rowEnd } from "./legend_row_end.js";
import { listed, ROW_PX, rowAfterKey, scrollTo, windowOf } from "./legend_rows.js";
import { marked } from "./marked.js";
import { patch, textIn } from "./ui.js";

/** @typedef {import("./ui.js").Context} Context */
/** @typedef {import("../../state/state.js").Coloring} Coloring */

/** With more categories than this, the legend has a filter. */
const FILTER_FROM = 12;

/** Creates the legend of one view, with its own cache: two views of a page must not evict each other's rows.
 * @returns {(context: Context, color: Coloring) => unknown} */
export function createCategoryLegend() {
  const rows = /** @type {ReturnType<typeof memo<number[]>>} */ (memo());
  const hiddenSet = /** @type {ReturnType<typeof memo<Set<string>>>} */ (memo());
  return (context, color) => {
    const { filter, byCount } = context.ui.legend;
    const { categories, counts } = color;
    const { hidden } = context.state.traits;
    const shown = rows([categories, counts, filter, byCount], () => listed(categories, counts, filter, byCount));
    return legend(
      context,
      color,
      shown,
      hiddenSet([hidden], () => new Set(hidden)),
    );
  };
}

/** @param {Context} context @param {Coloring} color @param {number[]} rows @param {Set<string>} hidden */
function legend(context, color, rows, hidden) {
  const { ui } = context;
  const labels = labelsOf(color);
  const nHidden = hidden.size === 0 ? 0 : labels.filter((label) => hidden.has(label)).length;
  const { start, stop } = windowOf(rows.length, ui.legend.scroll, ui.legend.height);
  const active = ui.legend.active < rows.length ? ui.legend.active : -1;
  return html`
    ${bar(context, color, nHidden)}
    <div class="rows" role="listbox" aria-label="Categories of ${color.name}; Space shows or hides, Enter shows only one, S selects" aria-multiselectable="true"
      tabindex="0" aria-activedescendant=${active >= 0 ? `row-${rows[active]}` : nothing}
      @scroll=${(/** @type {Event} */ event) => patch(context, "legend", { scroll: /** @type {Element} */ (event.currentTarget).scrollTop })}
      @keydown=${(/** @type {KeyboardEvent} */ event) => press(context, rows, event)}
      @focus=${(/** @type {FocusEvent} */ event) => enter(context, rows, event)} @blur=${() => leave(context)}
      @click=${(/** @type {MouseEvent} */ event) => click(context, event)} @dblclick=${(/** @type {MouseEvent} */ event) => doubleClick(context, event)}
      @pointermove=${(/** @type {Event} */ event) => point(context, event)} @pointerleave=${() => context.actions.highlight(-1)}>
      <div class="sheet" style="height:${rows.length * ROW_PX}px">
        <div style="transform:translateY(${start * ROW_PX}px)">
          ${rows.slice(start, stop).map((i, k) => row(context, color, i, start + k, rows.length, hidden.has(color.categories[i]), start + k === active))}
        </div>
      </div>
    </div>
    ${rows.length === 0 ? html`<p class="none" role="status">No category matches “${ui.legend.filter.trim()}”.</p>` : nothing}
    ${missingRow(context, color)}`;
}

/** @param {Context} context @param {Coloring} color @param {number} i @param {number} place @param {number} nRows @param {boolean} isHidden @param {boolean} isActive */
function row(context, color, i, place, nRows, isHidden, isActive) {
  const { state, ui } = context;
  const name = color.categories[i];
  const { first, second, key } = legendCounts(state, color);
  const [count, selected] = [color.counts.length > 0 ? second[i] : undefined, first?.[i]];
  const lit = state.highlighted === i;
  return html`<div id="row-${i}" class="row ${isHidden ? "hidden" : ""} ${isActive ? "active" : ""} ${lit ? "lit" : ""}" role="option" data-i=${i}
    aria-selected=${!isHidden} aria-posinset=${place + 1} aria-setsize=${nRows} title=${`${name}\n${describeRow(context, count, selected, key)}`.trim()}>
    <i class="swatch" style="--c:${safeColor(color.colors[i])}"></i>
    <span class="label">${name === "" ? html`<em>(empty)</em>` : marked(name, ui.legend.filter)}</span>
    ${rowEnd(context, count, selected)}
  </div>`;
}

/** Filter, order and "show all". @param {Context} context @param {Coloring} color @param {number} nHidden */
function bar(context, color, nHidden) {
  const { filter, byCount } = context.ui.legend;
  const n = color.categories.length;
  const back = { scroll: 0, active: -1 };
  return html`<div class="bar">
    ${
      n > FILTER_FROM
        ? html`<div class="box">${ICONS.search}<input type="text" aria-label="Filter categories" placeholder="Filter"
          autocomplete="off" spellcheck="false" .value=${live(filter)}
          @keydown=${(/** @type {KeyboardEvent} */ event) => event.key === "Escape" && patch(context, "legend", { ...back, filter: "" })}
          @input=${(/** @type {Event} */ event) => patch(context, "legend", { ...back, filter: textIn(event) })}></div>`
        : html`<span class="grow">${n === 1 ? "1 category" : `${n} categories`}</span>`
    }
    ${nHidden > 0 ? html`<button type="button" class="text" title="${wholeNumber(nHidden)} hidden" @click=${() => context.actions.showAll()}>Show all</button>` : nothing}
    ${
      n > 2
        ? html`<button type="button" class="small" aria-label="Sort by count" title=${byCount ? "Sorted by count; click for the original order" : "Sort by count"}
          aria-pressed=${byCount} @click=${() => patch(context, "legend", { ...back, byCount: !byCount })}>${ICONS.sort}</button>`
        : nothing
    }
  </div>`;
}

/** @param {Event} event @returns {number} category under the pointer; -1 = none */
function categoryAt(event) {
  const at = event.target instanceof Element ? event.target.closest("[data-i]") : null;
  return at instanceof HTMLElement ? Number(at.dataset.i) : -1;
}

/** @param {Context} context @param {MouseEvent} event */
function click(context, event) {
  const i = categoryAt(event);
  if (i >= 0 && context.state.link !== "offline" && !actOn(context, event, i)) context.actions.toggleCategory(i);
}

/** Shows only one category; the two clicks before have already canceled each other. @param {Context} context
 * @param {MouseEvent} event */
function doubleClick({ state, actions }, event) {
  const i = categoryAt(event);
  const onAct = event.target instanceof Element && event.target.closest(".act") !== null;
  if (i >= 0 && state.link !== "offline" && !event.altKey && !onAct) actions.onlyCategory(i);
}

/** @param {Context} context @param {Event} event */
function point({ state, actions }, event) {
  const i = categoryAt(event);
  if (i !== state.highlighted) actions.highlight(i);
}

/** @param {Context} context @param {number[]} rows @param {FocusEvent} event */
function enter(context, rows, event) {
  // A click focuses too, but then the pointer determines the row.
  if (!(event.currentTarget instanceof Element) || !event.currentTarget.matches(":focus-visible") || rows.length === 0)
    return;
  const active = Math.max(0, Math.min(context.ui.legend.active, rows.length - 1));
  patch(context, "legend", { active });
  context.actions.highlight(rows[active]);
}

/** @param {Context} context */
function leave(context) {
  if (context.ui.legend.active < 0) return;
  patch(context, "legend", { active: -1 });
  context.actions.highlight(-1);
}

/** @param {Context} context @param {number[]} rows @param {KeyboardEvent} event */
function press(context, rows, event) {
  const { actions } = context;
  const { active, height } = context.ui.legend;
  if (context.state.link === "offline" || (active >= 0 && actOn(context, event, rows[active]))) return;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const next = rowAfterKey(event.key, active, rows.length, Math.max(1, Math.floor(height / ROW_PX) - 1));
  if (next !== null && rows.length > 0) {
    const list = /** @type {HTMLElement} */ (event.currentTarget);
    list.scrollTop = scrollTo(next, list.scrollTop, list.clientHeight);
    patch(context, "legend", { active: next, scroll: list.scrollTop });
    actions.highlight(rows[next]);
  } else if (event.key === " " && active >= 0) actions.toggleCategory(rows[active]);
  else if (event.key === "Enter" && active >= 0) actions.onlyCategory(rows[active]);
  else return;
  event.preventDefault();
  event.stopPropagation();
}
