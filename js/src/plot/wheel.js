/** The wheel over a plot: zooms if the pointer came to the plot, scrolls the page if the plot came to the pointer. */
import { clamp } from "../screen/clamp.js";
import { placeIn } from "./drag.js";

const LINE_PX = 16;
const WHEEL_RATE = 0.0015;
const PINCH_RATE = 0.01;
/** Turns of the wheel that follow each other so soon are one scroll. */
const SCROLL_MS = 250;
/** A pointer that has moved so far has come to the plot, not the plot to the pointer. */
const COME_PX = 5;

/**
 * @param {HTMLElement} element
 * @param {import("./gestures.js").Meaning} meaning
 * @param {() => boolean} isShaping whether a shape is being drawn
 */
export function createWheel(element, meaning, isShaping) {
  /** When the page was scrolled last, from where on the screen, and whether the pointer has moved over the plot since. */
  let scrolledAt = -Infinity;
  /** @type {{screenX: number, screenY: number} | null} */
  let from = null;
  let hasCome = false;
  let isTaken = false;

  /** Is this turn of the wheel for the plot? Else it scrolls the page, and so do all that follow at once, wherever they end up.
   * @param {WheelEvent} event */
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
    /** Where the page moved beneath the pointer, that is where it was. @param {PointerEvent} event */
    notePointer({ screenX, screenY }) {
      hasCome ||= from === null || Math.abs(screenX - from.screenX) + Math.abs(screenY - from.screenY) >= COME_PX;
    },
    /** Sees every turn of the wheel on the page, before anybody else does. @param {WheelEvent} event */
    watch(event) {
      isTaken = isForPlot(event);
      // After a turn that scrolled the page the next ones scroll too, even if the page moved the plot under the
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
      // A pinch on a touchpad comes as a wheel with Ctrl and small steps.
      const rate = event.ctrlKey && Math.abs(event.deltaY * unit) < 50 ? PINCH_RATE : WHEEL_RATE;
      const { x, y } = placeIn(element, event);
      meaning.leave();
      meaning.zoom(Math.exp(-clamp(event.deltaY * unit, -300, 300) * rate), x, y);
      return true;
    },
  };
}
