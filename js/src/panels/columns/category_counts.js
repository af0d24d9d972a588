/** An open column of categories: one row of bars per category, which a click shows or hides, and a search field. */
import { html, nothing } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { ICONS } from "../../page/icons.js";
import { ROW_PX, rowAfterKey, scrollTo } from "../../page/parts/legend_rows.js";
import { marked } from "../../page/parts/marked.js";
import { textIn } from "../../page/parts/ui.js";
import { safeColor } from "../../style/color.js";
import { MISSING_LABEL } from "../../wire/protocol.js";
import { shortCount, wholeNumber } from "../../words/format.js";
import { keeping, onlyOne, onlyThese, passesOf, toggled } from "../filters/filter_rules.js";
import { LONG, MOST_IN_SIGHT, madeOf, sheetOf } from "./category_order.js";
import { describeEnriched, enrichmentTable, hasChosen, mostShare, oddsOf, SHARE_KEY, shareBar } from "./enrichment.js";

/** @typedef {import("../../page/parts/ui.js").Context} Context */
/** @typedef {import("../../wire/protocol.js").ColumnCounts} Counts */
/** @typedef {import("../filters/filter_rules.js").Rule} Rule */
/** @typedef {import("./category_order.js").Place} Place */

const SEGMENTS = 14;

/**
 * @param {{id: string, column: string, name: string, counts: Counts, rule: Rule | undefined, place: Place,
 *   setRule: (make: (now: Rule | undefined) => Rule | null) => void, move: (change: Partial<Place>) => void, seek: (text: string) => void}} given
 * @param {Context} context
 */
