/** The plan of a picture: its points, their size and colors, and whether an image of all cells is part of it. Also
 * compares two states. Pure. */
// Changes with cxg_widget/session/pictures/portrait.py: which points and images a picture is made of.
import { cellSizePx, codesToClip, covers, isCoarse, scales, visible } from "../screen/camera.js";
import { cellsSeen, isComplete, missingCode } from "../state/scene.js";
import { layersOf } from "../style/crowding.js";
import { crowdedSize, diameterOf, sampled, sizesOf, styleOf } from "../style/point_style.js";
import { TUNED } from "../wire/constants.js";
import { MISSING } from "../wire/protocol.js";
import { holdsCells, imageOnShow } from "./question.js";

/**
 * @typedef {import("../state/scene.js").Scene} Scene
 * @typedef {import("../state/state.js").State} State
 * @typedef {import("../screen/camera.js").Camera} Camera
 * @typedef {import("../style/point_style.js").Theme} Theme
 *
 * @typedef {object} Plan
 * @property {import("../draw/sources.js").Source} source which points
 * @property {boolean} hasPoints whether any points are drawn
 * @property {import("../state/scene.js").CellImage | null} image an image of all cells, moved to the current view
 * @property {boolean} isCover points are visible only outside the image
 *
 * @typedef {object} Sight how a plot looks at its cells
 * @property {State} state
 * @property {Camera} camera
 * @property {number} zoom 1 when everything fits
 * @property {number} ratio px per CSS px
 * @property {Theme} theme
 */

/** Maximum enlargement of an image from the kernel: beyond it, a sample of points shows more. */
const COARSEST = 3;

/** @param {Scene} scene @param {Sight} sight @returns {Plan} */
export function planOf(scene, { state, camera, ratio }) {
  const whole = { hasPoints: true, image: null, isCover: true };
  const viewport = { camera, view: visible(camera), ratio };
  if (!state.points?.aggregated) return { ...whole, source: wantsDetail(scene, state, viewport) ? "detail" : "base" };
  if (holdsCells(scene, state, [viewport])) return { ...whole, source: "cells" };
  const image = imageOnShow(scene, state);
  const isCover =
    image !== null && cellSizePx(camera, image.view, image.bitmap.width, image.bitmap.height) < COARSEST * ratio;
  const isEnough = image !== null && isCover && covers(image.view, viewport.view);
  return { source: "base", hasPoints: !isEnough, image, isCover };
}

/** True if a viewport needs detail and the loaded detail covers it.
 * @param {Scene} scene @param {State} state @param {Pick<import("../screen/camera.js").Viewport, "camera" | "view" | "ratio">} viewport */
function wantsDetail(scene, { points }, viewport) {
  if (points === null || scene.detail === null || !isComplete({ ...scene, nextColor: null })) return false;
  return isCoarse(viewport, points.extent) && covers(scene.detail.extent, viewport.view);
}

/** Options to draw the points of a plan. @param {Scene} scene @param {Sight} sight @param {Plan} plan
 * @returns {import("../draw/painter.js").PointOptions} */
export function pointOptions(scene, { state, camera, zoom, ratio, theme }, { source, image }) {
  const { color, cells, detail } = scene;
  const own = { base: null, detail, cells }[source];
  const wide = diameterOf(state, camera, zoom) * ratio;
  // Points stay small enough not to overlap, as in the kernel's image of more cells that this view replaces.
  const isFitted = own !== null && own === cells && state.traits.point_size === null && !state.points?.spot;
  const most = isFitted
    ? crowdedSize(cellsSeen(cells, visible(camera)), camera.width * ratio, camera.height * ratio)
    : Infinity;
  const sizePx = Math.min(wide, most);
  const [width, height] = scales(camera).map((unitsPerPx) => (unitsPerPx * sizePx) / ratio);
  const layers = layersOf(scene, state, width, height);
  const isSample = source === "base" && state.points?.aggregated;
  const missing = missingCode((source === "cells" ? cells : color)?.codes ?? null);
  const style = styleOf(state, theme, missing, isSample ? 0 : layers);
  return {
    style: isSample ? sampled(style, state, layers) : style,
    ...codesToClip(camera, own?.extent ?? state.points?.extent ?? [0, 1, 0, 1]),
    sizePx,
    sizes: (source === "cells" ? cells : scene.points)?.sizes ? sizesOf(state, camera, ratio) : null,
    isCovered: image !== null,
  };
}

/** Options to draw an image. @param {Sight} sight @param {readonly number[]} view of the image
 * @param {boolean} isCover no point shows through
 * @returns {import("../draw/painter.js").ImageOptions} */
export function imageOptions({ state, camera, theme }, view, isCover) {
  const { scale, offset } = codesToClip(camera, view);
  const rect = [offset[0], offset[0] + 65_534 * scale[0], offset[1], offset[1] + 65_534 * scale[1]];
  return { style: styleOf(state, theme, MISSING), rect, isCover };
}

/** How the picture changes between two states. @param {State} state @param {State} before
 * @returns {import("./surface.js").Change | null} null = no change */
export function changeBetween(state, before) {
  const { points, color, crowd, selection, filter, traits } = state;
  // Ordered from the most to the least expensive change: the first match decides.
  if (state.drawnBy !== before.drawnBy || points?.seq !== before.points?.seq) return "all";
  if (state.highlighted !== before.highlighted || TUNED.some((name) => traits[name] !== before.traits[name]))
    return "tune";
  if (state.brush !== before.brush && state.filter.seq === before.filter.seq) return "tune";
  if (crowd !== before.crowd || String(color?.limits) !== String(before.color?.limits)) return "tune";
  if (color?.seq !== before.color?.seq || color?.colors !== before.color?.colors) return "colors";
  if (filter.seq !== before.filter.seq) return "colors";
  if (selection !== before.selection && (selection.n > 0 || before.selection.n > 0)) return "colors";
  const loaded = (/** @type {State} */ one) => `${one.points?.loaded} ${one.color?.loaded} ${one.nextColor?.loaded}`;
  if (loaded(state) === loaded(before)) return null;
  // Values shared in a pixel were estimated from the first points; now all points are known.
  return crowd.weight < 1 && isLoaded(state) && !isLoaded(before) ? "colors" : "more";
}

/** @param {State} state */
function isLoaded({ points, color }) {
  return [points, color].every((part) => part !== null && part.loaded === part.nPoints);
}
