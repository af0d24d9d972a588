/**
 * A plot's picture on its canvas, drawn a slice at a time onto what is already there. While it changes each frame shows as many of
 * the first points as the budget allows, a fair sample; at rest the slices add up until all are drawn.
 */
import { visible } from "../screen/camera.js";
import { blank, createCanvas, fitCanvas } from "../screen/canvas.js";
import { drawable, isComplete } from "../state/scene.js";
import { createDrawing } from "./drawing.js";
import { planOf, pointOptions } from "./plan.js";

/**
 * @typedef {object} Site what a surface needs to know of its plot
 * @property {() => import("../screen/camera.js").Camera | null} camera null while there is nothing to look at
 * @property {() => number} zoom 1 when everything fits
 * @property {() => {width: number, height: number, ratio: number}} size CSS px; ratio: device px per CSS px
 * @property {() => import("../style/point_style.js").Theme} theme
 * @property {() => import("../state/state.js").State} state
 * @property {() => boolean} isShown on the screen
 * @property {() => boolean} isMoving a hand moves the picture
 * @property {() => void} onBegin points are being drawn for the first time
 * @property {(progress: Progress) => void} onFrame
 *
 * @typedef {object} Surface
 * @property {HTMLCanvasElement} canvas
 * @property {(change?: Change) => void} invalidate
 * @property {() => void} depart the points are elsewhere from now on: they travel there, and images fade, unless the page wants no motion
 * @property {() => Progress} progress what is on the screen
 * @property {(scale: number, theme: import("../style/point_style.js").Theme) => Promise<HTMLCanvasElement>} draw the picture anew, without a background, as it
 *   looks in a theme; scale: px per CSS px
 * @property {() => void} destroy
 *
 * @typedef {{drawn: number, isComplete: boolean}} Progress drawn = points on the screen
 *
 * @typedef {"more" | "colors" | "tune" | "move" | "all"} Change more: points arrived; colors: same places, other colors;
 *   tune: the same, under a hand; move: other places; all: everything
 */

/** Where points stay in place the old picture stays until the new one is as dense, but no longer than this. */
const HOLD_MS = { colors: 800, tune: 150 };
/** What moved so recently may move again. */
const AGAIN_MS = 2_000;

/**
 * @param {import("../draw/painter.js").Painter} painter
 * @param {{scene: import("../state/scene.js").Scene, sources: import("../draw/sources.js").Sources}} stage
 * @param {Site} site
 * @param {Pick<import("./view_request.js").ViewRequester, "isAwaited" | "portray">} requester knows of pictures of all cells
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
  /** Removes the picture before this one, as it fades. */
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

  /** Would the picture at hand soon be replaced by a better one of the same place? */
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
      if (drawing.isUnderWay()) isStale = true; // and the next frame shows them further on
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
    // A page that is still being laid out has its frames and timers late (decision 14).
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
    setTimeout(loop.wake, ms + 1); // whatever has not been shown by then
  }

  /** The image at hand, at another resolution. @param {number} ratio px per CSS px @param {boolean} dark */
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
      arrive(); // what is saved is of no moment on the way
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
