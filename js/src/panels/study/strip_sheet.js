/** The sheet on which cards lie in columns: its scrolling, the places of cards and points, the cards in view. */
import { cardPx, HEAD_PX, labelPxOf, lanePxOf, placesOfCard } from "./strip_card.js";
import { nearestSample } from "./strip_places.js";

/** @typedef {import("./strip_list.js").Shown} Shown */
/** @typedef {import("./strip_places.js").Places} Places */
/** @typedef {{card: number, sample: number}} Point of a sample in a card */
/** @typedef {{nColumns: number, labelPx: number, width: number, lanePx: number, high: number}} Grid width: of the lanes
 *   of a card; high: of a card */
/** @typedef {ReturnType<typeof createStripSheet>} StripSheet */

/** A card is at least this wide, unless the panel is narrower. */
const LEAST_PX = 330;
export const GAP_PX = 20;
/** Space above the first card; must match style.css. */
const TOP_PX = 6;
/** Space left of the first card; must match style.css. */
const LEFT_PX = 10;

/** @param {() => void} redraw @param {() => void} afterScroll called after the user scrolls */
export function createStripSheet(redraw, afterScroll) {
  /** @type {HTMLElement | null} */
  let sheet = null;
  let scroll = 0;
  /** @type {Shown | null} */
  let shown = null;
  /** Places of cards that were drawn, by card; made again with other cards or another size.
   * @type {{cards: Shown["cards"] | null, size: string, places: Map<number, Places>}} */
  let made = { cards: null, size: "", places: new Map() };

  const resized = new ResizeObserver(() => redraw());

  /** @returns {Grid} */
  function grid() {
    const px = (sheet?.clientWidth ?? 800) - GAP_PX;
    const nColumns = Math.max(1, Math.floor((px + GAP_PX) / (LEAST_PX + GAP_PX)));
    const whole = Math.floor((px - (nColumns - 1) * GAP_PX) / nColumns);
    const { conditions = [""], cards = [] } = shown ?? {};
    const labelPx = labelPxOf(conditions, whole);
    const nRows = Math.max(1, Math.ceil(cards.length / nColumns));
    const lanePx = lanePxOf(conditions.length, nRows, (sheet?.clientHeight ?? 0) - TOP_PX);
    return {
      nColumns,
      labelPx,
      width: Math.max(60, whole - labelPx),
      lanePx,
      high: cardPx(conditions.length, lanePx),
    };
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

  return {
    grid,
    placesAt,
    /** @param {Shown} wanted */
    show: (wanted) => void (shown = wanted),
    /** @param {Element | undefined} element */
    hold(element) {
      resized.disconnect();
      sheet = /** @type {HTMLElement | undefined} */ (element) ?? null;
      if (sheet !== null) resized.observe(sheet);
    },
    follow() {
      scroll = sheet?.scrollTop ?? 0;
      afterScroll();
      redraw();
    },
    begin() {
      scroll = 0;
      if (sheet !== null) sheet.scrollTop = 0;
    },
    /** Scroll until a card is in view. @param {number} card */
    scrollTo(card) {
      const { nColumns, high } = grid();
      const top = Math.floor(card / nColumns) * high;
      if (sheet !== null && (top < sheet.scrollTop || top + high > sheet.scrollTop + sheet.clientHeight))
        sheet.scrollTop = top < sheet.scrollTop ? top : top + high - sheet.clientHeight;
      scroll = sheet?.scrollTop ?? 0;
    },
    /** Give the focus to the item of a card that Tab reaches, once it is drawn in the same frame. @param {number} card */
    focus(card) {
      requestAnimationFrame(() => {
        const item = sheet?.querySelector(`[data-card="${card}"]`)?.querySelector("[tabindex='0']");
        /** @type {HTMLElement | null | undefined} */ (item)?.focus({ preventScroll: true });
      });
    },
    /** The cards in view: the first and the one after the last, and the row of the first.
     * @param {number} nCards @returns {{first: number, end: number, row: number}} */
    inView(nCards) {
      const { nColumns, high } = grid();
      const nRows = Math.ceil((sheet?.clientHeight ?? 600) / high) + 1;
      const row = Math.max(0, Math.min(Math.floor(scroll / high), Math.ceil(nCards / nColumns) - nRows));
      return { first: row * nColumns, end: (row + nRows) * nColumns, row };
    },
    /** The point of an event. @param {MouseEvent} event @returns {Point | null} */
    pointOf(event) {
      const card = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("[data-card]"));
      if (card === null) return null;
      const { left, top } = card.getBoundingClientRect();
      const i = Number(card.dataset.card);
      const [x, y] = [event.clientX - left - grid().labelPx, event.clientY - top - HEAD_PX];
      const sample = nearestSample(placesAt(i), x, y);
      return sample < 0 ? null : { card: i, sample };
    },
    /** Where a point is, and CSS of a tooltip beside it, towards the middle; null = nothing is drawn.
     * @param {Point} point @returns {{x: number, y: number, beside: string} | null} px in the list */
    placeOf({ card, sample }) {
      if (sheet === null) return null;
      const { nColumns, labelPx, width, high } = grid();
      const places = placesAt(card);
      const x = (card % nColumns) * (width + labelPx + GAP_PX) + labelPx + places.x[sample] + LEFT_PX;
      const y = Math.floor(card / nColumns) * high + TOP_PX + HEAD_PX + places.y[sample] - sheet.scrollTop;
      const { clientWidth, clientHeight } = sheet;
      const across = x > clientWidth / 2 ? `left:auto;right:${clientWidth - x + 10}px` : `left:${x + 10}px`;
      const along = y > clientHeight / 2 ? `top:auto;bottom:${clientHeight - y + 8}px` : `top:${y + 8}px`;
      return { x, y, beside: `${across};${along}` };
    },
  };
}
