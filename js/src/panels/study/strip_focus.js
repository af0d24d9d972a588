/** The item of a sheet of cards that has the focus, and the point whose tooltip or menu is shown. */
import { itemAfterKey } from "./strip_places.js";

/** @typedef {import("./strip_list.js").Shown} Shown */
/** @typedef {import("./strip_list.js").Does} Does */
/** @typedef {import("./strip_places.js").Item} Item */
/** @typedef {import("./strip_sheet.js").Point} Point */

/** @type {Item} */
const FIRST = { card: 0, lane: -1, place: -1 };

/** Description of a point. @param {Shown} shown @param {Point} point */
export function nameOf({ cards, samples, conditions, describePoint }, { card, sample }) {
  const one = samples[sample];
  const fields = describePoint(cards[card], sample).map((field) => field.join(" "));
  return [one.name, conditions[one.condition], ...(one.excluded ? ["excluded"] : []), ...fields].join(", ");
}

/** @param {EventTarget | null} target @returns {number} -1 = none */
function cardOf(target) {
  const card = /** @type {HTMLElement | null} */ (/** @type {Element} */ (target).closest("[data-card]"));
  return card === null ? -1 : Number(card.dataset.card);
}

/** @param {() => void} redraw @param {import("./strip_sheet.js").StripSheet} sheet @param {Does} does */
export function createStripFocus(redraw, sheet, does) {
  /** @type {Shown | null} */
  let shown = null;
  /** The item that Tab reaches. */
  let active = FIRST;
  /** The point under the pointer, or the one with the focus. @type {Point | null} */
  let pointed = null;
  /** True while the menu of the point is open. */
  let isOpen = false;
  let spoken = "";

  /** @param {Item} item @returns {number} sample of a point, -1 = it is no point */
  const sampleOf = ({ card, lane, place }) =>
    lane < 0 || place < 0 ? -1 : (sheet.placesAt(card).lanes[lane][place] ?? -1);

  function drop() {
    [pointed, isOpen] = [null, false];
  }

  function focusActive() {
    redraw();
    sheet.focus(active.card);
  }

  /** @param {Item} item */
  function goTo(item) {
    active = item;
    const sample = sampleOf(item);
    drop();
    if (sample >= 0) pointed = { card: item.card, sample };
    spoken = pointed === null || shown === null ? "" : nameOf(shown, pointed);
    sheet.scrollTo(item.card);
    focusActive();
  }

  return {
    active: () => active,
    pointed: () => pointed,
    isOpen: () => isOpen,
    spoken: () => spoken,
    sampleOf,
    drop,
    focusActive,
    begin() {
      active = FIRST;
      drop();
    },
    /** Keep what other cards still have. @param {Shown} wanted */
    show(wanted) {
      shown = wanted;
      const { cards, conditions } = wanted;
      if (active.card >= cards.length || active.lane >= conditions.length) active = FIRST;
      const n = cards.length === 0 ? 0 : (sheet.placesAt(active.card).lanes[active.lane]?.length ?? 0);
      if (active.place >= n) active = { ...active, place: n - 1 };
      if (pointed !== null && !(pointed.card < cards.length && sheet.placesAt(pointed.card).x[pointed.sample] >= 0))
        drop();
    },
    /** @param {KeyboardEvent} event */
    press(event) {
      if (shown === null || event.defaultPrevented || event.ctrlKey || event.metaKey) return;
      const inMenu = /** @type {Element} */ (event.target).closest(".tooltip") !== null;
      if (event.key === "Escape" && pointed !== null) {
        drop();
        focusActive();
      } else if (inMenu || event.altKey) return;
      else if ((event.key === "Delete" || event.key === "Backspace") && sampleOf(active) >= 0)
        does.exclude(shown.samples[sampleOf(active)]);
      else {
        const item = itemAfterKey(event.key, active, shown.cards.length, sheet.placesAt);
        if (item === null) return;
        goTo(item);
      }
      event.preventDefault();
      event.stopPropagation();
    },
    /** A heading or a label that got the focus in another way is the active item. @param {FocusEvent} event */
    enter({ target }) {
      const { lane } = /** @type {HTMLElement} */ (target).dataset;
      const item = { card: cardOf(target), lane: Number(lane), place: -1 };
      if (lane === undefined || item.card < 0) return;
      if (JSON.stringify(item) === JSON.stringify(active)) return;
      active = item;
      redraw();
    },
    leave() {
      if (isOpen || pointed === null) return;
      drop();
      redraw();
    },
    /** @param {PointerEvent} event */
    point(event) {
      if (isOpen || shown === null || /** @type {Element} */ (event.target).closest(".tooltip")) return;
      const found = sheet.pointOf(event);
      if (found?.card === pointed?.card && found?.sample === pointed?.sample) return;
      pointed = found;
      redraw();
    },
    /** A click selects the cells of a heading, a lane or a point, whose menu it opens. @param {MouseEvent} event */
    click(event) {
      if (shown === null) return;
      const target = /** @type {HTMLElement} */ (event.target);
      const label = /** @type {HTMLElement | null} */ (target.closest("[data-lane]"));
      const card = cardOf(target);
      if (card < 0) return;
      // Enter on the active point has no place.
      const isOfKey = event.detail === 0 && target.matches(".at");
      const found = isOfKey ? { card, sample: sampleOf(active) } : sheet.pointOf(event);
      if (label !== null) clickLabel(card, Number(label.dataset.lane), event, shown);
      else if (found !== null) clickPoint(found, event, shown);
      else {
        drop();
        redraw();
      }
    },
  };

  /** @param {number} card @param {number} lane @param {MouseEvent} event @param {Shown} now */
  function clickLabel(card, lane, event, { cards, conditions }) {
    active = { card, lane, place: -1 };
    drop();
    const { category } = cards[card];
    if (lane >= 0 || category !== "") does.pick({ category, condition: lane < 0 ? "" : conditions[lane] }, event);
    focusActive();
  }

  /** @param {Point} point @param {MouseEvent} event @param {Shown} now */
  function clickPoint(point, event, { cards, samples, conditions, isKept }) {
    const { condition, sample } = samples[point.sample];
    const place = sheet.placesAt(point.card).lanes[condition].indexOf(point.sample);
    active = { card: point.card, lane: condition, place };
    [pointed, isOpen] = [point, true];
    const { category } = cards[point.card];
    if (!isKept) does.pick({ sample, condition: conditions[condition], category }, event);
    focusActive();
  }
}
