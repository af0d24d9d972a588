/** The cards of a part: draws those in view, follows pointer and keys, shows the tooltip and the menu of a sample. */
import { html, nothing } from "lit-html";
import { guard } from "lit-html/directives/guard.js";
import { ref } from "lit-html/directives/ref.js";
import { inksOf } from "./condition_inks.js";
import { sampleMenu, sampleTip } from "./sample_tip.js";
import { cardPx, HEAD_PX, LABEL_PX, lanePxOf, placesOfCard, stripCard } from "./strip_card.js";
import { itemAfterKey, nearestSample } from "./strip_places.js";

/** @typedef {import("../../page/parts/ui.js").Context} Context */
/** @typedef {import("./study_cards.js").Card} Card */
/** @typedef {import("./study_cards.js").Sample} Sample */
/** @typedef {import("./strip_places.js").Places} Places */
/** @typedef {import("./strip_places.js").Item} Item */

/** A card is at least this wide, unless the panel is narrower. */
const LEAST_PX = 330;
const GAP_PX = 20;
/** Space above the first card; must match style.css. */
const TOP_PX = 6;

/**
 * @typedef {object} Shown
 * @property {Card[]} cards
 * @property {Sample[]} samples
 * @property {string[]} conditions
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
  /** @type {HTMLElement | null} */
  let sheet = null;
  let scroll = 0;
  /** @type {Shown | null} */
  let shown = null;
  /** Colors of conditions. @type {string[]} */
  let inks = [];
  /** The item that Tab reaches. @type {Item} */
  let active = { card: 0, lane: -1, place: -1 };
  /** The point under the pointer, or the one with the focus. @type {{card: number, sample: number} | null} */
  let pointed = null;
  /** True while the menu of the point is open. */
  let isOpen = false;
  let spoken = "";
  /** Places of cards that were drawn, by card; made again with other cards or another size.
   * @type {{cards: Card[] | null, size: string, places: Map<number, Places>}} */
  let made = { cards: null, size: "", places: new Map() };

  const resized = new ResizeObserver(() => redraw());

  /** @param {Element | undefined} element */
  function hold(element) {
    resized.disconnect();
    sheet = /** @type {HTMLElement | undefined} */ (element) ?? null;
    if (sheet !== null) resized.observe(sheet);
  }

  /** @returns {{nColumns: number, width: number, lanePx: number, high: number}} width: of the lanes of a card; high: of a card */
  function grid() {
    const px = (sheet?.clientWidth ?? 800) - GAP_PX;
    const nColumns = Math.max(1, Math.floor((px + GAP_PX) / (LEAST_PX + GAP_PX)));
    const width = Math.max(60, Math.floor((px - (nColumns - 1) * GAP_PX) / nColumns) - LABEL_PX);
    const [nLanes, n] = [shown?.conditions.length ?? 1, shown?.cards.length ?? 1];
    const lanePx = lanePxOf(nLanes, Math.max(1, Math.ceil(n / nColumns)), (sheet?.clientHeight ?? 0) - TOP_PX);
    return { nColumns, width, lanePx, high: cardPx(nLanes, lanePx) };
  }

  /** @param {number} card @returns {Places} */
  function placesAt(card) {
    const { cards, samples, conditions } = /** @type {Shown} */ (shown);
    const { width, lanePx } = grid();
    const size = `${width} ${lanePx}`;
    if (made.cards !== cards || made.size !== size) made = { cards, size, places: new Map() };
    const known = made.places.get(card) ?? placesOfCard(cards[card], samples, conditions.length, width, lanePx);
    made.places.set(card, known);
    return known;
  }

  /** @param {Item} item @returns {number} sample of a point, -1 = it is no point */
  const sampleOf = ({ card, lane, place }) => (lane < 0 || place < 0 ? -1 : (placesAt(card).lanes[lane][place] ?? -1));

  /** The active item after a change of the cards. */
  function settle() {
    const { cards, conditions } = /** @type {Shown} */ (shown);
    if (active.card >= cards.length || active.lane >= conditions.length) active = { card: 0, lane: -1, place: -1 };
    const n = cards.length === 0 ? 0 : (placesAt(active.card).lanes[active.lane]?.length ?? 0);
    if (active.place >= n) active = { ...active, place: n - 1 };
    if (pointed !== null && !(pointed.card < cards.length && placesAt(pointed.card).x[pointed.sample] >= 0)) drop();
  }

  function drop() {
    [pointed, isOpen] = [null, false];
  }

  /** Moves the focus to the active item, once it is drawn in the same frame. */
  function focusActive() {
    redraw();
    requestAnimationFrame(() => {
      const card = sheet?.querySelector(`[data-card="${active.card}"]`);
      /** @type {HTMLElement | null | undefined} */ (card?.querySelector("[tabindex='0']"))?.focus({
        preventScroll: true,
      });
    });
  }

  /** @param {Item} item */
  function goTo(item) {
    active = item;
    const sample = sampleOf(item);
    drop();
    if (sample >= 0) pointed = { card: item.card, sample };
    spoken = sample >= 0 ? nameOf(item.card, sample) : "";
    const { nColumns, high } = grid();
    const top = Math.floor(item.card / nColumns) * high;
    if (sheet !== null && (top < sheet.scrollTop || top + high > sheet.scrollTop + sheet.clientHeight))
      sheet.scrollTop = top < sheet.scrollTop ? top : top + high - sheet.clientHeight;
    scroll = sheet?.scrollTop ?? 0;
    focusActive();
  }

  /** @param {number} card @param {number} sample */
  function nameOf(card, sample) {
    const { cards, samples, conditions, describePoint } = /** @type {Shown} */ (shown);
    const one = samples[sample];
    const fields = describePoint(cards[card], sample).map((field) => field.join(" "));
    return [one.name, conditions[one.condition], ...(one.excluded ? ["excluded"] : []), ...fields].join(", ");
  }

  /** @param {KeyboardEvent} event */
  function press(event) {
    if (shown === null || event.defaultPrevented || event.ctrlKey || event.metaKey) return;
    const inMenu = /** @type {Element} */ (event.target).closest(".tooltip") !== null;
    if (event.key === "Escape" && (isOpen || pointed !== null)) {
      drop();
      focusActive();
    } else if (inMenu || event.altKey) return;
    else if ((event.key === "Delete" || event.key === "Backspace") && sampleOf(active) >= 0)
      does.exclude(shown.samples[sampleOf(active)]);
    else {
      const item = itemAfterKey(event.key, active, shown.cards.length, placesAt);
      if (item === null) return;
      goTo(item);
    }
    event.preventDefault();
    event.stopPropagation();
  }

  /** A heading or a label that got the focus in another way is the active item. @param {FocusEvent} event */
  function enter({ target }) {
    const { lane } = /** @type {HTMLElement} */ (target).dataset;
    const card = /** @type {HTMLElement | null} */ (/** @type {Element} */ (target).closest("[data-card]"));
    if (lane === undefined || card === null) return;
    const item = { card: Number(card.dataset.card), lane: Number(lane), place: -1 };
    if (JSON.stringify(item) === JSON.stringify(active)) return;
    active = item;
    redraw();
  }

  /** The point of an event. @param {MouseEvent} event @returns {{card: number, sample: number} | null} */
  function pointOf(event) {
    const card = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("[data-card]"));
    if (card === null) return null;
    const { left, top } = card.getBoundingClientRect();
    const i = Number(card.dataset.card);
    const sample = nearestSample(placesAt(i), event.clientX - left - LABEL_PX, event.clientY - top - HEAD_PX);
    return sample < 0 ? null : { card: i, sample };
  }

  /** @param {PointerEvent} event */
  function point(event) {
    if (isOpen || shown === null || /** @type {Element} */ (event.target).closest(".tooltip")) return;
    const found = pointOf(event);
    if (found?.card === pointed?.card && found?.sample === pointed?.sample) return;
    pointed = found;
    redraw();
  }

  /** @param {MouseEvent} event */
  function click(event) {
    if (shown === null) return;
    const { cards, samples, conditions } = shown;
    const target = /** @type {HTMLElement} */ (event.target);
    const item = /** @type {HTMLElement | null} */ (target.closest("[data-lane]"));
    const card = /** @type {HTMLElement | null} */ (target.closest("[data-card]"));
    if (card === null) return;
    const i = Number(card.dataset.card);
    // Enter on the active point has no place.
    const found = event.detail === 0 && target.matches(".at") ? { card: i, sample: sampleOf(active) } : pointOf(event);
    if (item !== null) {
      const lane = Number(item.dataset.lane);
      active = { card: i, lane, place: -1 };
      drop();
      const { category } = cards[i];
      if (lane >= 0 || category !== "") does.pick({ category, condition: lane < 0 ? "" : conditions[lane] }, event);
      focusActive();
    } else if (found !== null) {
      const { condition, sample } = samples[found.sample];
      active = { card: i, lane: condition, place: placesAt(i).lanes[condition].indexOf(found.sample) };
      [pointed, isOpen] = [found, true];
      if (!shown.isKept) does.pick({ sample, condition: conditions[condition], category: cards[i].category }, event);
      focusActive();
      return;
    } else drop();
    redraw();
  }

  return {
    /** Forget what is pointed at: other cards are shown. */
    begin() {
      [active, scroll] = [{ card: 0, lane: -1, place: -1 }, 0];
      drop();
      if (sheet !== null) sheet.scrollTop = 0;
    },
    /** @param {Context} context @param {Shown} wanted */
    draw(context, wanted) {
      shown = wanted;
      inks = inksOf(wanted.conditions, context);
      settle();
      const { cards, label, isOld } = wanted;
      const { nColumns, width, high } = grid();
      const inView = Math.ceil((sheet?.clientHeight ?? 600) / high) + 1;
      const first = Math.max(0, Math.min(Math.floor(scroll / high), Math.ceil(cards.length / nColumns) - inView));
      const seen = cards.slice(first * nColumns, (first + inView) * nColumns);
      const isInView = active.card >= first * nColumns && active.card < (first + inView) * nColumns;
      const tabbed = isInView ? active : { card: first * nColumns, lane: -1, place: -1 };
      const leave = () => !isOpen && pointed !== null && (drop(), redraw());
      return html`<div class="strip-list" @keydown=${press} @focusin=${enter} @pointermove=${point} @pointerleave=${leave} @click=${click}>
        <div class="strip-sheet" role="group" aria-label=${label} aria-busy=${isOld} ${ref(hold)} @scroll=${() => ((scroll = sheet?.scrollTop ?? 0), isOpen || drop(), redraw())}>
          <div style="height:${Math.ceil(cards.length / nColumns) * high}px"><div class="strip-grid" style="transform:translateY(${first * high}px);grid-template-columns:repeat(${nColumns},${width + LABEL_PX}px);grid-auto-rows:${high}px;column-gap:${GAP_PX}px">
            ${seen.map((card, k) => drawCard(card, first * nColumns + k, width, tabbed))}</div></div></div>
        ${tip(context)}<div class="spoken" role="status">${spoken}</div></div>`;
    },
  };

  /** @param {Card} card @param {number} i @param {number} width @param {Item} reached */
  function drawCard(card, i, width, reached) {
    const { samples, conditions, hasBoxes, describeTest } = /** @type {Shown} */ (shown);
    const tabbed = reached.card === i ? reached : null;
    const places = placesAt(i);
    return guard([card, i, places, String(inks), samples, tabbed && `${tabbed.lane} ${tabbed.place}`], () => {
      const sample = tabbed === null ? -1 : sampleOf(tabbed);
      const about = { width, lanePx: grid().lanePx, inks, places, hasBoxes, describedTest: describeTest(card), tabbed };
      return stripCard(card, i, samples, conditions, about, sample < 0 ? "" : nameOf(i, sample));
    });
  }

  /** The tooltip of the point under the pointer; its menu after a click. @param {Context} context */
  function tip({ state }) {
    if (pointed === null || sheet === null || shown === null) return nothing;
    const { cards, samples, conditions, isKept, describePoint } = shown;
    const one = samples[pointed.sample];
    const places = placesAt(pointed.card);
    const { nColumns, width, high } = grid();
    const x =
      (pointed.card % nColumns) * (width + LABEL_PX + GAP_PX) + LABEL_PX + places.x[pointed.sample] + GAP_PX / 2;
    const y =
      Math.floor(pointed.card / nColumns) * high + TOP_PX + HEAD_PX + places.y[pointed.sample] - sheet.scrollTop;
    const across = x > sheet.clientWidth / 2 ? `left:auto;right:${sheet.clientWidth - x + 10}px` : `left:${x + 10}px`;
    const along = y > sheet.clientHeight / 2 ? `top:auto;bottom:${sheet.clientHeight - y + 8}px` : `top:${y + 8}px`;
    const { category } = cards[pointed.card];
    return html`<i class="ring" style="left:${x}px;top:${y}px"></i>${sampleTip(
      { sample: one, condition: conditions[one.condition], fields: describePoint(cards[pointed.card], pointed.sample) },
      `${across};${along}`,
      isOpen ? sampleMenu(state, one, isKept ? pickOf : null, act) : nothing,
    )}`;

    function act() {
      drop();
      does.exclude(one);
      focusActive();
    }

    /** @param {MouseEvent} event */
    function pickOf(event) {
      does.pick({ sample: one.sample, condition: conditions[one.condition], category }, event);
    }
  }
}
