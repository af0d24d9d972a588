/** Reports what the picture on the screen consists of, how far it is drawn, and whether it is empty. */
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

/** What a view of points lacks. If it lacks nothing, the loop ends early, because the order of the points is random.
 * @param {Places} places @param {readonly number[]} view left, right, bottom, top @param {(code: number) => boolean} isShown @returns {InView["lacks"]} */
function lackOf({ xy, codes, flags, extent }, view, isShown) {
  const [low, high, down, up] = viewInCodes(extent, view);
  let isHidden = false;
  for (let i = 0; i < xy.length / 2; i++) {
    const [x, y] = [xy[2 * i], xy[2 * i + 1]];
    // The position of a point differs from its code by at most half a code.
    if (x < low - 0.5 || x > high + 0.5 || y < down - 0.5 || y > up + 0.5 || x === MISSING || y === MISSING) continue;
    const passes = flags === null || (flags[i] & 2) === 0;
    if (passes && (codes === null || isShown(codes[i]))) return "";
    isHidden = true;
  }
  return isHidden ? "hidden" : "nothing";
}

/** Creates the report of drawing progress: sets data attributes of an element, and marks on the performance timeline.
 * @param {HTMLElement} element @param {import("../state/state.js").Store} store */
export function createProgressReport(element, store) {
  /** @type {Record<string, string>} */
  const marked = {};
  const mark = (/** @type {string} */ name, /** @type {string} */ of) => {
    if (marked[name] === of) return;
    marked[name] = of;
    performance.clearMarks(name);
    performance.mark(name);
  };
  element.dataset.cxgState = "loading";
  element.dataset.cxgDrawn = "0";
  return {
    /** @param {readonly number[]} visible left, right, bottom, top, data units */
    view: (visible) => void (element.dataset.cxgView = JSON.stringify(visible)),
    /** @param {import("./surface.js").Progress} progress */
    progress({ drawn, isComplete }) {
      const { points, color, nextColor } = store.get();
      const picture = `${points?.seq} ${color?.seq}`;
      element.dataset.cxgDrawn = String(drawn);
      element.dataset.cxgState = isComplete ? "ready" : "loading";
      if (drawn > 0 && nextColor === null) mark("cxg:first-picture", picture);
      if (isComplete) mark("cxg:complete", picture);
    },
  };
}
