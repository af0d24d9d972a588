/** Drawing a shape with keys: arrows move a cursor, Enter sets a corner. Describes each step in words. */
// Changes with js/src/page/parts/toolbar.js: tools of the toolbar.
import { DRAW_KEY } from "../plot/gestures.js";
import { createShape, modeOf } from "../plot/lasso.js";
import { toolOf } from "../state/state.js";
import { shortNumber } from "../words/format.js";

/**
 * @typedef {{x: number, y: number}} Place CSS px of the element
 */

/** Keys while a shape is drawn, by action. */
export const DRAWING_KEYS = {
  cursor: ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"],
  corner: ["Enter", " "],
  back: ["Backspace"],
  drop: ["Escape"],
};
/** Cursor steps: an arrow alone, and with Shift. */
export const [STEP_PX, FINE_PX] = [10, 1];
/** A corner within this distance of the first or the last one closes the polygon. */
const NEAR_PX = 5;
/** @type {Record<string, [number, number]>} */
const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** @type {import("../plot/keyboard_shape_loader.js").CreateKeyShape} */
export function createKeyShape(element, meaning) {
  /** @type {"lasso" | "rectangle" | null} null = no shape in progress */
  let kind = null;
  /** @type {Place} */
  let at = { x: 0, y: 0 };
  /** Corners set so far, in data units. @type {[number, number][]} */
  let corners = [];

  const here = () => meaning.toData(at.x, at.y);
  const placeText = (/** @type {[number, number]} */ place) => place.map(shortNumber).join(", ");

  /** @param {[number, number][]} places @returns {import("../plot/lasso.js").Shape} */
  function shapeOf(places) {
    const shape = createShape(kind ?? "lasso");
    const [[x0, y0], [x1, y1]] = [meaning.toData(0, 0), meaning.toData(1, 1)];
    for (const [x, y] of places) shape.add((x - x0) / (x1 - x0), (y - y0) / (y1 - y0), [x, y]);
    return shape;
  }

  /** @param {[number, number]} one @param {[number, number]} other */
  function isNear(one, other) {
    const [[x0, y0], [x1, y1]] = [meaning.toData(0, 0), meaning.toData(NEAR_PX, NEAR_PX)];
    return Math.abs(one[0] - other[0]) <= Math.abs(x1 - x0) && Math.abs(one[1] - other[1]) <= Math.abs(y1 - y0);
  }

  /** @param {string} sentence */
  function show(sentence) {
    meaning.outline(kind === null ? null : shapeOf([...corners, here()]), "replace", kind === null ? null : at);
    if (sentence !== "") meaning.say(sentence);
  }

  function begin() {
    const tool = toolOf(meaning.state());
    if (tool !== "lasso" && tool !== "rectangle") return false;
    const [w, h] = [element.clientWidth, element.clientHeight];
    const isInside = at.x > 0 && at.y > 0 && at.x < w && at.y < h;
    if (!isInside) at = { x: Math.round(w / 2), y: Math.round(h / 2) };
    [kind, corners] = [tool, []];
    meaning.leave();
    show(
      `Drawing a ${kind === "lasso" ? "polygon" : "rectangle"}, at ${placeText(here())}. Arrows move, Enter sets a corner, Escape cancels.`,
    );
    return true;
  }

  /** @param {string} sentence */
  function end(sentence) {
    kind = null;
    show(sentence);
  }

  /** @param {import("../plot/lasso.js").Modifiers} modifiers */
  function set(modifiers) {
    const place = here();
    const isLast =
      kind === "rectangle"
        ? corners.length === 1
        : corners.length > 0 && [corners[0], corners[corners.length - 1]].some((one) => isNear(one, place));
    if (isLast) return close(kind === "rectangle" ? [...corners, place] : corners, modeOf(modifiers));
    corners.push(place);
    return show(`Corner ${corners.length} at ${placeText(place)}.`);
  }

  /** @param {[number, number][]} places @param {import("../plot/lasso.js").Mode} mode */
  function close(places, mode) {
    const polygon = shapeOf(places).finish();
    if (polygon === null)
      return show(kind === "rectangle" ? "The rectangle is too thin." : "A polygon needs at least three corners.");
    end(`Closed at corner ${places.length}.`);
    return meaning.select(polygon, mode);
  }

  /** @param {[number, number]} way @param {number} px */
  function step([dx, dy], px) {
    at = {
      x: Math.max(0, Math.min(element.clientWidth, at.x + dx * px)),
      y: Math.max(0, Math.min(element.clientHeight, at.y + dy * px)),
    };
    show(placeText(here()));
  }

  return {
    /** @param {{key: string, shiftKey: boolean, altKey: boolean}} event
     * @returns {boolean} whether the key was handled */
    press({ key, shiftKey, altKey }) {
      if (kind !== null && kind !== toolOf(meaning.state())) end(""); // the kernel is gone, or another tool is active
      if (kind === null) return key === DRAW_KEY && begin();
      if (key in WAYS) step(WAYS[key], shiftKey ? FINE_PX : STEP_PX);
      else if (DRAWING_KEYS.corner.includes(key)) set({ shift: shiftKey, alt: altKey });
      else if (DRAWING_KEYS.back.includes(key)) {
        corners.pop();
        show(`${corners.length} ${corners.length === 1 ? "corner" : "corners"} left.`);
      } else if (DRAWING_KEYS.drop.includes(key)) end("Drawing canceled.");
      else return false;
      return true;
    },
    /** The pointer or another tool takes over. */
    cancel() {
      if (kind !== null) end("");
    },
    /** Redraw after the view has moved under the cursor. */
    refresh() {
      if (kind !== null) show("");
    },
  };
}
