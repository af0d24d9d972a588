/** The request for a view of all cells, and checks whether a loaded reply matches the current state. Pure. */
import { covers, isCoarse, scales } from "../screen/camera.js";
import { devicePx } from "../screen/canvas.js";
import { highlightOf } from "../state/state.js";
import { layersOf } from "../style/crowding.js";
import { isByDensity } from "../style/point_style.js";

const LARGEST_PX = 4_096;

/**
 * @typedef {import("../state/state.js").State} State
 * @typedef {import("../state/scene.js").Scene} Scene
 * @typedef {import("../screen/camera.js").Viewport} Viewport
 * @typedef {Omit<import("../wire/protocol.js").Aggregate, "kind">} Question
 */

/** True if the kernel can draw images of all cells for this state. While a coloring is arriving, the kernel would
 * draw that one. @param {State} state */
export function canAggregate({ points, color, nextColor, link }) {
  return points?.aggregated === true && color !== null && nextColor === null && link === "live";
}

/** The request for the union of the views of all plots, at the finest of their resolutions.
 * @param {Viewport[]} viewports @param {State} state @param {Scene} scene @returns {Question} */
export function questionOf(viewports, state, scene) {
  const { color, crowd } = state;
  const { hidden, density, statistic, filtered } = state.traits;
  const [{ view: one, diameter, dark }] = viewports;
  const edges = (/** @type {number} */ at) => viewports.map(({ view }) => view[at]);
  const [lower, upper] = one[3] >= one[2] ? [Math.min, Math.max] : [Math.max, Math.min];
  const view = [Math.min(...edges(0)), Math.max(...edges(1)), lower(...edges(2)), upper(...edges(3))];
  const px = (/** @type {0 | 2} */ axis) => {
    const finest = Math.min(...viewports.map(({ camera, ratio }) => scales(camera)[axis / 2] / ratio));
    return Math.min(devicePx(Math.abs(view[axis + 1] - view[axis]) / finest, 1), LARGEST_PX);
  };
  // Rounded, so that a minimal zoom does not change the request.
  const weight = color?.scale === "continuous" ? Math.round(100 * crowd.weight) / 100 : 0;
  const [width, height] = [px(0), px(2)];
  const units = [(view[1] - view[0]) / width, Math.abs(view[3] - view[2]) / height];
  return {
    panel: state.panel,
    view,
    width,
    height,
    diameter,
    highlighted: highlightOf(state),
    dark,
    hidden,
    density,
    weight,
    layers: isByDensity(state) ? Math.round(100 * layersOf(scene, state, units[0], units[1])) / 100 : 0,
    statistic,
    filtered,
  };
}

/** Key of everything that an image depends on. @param {State} state @param {Question} question */
export function imageKey(state, question) {
  return JSON.stringify([cellsKey(state), state.color?.colors, question]);
}

/** Key of everything that cells depend on except the view; their colors are looked up here. @param {State} state */
export function cellsKey({ points, color, selection, filter, traits }) {
  const filtered = filter.n === null ? [] : [traits.filtered];
  return [points?.seq, color?.seq, selection.seq, filter.seq, ...filtered].join(" ");
}

/** The loaded image, if it matches the displayed points and coloring; else null. @param {Scene} scene
 * @param {State} state */
export function imageOnShow({ image }, { points, color }) {
  return image !== null && image.pointsSeq === points?.seq && image.seq === color?.seq ? image : null;
}

/** True if the loaded cells cover all viewports, are as precise as the screen and match the coloring.
 * @param {Scene} scene @param {State} state @param {Pick<Viewport, "camera" | "view" | "ratio">[]} viewports */
export function holdsCells({ cells }, state, viewports) {
  return (
    cells?.key === cellsKey(state) &&
    viewports.every((one) => covers(cells.extent, one.view) && !isCoarse(one, cells.extent))
  );
}
