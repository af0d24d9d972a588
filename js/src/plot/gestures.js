/** From pointer, wheel and keys to what they mean: move, zoom, draw a shape, point at something. Knows no camera. */
import { createShape, modeOf } from "./lasso.js";

/** @typedef {import("./lasso.js").Modifiers} Modifiers */
/** @typedef {import("./lasso.js").Shape} Shape */

/**
 * @typedef {object} Meaning positions and distances in CSS px of the element
 * @property {() => "pan" | "lasso" | "rectangle" | null} tool null = nothing can be selected
 * @property {(px: number, py: number) => [number, number]} toData
 * @property {(dx: number, dy: number) => void} pan
 * @property {(factor: number, px: number, py: number) => void} zoom
 * @property {() => void} settle a hand has let go
 * @property {(shape: Shape | null, mode: import("./lasso.js").Mode) => void} outline the shape so far; null = there is none
 * @property {(polygon: number[], mode: import("./lasso.js").Mode) => void} select
 * @property {(px: number, py: number) => void} point the pointer is here, with no button down
 * @property {() => void} leave it is not, or it is busy
 * @property {(isAsked: boolean) => boolean} zooms whether the wheel does; isAsked: by a key that is held
 * @property {() => void} reset
 * @property {() => void} clear
 * @property {(tool: "pan" | "lasso" | "rectangle") => void} pick
 *
 * @typedef {{kind: "pan", id: number, x: number, y: number} | {kind: "pinch", x: number, y: number, spread: number}
 *   | {kind: "shape", id: number, shape: Shape, start: Modifiers}} Drag
 */

const LINE_PX = 16;
const KEY_PAN_PX = 40;
const KEY_ZOOM = 1.25;
const WHEEL_RATE = 0.0015;
const PINCH_RATE = 0.01;
/** The wheel has no end; it rests after so long. */
const WHEEL_REST_MS = 160;
/** Turns of the wheel that follow each other so soon are one scroll. */
const SCROLL_MS = 250;
/** A pointer that has moved so far has come to the plot, not the plot to the pointer. */
const COME_PX = 5;
/** @type {Record<string, "pan" | "lasso" | "rectangle">} */
const TOOL_KEYS = { p: "pan", l: "lasso", r: "rectangle" };
/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

