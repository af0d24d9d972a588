/** The cards of a part: draws those in view, with the tooltip and the menu of a sample. */
import { html, nothing } from "lit-html";
import { guard } from "lit-html/directives/guard.js";
import { ref } from "lit-html/directives/ref.js";
import { sampleMenu, sampleTip } from "./sample_tip.js";
import { stripCard } from "./strip_card.js";
import { createStripFocus, nameOf } from "./strip_focus.js";
import { createStripSheet, GAP_PX } from "./strip_sheet.js";

/** @typedef {import("../../page/parts/ui.js").Context} Context */
/** @typedef {import("./study_cards.js").Card} Card */
/** @typedef {import("./study_cards.js").Sample} Sample */

/**
 * @typedef {object} Shown
 * @property {Card[]} cards
 * @property {Sample[]} samples
 * @property {string[]} conditions
 * @property {string[]} inks colors of conditions
 * @property {boolean} hasBoxes
 * @property {boolean} isOld
 * @property {string} label of the list
 * @property {(card: Card) => string} describeTest
 * @property {(card: Card, sample: number) => string[][]} describePoint names and values
 * @property {boolean} isKept whether a click on a point keeps the selection, from which the cards are made
 *
 * @typedef {object} Does
 * @property {(of: {sample?: string, condition?: string, category?: string}, event: MouseEvent | KeyboardEvent) => void} pick
 * @property {(sample: Sample) => void} exclude or include it again
 */

/** @param {() => void} redraw @param {Does} does */
export function createStripList(redraw, does) {
  const sheet = createStripSheet(redraw, () => focus.isOpen() || focus.drop());
  const focus = createStripFocus(redraw, sheet, does);
  const { press, enter, point, leave, click } = focus;

  /** @param {Card} card @param {number} i @param {Shown} shown @param {boolean} isReached whether Tab reaches the card */
  function drawCard(card, i, shown, isReached) {
    const { samples, inks } = shown;
    const tabbed = isReached ? (focus.active().card === i ? focus.active() : { card: i, lane: -1, place: -1 }) : null;
    const places = sheet.placesAt(i);
    const { labelPx, width, lanePx } = sheet.grid();
    return guard([card, i, places, labelPx, String(inks), samples, tabbed && `${tabbed.lane} ${tabbed.place}`], () => {
      const sample = tabbed === null ? -1 : focus.sampleOf(tabbed);
      const about = { labelPx, width, lanePx, places, describedTest: shown.describeTest(card), tabbed };
      return stripCard(card, i, shown, about, sample < 0 ? "" : nameOf(shown, { card: i, sample }));
    });
  }

  /** The tooltip of the point under the pointer; its menu after a click. @param {Context} context @param {Shown} shown */
  function tip({ state }, { cards, samples, conditions, isKept, describePoint }) {
    const pointed = focus.pointed();
    const place = pointed === null ? null : sheet.placeOf(pointed);
    if (pointed === null || place === null) return nothing;
    const card = cards[pointed.card];
    const one = samples[pointed.sample];
    const condition = conditions[one.condition];
    const pick = (/** @type {MouseEvent} */ event) =>
      does.pick({ sample: one.sample, condition, category: card.category }, event);
    const exclude = () => {
      focus.drop();
      does.exclude(one);
      focus.focusActive();
    };
    const menu = focus.isOpen() ? sampleMenu(state, one, isKept ? pick : null, exclude) : nothing;
    const about = { sample: one, condition, fields: describePoint(card, pointed.sample) };
    return html`<i class="ring" style="left:${place.x}px;top:${place.y}px"></i>${sampleTip(about, place.beside, menu)}`;
  }

  return {
    /** Forget what is pointed at: other cards are shown. */
    begin() {
      focus.begin();
      sheet.begin();
    },
    /** @param {Context} context @param {Shown} shown */
    draw(context, shown) {
      sheet.show(shown);
      focus.show(shown);
      const { cards, label, isOld } = shown;
      const { nColumns, labelPx, width, high } = sheet.grid();
      const { first, end, row } = sheet.inView(cards.length);
      const { card: active } = focus.active();
      const reached = active >= first && active < end ? active : first;
      return html`<div class="strip-list" @keydown=${press} @focusin=${enter} @pointermove=${point} @pointerleave=${leave} @click=${click}>
        <div class="strip-sheet" role="group" aria-label=${label} aria-busy=${isOld} ${ref(sheet.hold)} @scroll=${sheet.follow}>
          <div style="height:${Math.ceil(cards.length / nColumns) * high}px"><div class="strip-grid" style="--label:${labelPx}px;transform:translateY(${row * high}px);grid-template-columns:repeat(${nColumns},${width + labelPx}px);grid-auto-rows:${high}px;column-gap:${GAP_PX}px">
            ${cards.slice(first, end).map((card, k) => drawCard(card, first + k, shown, first + k === reached))}</div></div></div>
        ${tip(context, shown)}<div class="spoken" role="status">${focus.spoken()}</div></div>`;
    },
  };
}