export function categoryCounts({ id, column, name, counts, rule, place, setRule, move, seek }, context) {
  const { arrays } = counts;
  const { most, given } = madeOf(counts);
  const { categories } = counts;
  const nAll = given().length;
  const labelOf = (/** @type {number} */ i) => (i === categories.length ? MISSING_LABEL : categories[i]);
  const { rows, height, start, stop } = sheetOf(counts, place);
  const passes = passesOf(rule);
  const active = Math.min(place.active, rows.length - 1);
  const isOfChosen = place.mode === "enrichment" && hasChosen(counts);
  const mostOfShares = isOfChosen ? mostShare(counts) : 1;

  const isLong = categories.length > LONG;
  const labels = () => given().map(labelOf);
  const toggle = (/** @type {number} */ i) =>
    labelOf(i) !== undefined &&
    setRule((now) => {
      if (isLong) return toggled(column, now, labelOf(i), nAll);
      const passes = passesOf(now);
      return keeping(column, labels(), (label) => passes(label) !== (label === labelOf(i)));
    });
  const only = (/** @type {number} */ i) =>
    labelOf(i) !== undefined &&
    setRule((now) => {
      if (isLong) return onlyOne(column, now, labelOf(i));
      const passes = passesOf(now);
      const isOnly = given().every((k) => passes(labelOf(k)) === (k === i));
      return isOnly ? null : keeping(column, labels(), (label) => label === labelOf(i));
    });
  const isOffline = context.state.link === "offline";
  const areFound = place.found !== null && rows.length > 0 && rows.length < nAll;
  // in a long list only rows in view have labels
  const areNamed = areFound && rows.every((i) => labelOf(i) !== undefined);
  const keep = () => {
    const wanted = new Set(rows.map(labelOf));
    setRule(() => (isLong ? onlyThese(column, [...wanted]) : keeping(column, labels(), (label) => wanted.has(label))));
  };
  /** The category under the pointer. A double click takes that of its first click: the rows may have moved in between.
   * @param {MouseEvent} event @returns {number} -1 = none */
  const at = (event) => {
    const list = /** @type {HTMLElement} */ (event.currentTarget);
    if (event.detail < 2) {
      const row = /** @type {Element} */ (event.target).closest("[data-i]");
      list.dataset.clicked = /** @type {HTMLElement | null} */ (row)?.dataset.i ?? "-1";
    }
    return Number(list.dataset.clicked ?? -1);
  };

  /** @param {PointerEvent} event */
  function point(event) {
    const row = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("[data-i]"));
    const pointed = Number(row?.dataset.i ?? -1);
    if (isOfChosen && pointed !== place.pointed) move({ pointed });
  }

  /** @param {KeyboardEvent} event */
  function press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const next = rowAfterKey(event.key, active, rows.length, MOST_IN_SIGHT - 1);
    const list = /** @type {HTMLElement} */ (event.currentTarget);
    if (next !== null) {
      list.scrollTop = scrollTo(next, list.scrollTop, list.clientHeight);
      move({ active: next, scroll: list.scrollTop });
    } else if (event.key === " " && active >= 0 && !isOffline) toggle(rows[active]);
    else if (event.key === "Enter" && active >= 0 && !isOffline) only(rows[active]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {number} i @param {number} k */
  function row(i, k) {
    const label = labelOf(i) ?? "…";
    const isHidden = labelOf(i) !== undefined && !passes(label);
    const isCounted = hasCounts(counts, i);
    const all = arrays.all[i];
    const [filtered, selected] = isCounted ? [arrays.filtered[i], arrays.selected[i]] : [all, 0];
    const alsoPass = describeChosen(counts, i, context.state);
    const title = `${label}\n${isCounted ? wholeNumber(filtered) : "…"} of ${wholeNumber(all)}${selected > 0 ? `, ${wholeNumber(selected)} selected${alsoPass}` : ""}`;
    return html`<div id="${id}-${k}" class="count-row ${isHidden ? "hidden" : ""} ${k === active ? "active" : ""}" role="option" data-i=${i}
      aria-selected=${!isHidden} aria-posinset=${k + 1} aria-setsize=${rows.length} title=${title}>
      <span class="label">${label === "" ? html`<em>(empty)</em>` : marked(label, place.text)}</span>
      ${isOfChosen && isCounted ? oddsOf(counts, i) : html`<span class="amount">${!isCounted ? "… / " : filtered === all ? nothing : html`<b>${shortCount(filtered)}</b> / `}${shortCount(all)}</span>`}
      ${isCounted ? (isOfChosen ? shareBar(counts, i, mostOfShares) : bar(context, counts, i, most)) : html`<span class="bars" aria-hidden="true"></span>`}
    </div>`;
  }

  const enriched = isOfChosen ? madeOf(counts).enriched(counts) : [];
  const isWhole = isOfChosen && place.found === null;
  const status = isWhole ? describeEnriched(counts, enriched) : describeList(rows, categories.length, place);
  const pointed = place.pointed >= 0 ? place.pointed : active >= 0 ? rows[active] : enriched[0];
  const [sorted, isSorted] = isOfChosen ? ["enrichment", place.byEnrichment] : ["count", place.byCount];
  const sort = isOfChosen ? { byEnrichment: !isSorted } : { byCount: !isSorted };
  return html`<div class="count-list">
    ${nAll > MOST_IN_SIGHT ? valueField(name, place.text, seek) : nothing}
    <div class="bar"><span class="grow" role=${place.text === "" && place.mode === "counts" ? nothing : "status"}>${status}</span>
      ${
        areFound
          ? html`<button type="button" class="text" title=${areNamed ? "Filter by all matching values" : "Too many values; narrow the search"}
            ?disabled=${isOffline || !areNamed} @click=${keep}>Keep matches</button>`
          : nothing
      }
      ${rule === undefined ? nothing : html`<button type="button" class="text" ?disabled=${isOffline} @click=${() => setRule(() => null)}>Show all</button>`}
      ${
        nAll > 2
          ? html`<button type="button" class="small" aria-label="Sort ${name} by ${sorted}" aria-pressed=${isSorted}
            title=${isSorted ? `Sorted by ${sorted}; click for the original order` : `Sort by ${sorted}`}
            @click=${() => move({ ...sort, scroll: 0, active: -1 })}>${ICONS.sort}</button>`
          : nothing
      }</div>
    ${rows.length === 0 ? html`<p class="none">No category matches “${place.text.trim()}”.</p>` : nothing}
    ${isOfChosen && rows.length > 0 ? SHARE_KEY : nothing}
    <div class="count-rows" role="listbox" tabindex="0" aria-multiselectable="true" style="height:${height}px"
      aria-label="${name}; Space shows or hides, Enter shows only one" aria-activedescendant=${active >= 0 ? `${id}-${active}` : nothing}
      .scrollTop=${place.scroll} @scroll=${(/** @type {Event} */ event) => move({ scroll: /** @type {Element} */ (event.currentTarget).scrollTop })}
      @focus=${() => active < 0 && move({ active: 0 })} @blur=${() => move({ active: -1 })} @keydown=${press}
      @pointerover=${point} @pointerleave=${() => isOfChosen && move({ pointed: -1 })}
      @click=${(/** @type {MouseEvent} */ event) => at(event) >= 0 && !isOffline && (event.altKey ? only : toggle)(at(event))}
      @dblclick=${(/** @type {MouseEvent} */ event) => at(event) >= 0 && !isOffline && !event.altKey && only(at(event))}>
      <div class="sheet" style="height:${rows.length * ROW_PX}px"><div style="transform:translateY(${start * ROW_PX}px)">
        ${rows.slice(start, stop).map((i, k) => row(i, start + k))}
      </div></div>
    </div>
    ${isOfChosen && hasCounts(counts, pointed) ? enrichmentTable(counts, pointed) : nothing}
  </div>`;
}

