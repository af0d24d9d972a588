/**
 * The surface of a plot: draws its picture on a canvas slice by slice. While the picture changes, each frame shows as
 * many of the first points as the budget allows, which are a random sample. At rest, slices accumulate until all
 * points are drawn.
 */
import { visible } from "../screen/camera.js";
import { blank, createCanvas, fitCanvas } from "../screen/canvas.js";
import { drawable, isComplete } from "../state/scene.js";
import { createDrawing } from "./drawing.js";
import { planOf, pointOptions } from "./plan.js";

/**
 * @typedef {object} Site what a surface needs to know about its plot
 * @property {() => import("../screen/camera.js").Camera | null} camera null while there are no points
 * @property {() => number} zoom 1 when everything fits
 * @property {() => {width: number, height: number, ratio: number}} size CSS px; ratio: device px per CSS px
 * @property {() => import("../style/point_style.js").Theme} theme
 * @property {() => import("../state/state.js").State} state
 * @property {() => boolean} isShown whether the plot is on the screen
 * @property {() => boolean} isMoving whether the user moves the picture
 * @property {() => void} onBegin called when the first points are drawn
 * @property {(progress: Progress) => void} onFrame
 *
 * @typedef {object} Surface
 * @property {HTMLCanvasElement} canvas
 * @property {(change?: Change) => void} invalidate
 * @property {() => void} depart animates points to their new places and fades images, unless the user prefers reduced
 *   motion
 * @property {() => Progress} progress state of the picture on the screen
 * @property {(scale: number, theme: import("../style/point_style.js").Theme) => Promise<HTMLCanvasElement>} draw
 *   draws the picture again in a theme, without a background; scale: px per CSS px
 * @property {() => void} destroy
 *
 * @typedef {{drawn: number, isComplete: boolean}} Progress drawn: number of points on the screen
 *
 * @typedef {"more" | "colors" | "tune" | "move" | "all"} Change more: points arrived; colors: same places, new colors;
 *   tune: like colors, while the user drags a setting; move: new places; all: everything
 */

/** If points keep their places, the old picture stays until the new one is as dense, but at most this long. */
const HOLD_MS = { colors: 800, tune: 150 };
/** A picture that moved within this time may move again. */
const AGAIN_MS = 2_000;

/**
 * @param {import("../draw/painter.js").Painter} painter
 * @param {{scene: import("../state/scene.js").Scene, sources: import("../draw/sources.js").Sources}} stage
 * @param {Site} site
 * @param {Pick<import("./view_request.js").ViewRequester, "isAwaited" | "portray">} requester requests images of all
 * cells
 * @returns {Surface}
 */
