/** Reports what the picture on the screen is made of, and whether there is anything on it. Pure. */
import { covers, viewInCodes } from "../screen/camera.js";
import { isGreying, isShownOf } from "../state/hidden.js";
import { MISSING } from "../wire/protocol.js";
import { holdsCells, imageOnShow } from "./question.js";

/**
 * @typedef {import("../state/state.js").InView} InView
 * @typedef {Pick<import("../screen/camera.js").Viewport, "camera" | "view" | "ratio">} Viewport
 * @typedef {import("../state/scene.js").Scene} Scene
 * @typedef {import("../state/state.js").State} State
 * @typedef {{xy: Uint16Array, codes: Uint8Array | Uint16Array | null, flags: Uint8Array | null, extent: readonly number[]}} Places
 */

/** @param {Scene} scene @param {State} state @param {Viewport} viewport @returns {InView | null} */
export function inViewOf(scene, state, viewport) {
  const { points } = state;
  if (points === null || scene.points === null) return null;
  const isGrey = isGreying(state);
  const shown = isGrey ? () => true : isShownOf(state);
  if (!points.aggregated) {
    const all = {
      xy: scene.points.xy,
      codes: scene.color?.codes ?? null,
      flags: isGrey ? null : scene.flags,
      extent: points.extent,
    };
    return { as: "points", lacks: points.loaded < points.nPoints ? "" : lackOf(all, viewport.view, shown) };
  }
  if (scene.cells !== null && holdsCells(scene, state, [viewport]))
    return { as: "cells", lacks: lackOf(isGrey ? { ...scene.cells, flags: null } : scene.cells, viewport.view, shown) };
  const image = imageOnShow(scene, state);
  if (image === null) return { as: "sample", lacks: "" };
  return { as: "image", lacks: image.nInside === 0 && covers(image.view, viewport.view) ? "nothing" : "" };
}

/** What a view of points lacks; where it lacks nothing, one of the first of them says so, since their order is random.
 * @param {Places} places @param {readonly number[]} view left, right, bottom, top @param {(code: number) => boolean} isShown @returns {InView["lacks"]} */
function lackOf({ xy, codes, flags, extent }, view, isShown) {
  const [low, high, down, up] = viewInCodes(extent, view);
  let isHidden = false;
  for (let i = 0; i < xy.length / 2; i++) {
    const [x, y] = [xy[2 * i], xy[2 * i + 1]];
    // A point lies within half a code of where its code is.
    if (x < low - 0.5 || x > high + 0.5 || y < down - 0.5 || y > up + 0.5 || x === MISSING || y === MISSING) continue;
    const passes = flags === null || (flags[i] & 2) === 0;
    if (passes && (codes === null || isShown(codes[i]))) return "";
    isHidden = true;
  }
  return isHidden ? "hidden" : "nothing";
}
