/** Shapes that select cells: a lasso, where each pointer position is a corner and a straight line closes the polygon,
 * or a rectangle. Pure. */
// Changes with cxg_widget/selection/selection.py: modes of a selection.
// Changes with js/src/page/parts/toolbar.js: tools of the toolbar.

/** @typedef {import("../wire/protocol.js").Mode} Mode */
/** @typedef {{shift: boolean, alt: boolean}} Modifiers */

/** A rectangle thinner than this is a click. */
const THINNEST_PX = 2;

/** Hint that describes `modeOf`. */
export const MODES_HINT = "Shift adds, Alt removes, Shift+Alt intersects";

/** How a shape changes the selection; modifier keys count if pressed at the start or at the end.
 * @param {...Modifiers} at @returns {Mode} */
export function modeOf(...at) {
  const shift = at.some((one) => one.shift);
  const alt = at.some((one) => one.alt);
  return shift && alt ? "intersect" : shift ? "add" : alt ? "subtract" : "replace";
}

/** @param {"lasso" | "rectangle"} kind */
export function createShape(kind) {
  /** Corners in data units, so that they stay in place when the view moves. @type {number[]} */
  const data = [];
  /** @type {[number, number] | null} */
  let first = null;
  /** @type {[number, number] | null} */
  let last = null;

  return {
    kind,
    /** @param {number} px @param {number} py @param {[number, number]} at the same place in data units */
    add(px, py, at) {
      if (last !== null && last[0] === px && last[1] === py) return;
      first ??= [px, py];
      last = [px, py];
      // A rectangle keeps only its first corner and the current pointer position.
      if (kind === "rectangle") data.length = Math.min(data.length, 2);
      data.push(...at);
    },
    /** Current corners, x and y alternating, data units. @returns {number[]} */
    corners() {
      if (kind === "lasso" || data.length < 4) return data;
      const [x0, y0, x1, y1] = data;
      return [x0, y0, x1, y0, x1, y1, x0, y1];
    },
    /** The finished polygon; null if nothing is enclosed. @returns {number[] | null} */
    finish() {
      if (first === null || last === null) return null;
      if (kind === "lasso") return data.length >= 6 ? data : null;
      const isThin = Math.abs(last[0] - first[0]) < THINNEST_PX || Math.abs(last[1] - first[1]) < THINNEST_PX;
      return isThin ? null : this.corners();
    },
  };
}

/** @typedef {ReturnType<typeof createShape>} Shape */
