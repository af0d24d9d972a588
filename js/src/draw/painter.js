/** Painters: draw with the graphics card through WebGL 2, or with the CPU if there is no card or only a software
 * driver. */
import { createCpuPicture } from "./cpu/picture.js";
import { createGlPainter } from "./gl/stage.js";

/**
 * @typedef {object} Drawer a participant in a draw loop
 * @property {() => "no" | import("./budget.js").Pace} wants whether it has something to draw; urgent: the user moves it
 * @property {(points: number) => number} draw submits at most this many points; returns how many it submitted
 * @property {() => boolean} present shows the submitted points, which are drawn by now; true: the page must show them
 *   before the loop draws more
 * @property {() => void} restored recreates its objects, which the context has lost
 *
 * @typedef {object} Loop polls its drawers in turn and lets each draw as much as the time allows
 * @property {(drawer: Drawer) => () => void} join adds a drawer; returns a function that removes it
 * @property {() => void} wake polls the drawers at the next frame
 * @property {() => void} wakeSoon polls them after the current task, with all its changes
 * @property {() => void} hurry polls them now and shows finished slices: during page layout, frames and timers run late
 *
 * @typedef {{style: import("../style/point_style.js").Style, scale: [number, number], offset: [number, number], sizePx: number, sizes?: [number, number, number] | null, isCovered?: boolean}} PointOptions
 *   scale, offset: from codes to clip space; sizePx: diameter in px of the picture; sizes: if points have individual
 *   sizes, px per size unit, minimum and maximum px; isCovered: an image lies in front
 * @typedef {{style: import("../style/point_style.js").Style, rect: number[], isCover: boolean}} ImageOptions
 *   rect: left, right, bottom, top in clip space; isCover: no point shows through
 *
 * @typedef {object} Picture keeps its content until it is cleared
 * @property {(width: number, height: number) => void} resize px
 * @property {() => void} clear
 * @property {(options: PointOptions, code: number) => void} fill recolors all drawn points with the color of one code;
 *   later points lie above
 * @property {(options: PointOptions, points: import("./sources.js").PointArrays, first: number, count: number) => void} points
 * @property {(image: import("../state/scene.js").CellImage, options: ImageOptions) => void} image before any points
 * @property {(canvas: HTMLCanvasElement) => void} show
 * @property {(context: CanvasRenderingContext2D) => void} copyTo a canvas of its size
 * @property {() => void} free
 *
 * @typedef {object} Painter
 * @property {Loop} loop
 * @property {() => Picture} createPicture
 * @property {() => boolean} isLost true while it cannot draw
 * @property {{arrivedPoints: number, growingMs: number}} price of a slice: the number of points per slice while they
 *   arrive, and the interval at which a growing picture is shown while the user does not move it
 */

/**
 * @param {import("../state/scene.js").Scene} scene
 * @param {() => import("../state/state.js").State} getState
 * @param {() => import("./gl/context.js").Shared | null} card null where there is none
 * @param {Loop} loop of the CPU
 */
export function createPainters(scene, getState, card, loop) {
  const cpu = createCpuPainter(getState, loop);
  /** @type {ReturnType<typeof createGlPainter> | null} */
  let gpu = null;
  return {
    /** The painter that the state selects. @returns {Painter} */
    get() {
      const shared = getState().drawnBy === "gpu" ? card() : null;
      return shared === null ? cpu : (gpu ??= createGlPainter(shared, scene, getState));
    },
    free: () => gpu?.free(),
  };
}

/** @param {() => import("../state/state.js").State} getState @param {Loop} loop @returns {Painter} */
function createCpuPainter(getState, loop) {
  return {
    loop,
    createPicture: () => createCpuPicture(getState),
    isLost: () => false,
    price: { arrivedPoints: 100_000, growingMs: 0 },
  };
}