/** Describes how many selected cells of a row pass the filters.
 * @param {Counts} counts @param {number} i @param {Context["state"]} state */
function describeChosen({ arrays, n_chosen }, i, { traits }) {
  return traits.filters.length === 0 ? "" : `, ${wholeNumber(n_chosen > 0 ? arrays.chosen[i] : 0)} of them pass`;
}

/** Bars of a row: all cells in gray, over them the passing ones in the colors of the legend, the selected ones below.
 * @param {Context} context @param {Counts} counts @param {number} i @param {number} most */
function bar({ state }, counts, i, most) {
  const { all, filtered, selected, grouped } = counts.arrays;
  const n = counts.groups.length > 0 ? counts.groups.length + 2 : 0;
  const colors = state.color?.colors ?? [];
  const width = (/** @type {number} */ count) => `${(100 * count) / most}%`;
  const parts = [];
  for (let g = 0; g < Math.min(n, SEGMENTS); g++) {
    const count = grouped[i * n + g];
    const color = g < n - 2 ? safeColor(colors[counts.groups[g]] ?? "") : g === n - 2 ? "var(--faint)" : "var(--edge)";
    if (count > 0) parts.push(html`<i style="width:${width(count)};background:${color}"></i>`);
  }
  return html`<span class="bars" aria-hidden="true"><i class="all" style="width:${width(all[i])}"></i>
    <span class="parts">${n === 0 ? html`<i style="width:${width(filtered[i])}"></i>` : parts}</span>
    ${selected[i] > 0 ? html`<i class="selected" style="width:${width(selected[i])}"></i>` : nothing}</span>`;
}

/** Whether a row has counts: in a long list only some rows do. @param {Counts} counts @param {number} i */
function hasCounts(counts, i) {
  return counts.rows.length === 0 || counts.rows.includes(i);
}

/** @param {number[]} rows @param {number} n categories @param {Place} place */
function describeList(rows, n, { found }) {
  if (found !== null) return `${wholeNumber(rows.length)} of ${wholeNumber(n)}`;
  return n === 1 ? "1 category" : `${wholeNumber(n)} categories`;
}

/** The field that filters the list to categories that contain a text; the kernel searches.
 * @param {string} name of the column @param {string} text the typed text @param {(text: string) => void} seek */
function valueField(name, text, seek) {
  const press = (/** @type {KeyboardEvent} */ event) => {
    const list = /** @type {Element} */ (event.currentTarget).closest(".count-list")?.querySelector("[role=listbox]");
    if (event.key === "Escape" && textIn(event) !== "") seek("");
    else if (event.key === "ArrowDown") /** @type {HTMLElement} */ (list).focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return html`<div class="box">${ICONS.search}<input type="text" aria-label="Find a value of ${name}" placeholder="Find a value" autocomplete="off" spellcheck="false"
    .value=${live(text)} @input=${(/** @type {Event} */ event) => seek(textIn(event))} @keydown=${press}></div>`;
}
