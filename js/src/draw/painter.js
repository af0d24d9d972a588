/** Painters: what draws is the graphics card through WebGL 2, or the processor where there is none (or one that only pretends). */
import { createCpuPicture } from "./cpu/picture.js";
import { createGlPainter } from "./gl/stage.js";

/**
 * @typedef {object} Drawer something that draws in a loop
 * @property {() => "no" | import("./budget.js").Pace} wants whether it has something to draw; urgent = a hand is moving it
 * @property {(points: number) => number} draw submit at most so many points; returns how many
 * @property {() => boolean} present show what was submitted, and is drawn by now; true = let the page show it before more is drawn
 * @property {() => void} restored everything made before is gone: make it anew
 *
 * @typedef {object} Loop asks its drawers in turn what they want, and lets each draw as much as there is time for
 * @property {(drawer: Drawer) => () => void} join returns the way to leave
 * @property {() => void} wake ask the drawers what they want, at the next frame
 * @property {() => void} wakeSoon the same, when the changes of this moment are through
 * @property {() => void} hurry ask them now, and show what is done: a page that is still being laid out has its frames and timers late
 *
 * @typedef {{style: import("../style/point_style.js").Style, scale: [number, number], offset: [number, number], sizePx: number, sizes?: [number, number, number] | null, isCovered?: boolean}} PointOptions
 *   scale, offset: from codes to clip space; sizePx: diameter, px of the picture; sizes: px of one part of a spot, of the smallest and the
 *   largest point, where each has a size of its own; isCovered: an image lies in front
 * @typedef {{style: import("../style/point_style.js").Style, rect: number[], isCover: boolean}} ImageOptions rect: left, right, bottom, top in clip space;
 *   isCover: no point shows through
 *
 * @typedef {object} Picture keeps what was drawn until it is cleared
 * @property {(width: number, height: number) => void} resize px
 * @property {() => void} clear
 * @property {(options: PointOptions, code: number) => void} fill give what has been drawn the color of one number, beneath all that comes
 * @property {(options: PointOptions, points: import("./sources.js").PointArrays, first: number, count: number) => void} points
 * @property {(image: import("../state/scene.js").CellImage, options: ImageOptions) => void} image before any points
 * @property {(canvas: HTMLCanvasElement) => void} show
 * @property {(context: CanvasRenderingContext2D) => void} copyTo a canvas of its size
 * @property {() => void} free
 *
 * @typedef {object} Painter
 * @property {Loop} loop
 * @property {() => Picture} createPicture
 * @property {() => boolean} isLost nothing can be drawn for now
 * @property {{arrivedPoints: number, growingMs: number}} price of a slice: how many points make one while they arrive, and how often a
 *   picture that nobody moves is shown while it grows
 */

/**
 * @param {import("../state/scene.js").Scene} scene
 * @param {() => import("../state/state.js").State} getState
 * @param {() => import("./gl/context.js").Shared | null} card null where there is none
 * @param {Loop} loop of the processor
 */
export function createPainters(scene, getState, card, loop) {
  const cpu = createCpuPainter(getState, loop);
  /** @type {ReturnType<typeof createGlPainter> | null} */
  let gpu = null;
  return {
    /** Who draws, as the state says. @returns {Painter} */
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
