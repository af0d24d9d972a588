/** The overlay above the points: the shape being drawn, its effect on the selection, a ring around the hovered cell. */
// Changes with js/src/page/parts/toolbar.js and js/src/plot/drag.js: tools of the toolbar.
// Changes with cxg_widget/selection/selection.py: modes of a selection.
import { toPx } from "../screen/camera.js";
import { make, makeLayer, set } from "../screen/svg.js";

/** @typedef {import("../wire/protocol.js").Mode} Mode */

/** @type {Record<Mode, string>} */
const SIGNS = { replace: "", add: "+", subtract: "−", intersect: "∩" };
const SIGN_PX = 14;
/** Half the width of the keyboard cursor. */
const CROSS_PX = 9;
/** Gap between a point and the ring around it. */
const RING_PX = 3;

export function createOverlay() {
  const element = makeLayer({ "aria-hidden": "true" });
  const thin = { "stroke-width": 1.5, "stroke-linejoin": "round" };
  // The halo makes a line visible over points of any color.
  const halo = make("path", { ...thin, fill: "none", "stroke-width": 3.5, "stroke-opacity": 0.75 });
  const line = make("path", { ...thin, "fill-opacity": 0.06 });
  const closing = make("path", { ...thin, fill: "none", "stroke-dasharray": "4 3" });
  const font = { "font-size": 18, "font-weight": 600, "font-family": "sans-serif" };
  const sign = make("text", { ...font, "paint-order": "stroke", "stroke-width": 3 });
  const ringHalo = make("circle", { fill: "none", "stroke-width": 4, "stroke-opacity": 0.75 });
  const ring = make("circle", { fill: "none", "stroke-width": 2 });
  const crossHalo = make("path", { "stroke-width": 4, "stroke-opacity": 0.75 });
  const cross = make("path", { "stroke-width": 1.5 });
  element.append(halo, line, closing, sign, crossHalo, cross, ringHalo, ring);
  /** @type {import("./lasso.js").Shape | null} */
  let shape = null;
  /** @type {Mode} */
  let mode = "replace";
  /** @type {{x: number, y: number} | null} */
  let cursor = null;

  /** @param {import("../screen/camera.js").Camera | null} camera @returns {[number, number][]} px */
  function outline(camera) {
    if (camera === null || shape === null) return [];
    const corners = shape.corners();
    const pairs = Array.from({ length: corners.length / 2 }, (_, i) =>
      toPx(camera, corners[2 * i], corners[2 * i + 1]),
    );
    return shape.kind === "rectangle" ? [...pairs, pairs[0]] : pairs;
  }

  /** @param {[number, number][]} corners */
  function drawOutline(corners) {
    const path = corners.map(([x, y], i) => `${i === 0 ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
    for (const part of [halo, line]) set(part, { d: path });
    const [first, last] = [corners[0], corners[corners.length - 1]];
    set(closing, { d: corners.length < 2 ? "" : `M${last[0]} ${last[1]}L${first[0]} ${first[1]}` });
    sign.textContent = last === undefined ? "" : SIGNS[mode];
    if (last !== undefined) set(sign, { x: last[0] + SIGN_PX, y: last[1] - SIGN_PX / 2 });
  }

  return {
    element,
    /** @param {import("./lasso.js").Shape | null} next null = none is being drawn @param {Mode} how it will change the selection
     * @param {{x: number, y: number} | null} [at] the keyboard cursor, CSS px; null with a pointer */
    takeShape(next, how, at = null) {
      [shape, mode, cursor] = [next, how, at];
    },
    /** @param {import("../screen/camera.js").Camera | null} camera @param {import("../state/state.js").Cell | null} cell pointed at
     * @param {number} diameter of a point, CSS px */
    draw(camera, cell, diameter) {
      drawOutline(outline(camera));
      const [x, y, long] = [(cursor?.x ?? 0) - CROSS_PX, (cursor?.y ?? 0) - CROSS_PX, 2 * CROSS_PX];
      const d = cursor === null ? "" : `M${x} ${cursor.y}h${long}M${cursor.x} ${y}v${long}`;
      for (const part of [crossHalo, cross]) set(part, { d });
      const [cx, cy] = camera === null || cell === null ? [0, 0] : toPx(camera, cell.x, cell.y);
      const visibility = camera === null || cell === null ? "hidden" : "visible";
      for (const circle of [ringHalo, ring]) set(circle, { visibility, cx, cy, r: diameter / 2 + RING_PX });
    },
    /** @param {import("../style/point_style.js").Theme} theme */
    setTheme({ foreground, background }) {
      const [front, back] = [`rgb(${foreground})`, `rgb(${background})`];
      for (const part of [line, closing, cross, ring]) set(part, { stroke: front });
      for (const part of [halo, crossHalo, ringHalo, sign]) set(part, { stroke: back });
      for (const part of [line, sign]) set(part, { fill: front });
    },
  };
}
