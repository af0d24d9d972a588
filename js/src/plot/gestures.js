/** Translates pointer, wheel and key events into actions: move, zoom, draw a shape, point at a cell. Knows no
 * camera. */
// Changes with js/src/page/keys.js and js/src/panels/keyboard_help.js: keys, and the list of them.
// Changes with js/src/page/parts/toolbar.js: tools of the toolbar.
import { createDrag } from "./drag.js";
import { createKeyShape } from "./keyboard_shape_loader.js";
import { createWheel } from "./wheel.js";

/**
 * @typedef {object} Meaning positions and distances in CSS px of the element
 * @property {() => import("../state/state.js").State} state of the widget, for the settings of gestures
 * @property {() => boolean} isReady whether there is a view to move
 * @property {(px: number, py: number) => [number, number]} toData
 * @property {(dx: number, dy: number) => void} pan
 * @property {(factor: number, px: number, py: number) => void} zoom
 * @property {() => void} settle the user has finished a move
 * @property {(shape: import("./lasso.js").Shape | null, mode: import("./lasso.js").Mode, cursor?: {x: number, y: number} | null) => void} outline
 *   shows the current shape; null = none; cursor: where keys would add the next corner
 * @property {(polygon: number[], mode: import("./lasso.js").Mode) => void} select
 * @property {(px: number, py: number) => void} point the pointer hovers here, or a finger rests here
 * @property {(px: number, py: number) => void} mark a click or a tap
 * @property {() => void} leave the pointer has left the plot, or a drag has begun
 * @property {(sentence: string) => void} say announces a sentence to screen readers
 * @property {() => void} reset
 * @property {() => void} clear
 * @property {(tool: import("../wire/constants.js").Settings["tool"]) => void} pick
 * @property {() => void} needKeyShape loads the module that draws shapes by keys
 */

const KEY_PAN_PX = 40;
const KEY_ZOOM = 1.25;
/** A move by wheel or keys has no end event; it counts as finished after this delay. */
const REST_MS = 160;
/** Starts a shape if a selection tool is active. */
export const DRAW_KEY = "Enter";
/** Resets the view, like Home. */
export const RESET_KEY = "0";
/** In the order of their buttons. @type {Record<string, import("../wire/constants.js").Settings["tool"]>} */
export const TOOL_KEYS = { P: "pan", L: "lasso", R: "rectangle" };
/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
/** Keys of a focused plot, by action; the keyboard help lists them from here. */
export const PLOT_KEYS = {
  move: Object.keys(ARROWS),
  closer: ["+", "="],
  farther: ["-", "_"],
  everything: [RESET_KEY, "Home"],
  tool: Object.keys(TOOL_KEYS),
  hold: [" "],
  draw: [DRAW_KEY],
  clear: ["Escape"],
};
const DOES = /** @type {Record<string, keyof typeof PLOT_KEYS>} */ (
  Object.fromEntries(Object.entries(PLOT_KEYS).flatMap(([does, keys]) => keys.map((key) => [key, does])))
);

/** @param {HTMLElement} element @param {Meaning} meaning
 * @returns {{drop: () => void, goOn: () => void, destroy: () => void}} drop: discards the shape being drawn; goOn:
 * continues a shape that has waited for the module that draws it */
export function listenToGestures(element, meaning) {
  const drag = createDrag(element, meaning);
  const drawing = createKeyShape(element, meaning, DRAW_KEY, [...PLOT_KEYS.move, ...PLOT_KEYS.hold, "Backspace"]);
  const wheel = createWheel(element, meaning, drag.isShape);
  let isSpaceDown = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let rest;

  /** Hides the focus ring after a use of the mouse, until the next key press. */
  function markPointed() {
    element.toggleAttribute("data-pointed", true);
  }

  function settleSoon() {
    clearTimeout(rest);
    rest = setTimeout(meaning.settle, REST_MS);
  }

  /** @param {PointerEvent} event */
  function down(event) {
    if (event.button > 1) return;
    if (event.button === 1) event.preventDefault(); // otherwise the browser scrolls
    drawing.cancel();
    markPointed();
    element.focus({ preventScroll: true });
    // A drag continues outside the plot.
    element.setPointerCapture?.(event.pointerId);
    drag.down(event, event.button === 1 || isSpaceDown);
  }

  /** @param {KeyboardEvent} event */
  function keyDown(event) {
    if (event.ctrlKey || event.metaKey || !(drawing.press(event) || press(event.key))) return;
    element.removeAttribute("data-pointed");
    event.preventDefault();
    if (event.key === DRAW_KEY) event.stopPropagation(); // with Shift or Alt a notebook would run the cell
  }

  /** @param {string} key @returns {boolean} whether the plot handles it */
  function press(key) {
    const [w, h] = [element.clientWidth, element.clientHeight];
    const zoom = (/** @type {number} */ factor) => meaning.zoom(factor, w / 2, h / 2);
    const does = DOES[key] ?? DOES[key.toUpperCase()];
    if (does === "move") meaning.pan(ARROWS[key][0] * KEY_PAN_PX, ARROWS[key][1] * KEY_PAN_PX);
    else if (does === "closer") zoom(KEY_ZOOM);
    else if (does === "farther") zoom(1 / KEY_ZOOM);
    else if (does === "everything") meaning.reset();
    else if (does === "tool") pick(key.toUpperCase());
    else if (does === "hold") isSpaceDown = true;
    else if (does === "clear") return drag.cancel() || (meaning.clear(), false);
    else return false;
    if (does === "move" || does === "closer" || does === "farther") settleSoon();
    drawing.refresh();
    return true;
  }

  /** @param {string} key */
  function pick(key) {
    drawing.cancel();
    meaning.pick(TOOL_KEYS[key]);
  }

  const ending = new AbortController();
  /** @param {string} type @param {(event: any) => void} listener */
  const on = (type, listener, passive = true) =>
    element.addEventListener(type, listener, { signal: ending.signal, passive });
  // Not passive, because it may prevent the browser from scrolling.
  on("pointerdown", down, false);
  on("pointermove", (event) => {
    wheel.notePointer(event);
    drag.move(event);
  });
  on("pointerup", drag.up);
  on("pointercancel", drag.cancel);
  on("pointerleave", (event) => {
    wheel.awaitPointer(event);
    // The tooltip of a touched cell stays after the finger is lifted, which uncovers the cell.
    if (drag.isIdle() && event.pointerType !== "touch") meaning.leave();
  });
  // A long touch shows the tooltip of a cell; hosts and browsers would open a context menu.
  on(
    "contextmenu",
    (event) => event.pointerType === "touch" && (event.preventDefault(), event.stopPropagation()),
    false,
  );
  on(
    "wheel",
    (event) => {
      if (!wheel.turn(event)) return;
      markPointed();
      settleSoon();
      drawing.refresh();
    },
    false,
  );
  on("dblclick", () => meaning.reset());
  on("keydown", keyDown, false);
  on("keyup", (event) => event.key === " " && (isSpaceDown = false));
  on("blur", () => {
    isSpaceDown = false;
    if (document.hasFocus()) element.removeAttribute("data-pointed");
  });
  // In the capture phase and on the whole page: a scroll that began elsewhere must not become a zoom here.
  document.addEventListener("wheel", wheel.watch, { signal: ending.signal, capture: true, passive: true });
  return {
    drop() {
      drawing.cancel();
      if (drag.isShape()) drag.cancel();
    },
    goOn: drawing.goOn,
    destroy() {
      ending.abort();
      clearTimeout(rest);
    },
  };
}
