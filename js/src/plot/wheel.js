/** The wheel over a plot: zooms if the user moved the pointer onto the plot; scrolls the page if scrolling brought
 * the plot under the pointer. */
import { clamp } from "../screen/clamp.js";
import { placeIn } from "./drag.js";

const LINE_PX = 16;
const WHEEL_RATE = 0.0015;
const PINCH_RATE = 0.01;
/** Wheel events within this interval belong to one scroll. */
const SCROLL_MS = 250;
/** After this distance over the plot, the user has moved the pointer onto it. */
const COME_PX = 5;

/**
 * @param {HTMLElement} element
 * @param {import("./gestures.js").Meaning} meaning
 * @param {() => boolean} isShaping whether a shape is being drawn
 */
export function createWheel(element, meaning, isShaping) {
  /** Time of the last scroll of the page; `from`: screen position of the pointer then; `hasCome`: the pointer has
   * moved over the plot since. */
  let scrolledAt = -Infinity;
  /** @type {{screenX: number, screenY: number} | null} */
  let from = null;
  let hasCome = false;
  let isTaken = false;

  /** True if a wheel event is for the plot. Otherwise it scrolls the page, and so do the events that follow
   * immediately, wherever they occur. @param {WheelEvent} event */
  function isForPlot(event) {
    if (!event.composedPath().includes(element)) return false;
    if (isShaping()) return true;
    if (!meaning.isReady()) return false;
    if (event.ctrlKey || event.metaKey) return true;
    if (meaning.state().traits.wheel_zoom === false) return false;
    const isScroll = event.timeStamp - scrolledAt < SCROLL_MS || !event.cancelable;
    return !isScroll && (hasCome || element.matches(":focus"));
  }

  /** @param {{screenX: number, screenY: number}} at */
  function awaitPointer({ screenX, screenY }) {
    [from, hasCome] = [{ screenX, screenY }, false];
  }

  return {
    awaitPointer,
    /** Notes a move of the pointer; a page that scrolls beneath the pointer leaves its screen position as it was.
     * @param {PointerEvent} event */
    notePointer({ screenX, screenY }) {
      hasCome ||= from === null || Math.abs(screenX - from.screenX) + Math.abs(screenY - from.screenY) >= COME_PX;
    },
    /** Gets every wheel event of the page, before any other listener. @param {WheelEvent} event */
    watch(event) {
      isTaken = isForPlot(event);
      // After an event that scrolled the page the next ones scroll too, even if the page moved the plot under the
      // pointer.
      if (isTaken) return;
      scrolledAt = event.timeStamp;
      awaitPointer(event);
    },
    /** @param {WheelEvent} event @returns {boolean} whether it zoomed */
    turn(event) {
      if (!isTaken) return false;
      event.preventDefault();
      if (isShaping()) return false;
      const unit = event.deltaMode === 1 ? LINE_PX : event.deltaMode === 2 ? element.clientHeight : 1;
      // Browsers report a pinch on a touchpad as a wheel event with Ctrl and small steps.
      const rate = event.ctrlKey && Math.abs(event.deltaY * unit) < 50 ? PINCH_RATE : WHEEL_RATE;
      const { x, y } = placeIn(element, event);
      meaning.leave();
      meaning.zoom(Math.exp(-clamp(event.deltaY * unit, -300, 300) * rate), x, y);
      return true;
    },
  };
}
