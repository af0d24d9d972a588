/** Category names and contours over a plot: loads the layer that draws them from the second module. */

import { OVERLAYS } from "../wire/constants.js";

/**
 * @typedef {import("../screen/camera.js").Camera} Camera
 * @typedef {import("../style/point_style.js").Theme} Theme
 * @typedef {import("../state/state.js").State} State
 *
 * @typedef {object} Look
 * @property {Camera | null} camera
 * @property {{width: number, height: number, ratio: number}} size CSS px
 * @property {Theme} theme
 *
 * @typedef {object} Landmarks
 * @property {() => void} draw draws on the screen, at the next frame
 * @property {(context: CanvasRenderingContext2D, scale: number, theme: Theme, family: string) => void} paint draws
 *   onto a picture whose origin is the top left of the plot; scale: px per CSS px
 * @property {(points: HTMLCanvasElement) => void} underlay draws the layers below the points under a picture of the
 *   points
 * @property {() => void} destroy
 *
 * @typedef {object} Site where they are drawn
 * @property {HTMLElement} element of the plot
 * @property {Element} under the element above their canvas
 * @property {() => Look} look
 * @property {Pick<import("./plot.js").PlotModel, "store" | "actions" | "client" | "positions">} model
 *
 * @typedef {(site: Site) => Landmarks} CreateLandmarks
 */

/** Other state that requires a redraw; `points` has the ties at 0. */
const FOLLOWED = /** @type {const} */ (["color", "points", "landmarks"]);

/** @param {Site} site
 * @returns {Landmarks & {follow: (state: State, before: State) => boolean}} `follow` returns whether the picture has
 * changed */
export function createLandmarks(site) {
  /** @type {Landmarks | null} */
  let layer = null;
  return {
    draw: () => layer?.draw(),
    paint: (...onto) => layer?.paint(...onto),
    underlay: (points) => layer?.underlay(points),
    destroy: () => layer?.destroy(),
    follow(state, before) {
      const { landmarks, traits } = state;
      const isOther = OVERLAYS.some(
        (kind) =>
          /** @type {any} */ (state)[kind] !== /** @type {any} */ (before)[kind] ||
          traits[kind] !== before.traits[kind],
      );
      if (layer === null && landmarks === null) return false;
      layer ??= /** @type {CreateLandmarks} */ (landmarks)(site);
      if (isOther || FOLLOWED.some((one) => state[one] !== before[one])) layer.draw();
      return isOther;
    },
  };
}
