/** What a picture on the screen is made of, and whether there is anything on it. Pure. */
import { covers } from "../screen/camera.js";
import { MISSING, MISSING_LABEL } from "../wire/protocol.js";
import { holdsCells, imageOnShow } from "./question.js";

/**
 * @typedef {import("../state/state.js").InView} InView
 * @typedef {Pick<import("../screen/camera.js").Viewport, "camera" | "view" | "ratio">} Viewport
 * @typedef {import("../state/scene.js").Scene} Scene
 * @typedef {import("../state/state.js").State} State
 * @typedef {{xy: Uint16Array, codes: Uint8Array | Uint16Array | null, extent: readonly number[]}} Places
 */

/** @param {Scene} scene @param {State} state @param {Viewport} viewport @returns {InView | null} */
export function inViewOf(scene, state, viewport) {
  const { points } = state;
  if (points === null || scene.points === null) return null;
  const shown = isShownOf(state);
  if (!points.aggregated) {
    const all = { xy: scene.points.xy, codes: scene.color?.codes ?? null, extent: points.extent };
    return { as: "points", lacks: points.loaded < points.nPoints ? "" : lackOf(all, viewport.view, shown) };
  }
  if (scene.cells !== null && holdsCells(scene, state, [viewport]))
    return { as: "cells", lacks: lackOf(scene.cells, viewport.view, shown) };
  const image = imageOnShow(scene, state);
  if (image === null) return { as: "sample", lacks: "" };
  return { as: "image", lacks: image.nInside === 0 && covers(image.view, viewport.view) ? "nothing" : "" };
}

/** What a view of points lacks; where it lacks nothing, one of the first of them says so, since their order is random.
 * @param {Places} places @param {readonly number[]} view left, right, bottom, top @param {(code: number) => boolean} isShown @returns {InView["lacks"]} */
function lackOf({ xy, codes, extent: [x0, x1, y0, y1] }, [left, right, bottom, top], isShown) {
  const code = (/** @type {number} */ value, /** @type {number} */ from, /** @type {number} */ to) =>
    ((value - from) / (to - from || 1)) * (MISSING - 1);
  // A point lies within half a code of where its code is.
  const [low, high] = [code(left, x0, x1) - 0.5, code(right, x0, x1) + 0.5];
  const [down, up] = [code(Math.min(bottom, top), y0, y1) - 0.5, code(Math.max(bottom, top), y0, y1) + 0.5];
  let isHidden = false;
  for (let i = 0; i < xy.length / 2; i++) {
    const [x, y] = [xy[2 * i], xy[2 * i + 1]];
    if (x < low || x > high || y < down || y > up || x === MISSING || y === MISSING) continue;
    if (codes === null || isShown(codes[i])) return "";
    isHidden = true;
  }
  return isHidden ? "hidden" : "nothing";
}

/** @param {State} state @returns {(code: number) => boolean} */
function isShownOf({ color, traits }) {
  if (color?.scale !== "categorical" || traits.hidden.length === 0) return () => true;
  const hidden = new Set(traits.hidden);
  const shown = color.categories.map((label) => !hidden.has(label));
  const missing = !hidden.has(MISSING_LABEL);
  return (code) => shown[code] ?? missing;
}
