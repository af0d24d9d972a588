/** Drags: pressed pointers pan the plot, pinch it, or draw a shape to select. */
// Changes with js/src/page/parts/toolbar.js and js/src/plot/overlay.js: tools of the toolbar.
import { createShape, modeOf } from "./lasso.js";

/**
 * @typedef {import("./lasso.js").Modifiers} Modifiers
 * @typedef {import("./lasso.js").Shape} Shape
 * @typedef {{x: number, y: number}} Place CSS px of the element
 * @typedef {{kind: "pan", id: number, x: number, y: number} | {kind: "pinch", x: number, y: number, spread: number}
 *   | {kind: "shape", id: number, shape: Shape, start: Modifiers}} Drag
 */

/** A pointer that moves at most this far clicks. */
const CLICK_PX = 3;
/** A finger that rests this long shows the tooltip of the cell beneath; less than the 500 ms after which browsers
 * open a context menu. */
const HOLD_MS = 400;

/** Distinguishes a drag from a click by the maximum distance of the pointer from its start, not by where it ends. */
export function createTravel() {
  let [x, y, isDrag] = [0, 0, false];
  /** @param {PointerEvent} event */
  const move = (event) => {
    // A fast user draws a whole lasso within one frame.
    for (const at of [event, ...(event.getCoalescedEvents?.() ?? [])])
      isDrag ||= Math.hypot(at.clientX - x, at.clientY - y) > CLICK_PX;
  };
  return {
    /** @param {PointerEvent} event */
    down: (event) => void ([x, y, isDrag] = [event.clientX, event.clientY, false]),
    move,
    /** @param {PointerEvent} [event] the last event, if it is a pointer event @returns {boolean} */
    isDrag: (event) => (event && move(event), isDrag),
  };
}

/** @param {HTMLElement} element @param {{clientX: number, clientY: number}} event @returns {Place} */
export function placeIn(element, { clientX, clientY }) {
  const { left, top } = element.getBoundingClientRect();
  // The rectangle includes the border, which is not part of the plot.
  return { x: clientX - left - element.clientLeft, y: clientY - top - element.clientTop };
}

/** @param {HTMLElement} element @param {import("./gestures.js").Meaning} meaning */
export function createDrag(element, meaning) {
  /** @type {Map<number, Place>} */
  const pointers = new Map();
  /** @type {Drag | null} */
  let drag = null;
  const travel = createTravel();
  let mayClick = false;
  /** A finger has rested: until it is lifted, it shows tooltips. */
  let isReading = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let holding;

  /** @param {Place} at */
  function read(at) {
    drop();
    isReading = true;
    meaning.point(at.x, at.y);
  }

  /** Ends the current drag. */
  function drop() {
    clearTimeout(holding);
    if (drag?.kind === "shape") meaning.outline(null, "replace");
    drag = null;
    isReading = false;
  }

  /** @param {PointerEvent} event */
  const modifiers = (event) => ({ shift: event.shiftKey, alt: event.altKey });

  function middle() {
    const [a, b] = [...pointers.values()];
    return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, spread: Math.hypot(a.x - b.x, a.y - b.y) || 1 };
  }

  /** @param {PointerEvent} event @param {Place} at @param {boolean} isPanRequested */
  function begin(event, at, isPanRequested) {
    const { link, traits } = meaning.state();
    const start = modifiers(event);
    // Without a kernel nothing can be selected.
    const isPan = link === "offline" || (traits.tool === "pan" && !start.shift && !start.alt);
    if (isPanRequested || isPan) {
      drag = { kind: "pan", id: event.pointerId, ...at };
      return;
    }
    const shape = createShape(traits.tool === "rectangle" ? "rectangle" : "lasso");
    shape.add(at.x, at.y, meaning.toData(at.x, at.y));
    drag = { kind: "shape", id: event.pointerId, shape, start };
    meaning.outline(shape, modeOf(start));
  }

  function beginPinch() {
    drop();
    drag = { kind: "pinch", ...middle() };
  }

  /** @param {Drag & {kind: "pinch"}} before */
  function pinch(before) {
    if (pointers.size < 2) return;
    const now = middle();
    meaning.pan(now.x - before.x, now.y - before.y);
    meaning.zoom(now.spread / before.spread, now.x, now.y);
    drag = { kind: "pinch", ...now };
  }

  /** @param {Exclude<Drag, {kind: "pinch"}>} current @param {PointerEvent} event @param {Place} at */
  function follow(current, event, at) {
    if (current.kind === "pan") {
      meaning.pan(at.x - current.x, at.y - current.y);
      drag = { ...current, ...at };
      return;
    }
    const passed = event.getCoalescedEvents?.() ?? [];
    for (const one of passed.length > 0 ? passed : [event]) {
      const { x, y } = placeIn(element, one);
      current.shape.add(x, y, meaning.toData(x, y));
    }
    meaning.outline(current.shape, modeOf(current.start, modifiers(event)));
  }

  return {
    isIdle: () => drag === null,
    isShape: () => drag?.kind === "shape",
    /** @param {PointerEvent} event @param {boolean} isPanRequested whatever the tool */
    down(event, isPanRequested) {
      const at = placeIn(element, event);
      pointers.set(event.pointerId, at);
      meaning.leave();
      mayClick = pointers.size === 1 && event.button === 0;
      if (mayClick) travel.down(event);
      if (mayClick && event.pointerType === "touch") holding = setTimeout(read, HOLD_MS, at);
      if (pointers.size === 2 && event.pointerType === "touch") beginPinch();
      else if (drag === null) begin(event, at, isPanRequested);
    },
    /** @param {PointerEvent} event */
    move(event) {
      const at = placeIn(element, event);
      if (pointers.has(event.pointerId)) pointers.set(event.pointerId, at);
      travel.move(event);
      if (travel.isDrag()) clearTimeout(holding);
      if (drag === null) {
        if (event.buttons === 0 || isReading) meaning.point(at.x, at.y);
      } else if (drag.kind === "pinch") pinch(drag);
      else if (event.pointerId === drag.id) follow(drag, event, at);
    },
    /** @param {PointerEvent} event */
    up(event) {
      const at = placeIn(element, event);
      pointers.delete(event.pointerId);
      clearTimeout(holding);
      isReading = false;
      const ended = drag;
      if (ended === null || (ended.kind !== "pinch" && ended.id !== event.pointerId)) return;
      drag = null;
      if (mayClick && !travel.isDrag(event)) meaning.mark(at.x, at.y);
      if (ended.kind !== "shape") {
        meaning.settle();
        return;
      }
      meaning.outline(null, "replace");
      ended.shape.add(at.x, at.y, meaning.toData(at.x, at.y));
      const polygon = ended.shape.finish();
      if (polygon !== null) meaning.select(polygon, modeOf(ended.start, modifiers(event)));
    },
    /** Cancels the drag: the system took the pointer away, or the user pressed Escape.
     * @returns {boolean} whether there was a drag */
    cancel() {
      const was = drag;
      drop();
      pointers.clear();
      if (was !== null && was.kind !== "shape") meaning.settle();
      return was !== null;
    },
  };
}

/** @typedef {ReturnType<typeof createDrag>} DragHandler */