export function createSurface(painter, stage, site, requester) {
  const { scene } = stage;
  const { loop, price } = painter;
  const canvas = createCanvas();
  const drawing = createDrawing(painter, stage, sight, site.size);
  let isStale = true;
  let shown = 0;
  let shownAt = 0;
  let hasShown = false;
  let isUnshown = false;
  let movedAt = -Infinity;
  /** Removes the previous picture while it fades. */
  let endFading = () => {};
  let heldUntil = 0; // 0 = each slice is shown

  /** @param {number} [ratio] px per CSS px @param {import("../style/point_style.js").Theme} [theme] @returns {import("./plan.js").Sight} */
  function sight(ratio = site.size().ratio, theme = site.theme()) {
    const camera = /** @type {import("../screen/camera.js").Camera} */ (site.camera());
    return { state: site.state(), camera, zoom: site.zoom(), ratio, theme };
  }

  /** @returns {import("../draw/budget.js").Pace} */
  function pace() {
    if (site.isMoving() || drawing.isUnderWay()) return "urgent";
    return performance.now() - movedAt < AGAIN_MS ? "soon" : "rest";
  }

  function isImageAwaited() {
    return site.state().points?.aggregated === true && requester.isAwaited();
  }

  /** True if a better picture of the same places will soon replace the current one. */
  function isHeld() {
    const isGrowing = hasShown && !isStale && drawing.drawn() < drawing.count() && pace() === "rest";
    if (isGrowing && performance.now() - shownAt < price.growingMs) return true;
    if (performance.now() >= heldUntil || drawing.isUnderWay()) return false;
    return (
      isStale ||
      (drawing.plan().source === "base" && isImageAwaited()) ||
      drawing.drawn() < Math.min(shown, drawing.count())
    );
  }

  /** @type {import("../draw/painter.js").Drawer} */
  const client = {
    wants() {
      if (!site.isShown() || site.camera() === null) return "no";
      const count = isStale ? drawable(scene) : drawing.count();
      const isEmpty = count === 0 && scene.image === null && scene.cells === null;
      if (hasShown && !isStale && !isComplete(scene) && count - drawing.drawn() < price.arrivedPoints && !isUnshown)
        return "no";
      if (isStale ? !hasShown && isEmpty && !isComplete(scene) : drawing.drawn() >= count && (!isUnshown || isHeld()))
        return "no";
      return pace();
    },
    draw(points) {
      if (isStale) {
        drawing.begin();
        isStale = false;
        isUnshown = true;
      }
      if (drawing.drawn() >= drawing.count()) return 0;
      if (!hasShown && drawing.drawn() === 0) site.onBegin();
      isUnshown = true;
      return drawing.draw(points, site.isMoving());
    },
    present() {
      if (isHeld()) return false;
      const isFirst = !hasShown;
      fitCanvas(canvas, site.size());
      drawing.show(canvas);
      shown = drawing.drawn();
      shownAt = performance.now();
      hasShown ||= shown > 0 || drawing.plan().image !== null;
      isUnshown = false;
      if (!isStale && shown >= drawing.count()) heldUntil = 0;
      if (drawing.isUnderWay()) isStale = true; // the next frame continues the animation
      site.onFrame(progress());
      return isFirst || drawing.isUnderWay();
    },
    restored() {
      drawing.restore();
      invalidate("colors");
      site.onFrame(progress());
    },
  };

  function progress() {
    if (drawing.isUnderWay()) return { drawn: shown, isComplete: false };
    const isWhole = shown >= drawing.count() && isComplete(scene) && !isStale && !isUnshown && !painter.isLost();
    return { drawn: drawing.plan().image?.nInside ?? shown, isComplete: isWhole && !isImageAwaited() };
  }

  /** @param {Change} [change] */
  function invalidate(change = "all") {
    if (change !== "more") isStale = true;
    if (change === "colors" || change === "tune") hold(HOLD_MS[change]);
    if (change === "move" || change === "all") heldUntil = 0;
    if (change === "move") arrive();
    if (site.isMoving()) movedAt = performance.now();
    // During page layout, frames and timers run late (decision 14).
    if (!hasShown) loop.hurry();
    else if (site.isMoving()) loop.wake();
    else loop.wakeSoon();
  }

  function arrive() {
    drawing.arrive();
    endFading();
  }

  /** @param {number} ms */
  function hold(ms) {
    if (heldUntil !== 0) return;
    heldUntil = performance.now() + ms;
    setTimeout(loop.wake, ms + 1); // to show the picture at the latest then
  }

  /** The current image at another resolution. @param {number} ratio px per CSS px @param {boolean} dark */
  async function portray(ratio, dark) {
    if (site.camera() === null || planOf(scene, sight()).image === null) return null;
    const { camera } = sight();
    const diameter = Math.round(pointOptions(scene, sight(ratio), drawing.plan()).sizePx);
    return requester.portray({ camera, view: visible(camera), ratio, diameter, dark });
  }

  const leave = loop.join(client);
  return {
    canvas,
    invalidate,
    depart() {
      const { former } = scene;
      if (!hasShown || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
      const { points, fade } = site.state();
      if (points?.aggregated) {
        endFading();
        endFading = fade?.(canvas) ?? endFading;
      } else if (former !== null) drawing.depart(former);
    },
    progress,
    async draw(scale, theme) {
      arrive(); // ends an animation: a saved picture must not show one of its frames
      const image = await portray(scale, theme.dark).catch(() => null);
      const { width, height } = site.size();
      const page = blank(width, height, scale);
      if (site.camera() !== null) {
        const size = () => ({ width, height, ratio: scale });
        const whole = createDrawing(painter, stage, () => sight(scale, theme), size);
        whole.begin(image ? { source: "base", hasPoints: false, image, isCover: true } : planOf(scene, sight()));
        if (whole.count() > 0) whole.draw(Infinity, false);
        whole.copyTo(page);
        whole.free();
      }
      image?.bitmap.close();
      return page.canvas;
    },
    destroy() {
      leave();
      drawing.free();
      endFading();
      canvas.remove();
    },
  };
}