/** @param {HTMLElement} element @param {Meaning} meaning @returns {() => void} stops listening */
export function listenToGestures(element, meaning) {
  /** @type {Map<number, {x: number, y: number}>} */
  const pointers = new Map();
  /** @type {Drag | null} */
  let drag = null;
  let isSpaceDown = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let wheelRest;
  /** When the page was scrolled last, from where on the screen, and whether the pointer has moved over the plot since. */
  let scrolledAt = -Infinity;
  /** @type {{screenX: number, screenY: number} | null} */
  let from = null;
  let hasCome = false;
  let isTaken = false;

  const modifiers = (/** @type {PointerEvent | KeyboardEvent} */ event) => ({
    shift: event.shiftKey,
    alt: event.altKey,
  });
  /** @param {{clientX: number, clientY: number}} event */
  function place({ clientX, clientY }) {
    const { left, top } = element.getBoundingClientRect();
    return { x: clientX - left - element.clientLeft, y: clientY - top - element.clientTop };
  }

  /** No focus ring for a mouse, until a key is used again. */
  function markPointed() {
    element.toggleAttribute("data-pointed", true);
  }

  /** @param {PointerEvent} event */
  function down(event) {
    if (event.button > 1) return;
    if (event.button === 1) event.preventDefault(); // else the browser scrolls
    markPointed();
    element.focus({ preventScroll: true });
    element.setPointerCapture?.(event.pointerId);
    const at = place(event);
    pointers.set(event.pointerId, at);
    meaning.leave();
    if (pointers.size === 2 && event.pointerType === "touch") beginPinch();
    else if (drag === null) begin(event, at);
  }

  /** @param {PointerEvent} event @param {{x: number, y: number}} at */
  function begin(event, at) {
    const tool = meaning.tool();
    const start = modifiers(event);
    const isPan = event.button === 1 || isSpaceDown || tool === null || (tool === "pan" && !start.shift && !start.alt);
    if (isPan) {
      drag = { kind: "pan", id: event.pointerId, ...at };
      return;
    }
    const shape = createShape(tool === "rectangle" ? "rectangle" : "lasso");
    shape.add(at.x, at.y, meaning.toData(at.x, at.y));
    drag = { kind: "shape", id: event.pointerId, shape, start };
    meaning.outline(shape, modeOf(start));
  }

  function beginPinch() {
    if (drag?.kind === "shape") meaning.outline(null, "replace");
    drag = { kind: "pinch", ...middle() };
  }

  function middle() {
    const [a, b] = [...pointers.values()];
    return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, spread: Math.hypot(a.x - b.x, a.y - b.y) || 1 };
  }

  /** @param {PointerEvent} event */
  function move(event) {
    const at = place(event);
    // Where the page moved beneath the pointer, that is where it was.
    hasCome ||=
      from === null || Math.abs(event.screenX - from.screenX) + Math.abs(event.screenY - from.screenY) >= COME_PX;
    if (pointers.has(event.pointerId)) pointers.set(event.pointerId, at);
    if (drag === null) {
      if (event.buttons === 0 && event.pointerType !== "touch") meaning.point(at.x, at.y);
    } else if (drag.kind === "pinch") pinch(drag);
    else if (event.pointerId === drag.id) follow(drag, event, at);
  }

  /** @param {Drag & {kind: "pinch"}} before */
  function pinch(before) {
    if (pointers.size < 2) return;
    const now = middle();
    meaning.pan(now.x - before.x, now.y - before.y);
    meaning.zoom(now.spread / before.spread, now.x, now.y);
    drag = { kind: "pinch", ...now };
  }

  /** @param {Exclude<Drag, {kind: "pinch"}>} current @param {PointerEvent} event @param {{x: number, y: number}} at */
  function follow(current, event, at) {
    if (current.kind === "pan") {
      meaning.pan(at.x - current.x, at.y - current.y);
      drag = { ...current, ...at };
      return;
    }
    const passed = event.getCoalescedEvents?.() ?? [];
    for (const one of passed.length > 0 ? passed : [event]) {
      const { x, y } = place(one);
      current.shape.add(x, y, meaning.toData(x, y));
    }
    meaning.outline(current.shape, modeOf(current.start, modifiers(event)));
  }

  /** @param {PointerEvent} event */
  function up(event) {
    const at = place(event);
    pointers.delete(event.pointerId);
    const ended = drag;
    if (ended === null || (ended.kind !== "pinch" && ended.id !== event.pointerId)) return;
    drag = null;
    if (ended.kind !== "shape") {
      meaning.settle();
      return;
    }
    meaning.outline(null, "replace");
    ended.shape.add(at.x, at.y, meaning.toData(at.x, at.y));
    const polygon = ended.shape.finish();
    if (polygon !== null) meaning.select(polygon, modeOf(ended.start, modifiers(event)));
  }

  /** The system took the pointer away, or the user pressed Escape. @returns {boolean} whether there was something to end */
  function cancel() {
    const was = drag;
    drag = null;
    pointers.clear();
    if (was?.kind === "shape") meaning.outline(null, "replace");
    else if (was !== null) meaning.settle();
    return was !== null;
  }

  /** Is this turn of the wheel for the plot? Else it scrolls the page, and so do all that follow at once, wherever they end up.
   * @param {WheelEvent} event */
  function isForPlot(event) {
    if (!event.composedPath().includes(element)) return false;
    if (drag?.kind === "shape") return true;
    const isAsked = event.ctrlKey || event.metaKey;
    if (!meaning.zooms(isAsked)) return false;
    if (isAsked) return true;
    const isScroll = event.timeStamp - scrolledAt < SCROLL_MS || !event.cancelable;
    return !isScroll && (hasCome || element.matches(":focus"));
  }

  /** @param {{screenX: number, screenY: number}} at */
  function awaitPointer({ screenX, screenY }) {
    [from, hasCome] = [{ screenX, screenY }, false];
  }

  /** Sees every turn of the wheel on the page, before anybody else does. @param {WheelEvent} event */
  function watchWheel(event) {
    isTaken = isForPlot(event);
    if (isTaken) return;
    scrolledAt = event.timeStamp;
    awaitPointer(event);
  }

  /** @param {WheelEvent} event */
  function wheel(event) {
    if (!isTaken) return;
    event.preventDefault();
    if (drag?.kind === "shape") return;
    markPointed();
    const unit = event.deltaMode === 1 ? LINE_PX : event.deltaMode === 2 ? element.clientHeight : 1;
    // A pinch on a touchpad comes as a wheel with Ctrl and small steps.
    const rate = event.ctrlKey && Math.abs(event.deltaY * unit) < 50 ? PINCH_RATE : WHEEL_RATE;
    const { x, y } = place(event);
    meaning.leave();
    meaning.zoom(Math.exp(-Math.min(Math.max(event.deltaY * unit, -300), 300) * rate), x, y);
    clearTimeout(wheelRest);
    wheelRest = setTimeout(meaning.settle, WHEEL_REST_MS);
  }

  /** @param {KeyboardEvent} event */
  function keyDown(event) {
    if (event.ctrlKey || event.metaKey || !press(event.key)) return;
    element.removeAttribute("data-pointed");
    event.preventDefault();
  }

  /** @param {string} key @returns {boolean} whether it means something */
  function press(key) {
    const [w, h] = [element.clientWidth, element.clientHeight];
    if (key in ARROWS) meaning.pan(ARROWS[key][0] * KEY_PAN_PX, ARROWS[key][1] * KEY_PAN_PX);
    else if (key === "+" || key === "=") meaning.zoom(KEY_ZOOM, w / 2, h / 2);
    else if (key === "-" || key === "_") meaning.zoom(1 / KEY_ZOOM, w / 2, h / 2);
    else if (key === "0" || key === "Home") meaning.reset();
    else if (key.toLowerCase() in TOOL_KEYS) meaning.pick(TOOL_KEYS[key.toLowerCase()]);
    else if (key === " ") isSpaceDown = true;
    else if (key === "Escape") return cancel() || (meaning.clear(), false);
    else return false;
    if (key in ARROWS || "+=-_".includes(key)) {
      clearTimeout(wheelRest);
      wheelRest = setTimeout(meaning.settle, WHEEL_REST_MS);
    }
    return true;
  }

  const ending = new AbortController();
  const on = (/** @type {string} */ type, /** @type {(event: any) => void} */ listener, passive = true) =>
    element.addEventListener(type, listener, { signal: ending.signal, passive });
  on("pointerdown", down, false);
  on("pointermove", move);
  on("pointerup", up);
  on("pointercancel", () => cancel());
  on("pointerleave", (event) => {
    awaitPointer(event);
    if (drag === null) meaning.leave();
  });
  on("wheel", wheel, false);
  on("dblclick", () => meaning.reset());
  on("keydown", keyDown, false);
  on("keyup", (event) => event.key === " " && (isSpaceDown = false));
  on("blur", () => {
    isSpaceDown = false;
    if (document.hasFocus()) element.removeAttribute("data-pointed");
  });
  document.addEventListener("wheel", watchWheel, { signal: ending.signal, capture: true, passive: true });
  return () => {
    ending.abort();
    clearTimeout(wheelRest);
  };
}
