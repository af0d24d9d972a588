/**
 * A view's picture, drawn by WebGL a slice at a time onto what is already there. While it changes each frame shows as
 * long a prefix of the points as the budget allows, a fair sample; at rest the slices add up until all are drawn.
 */
import { codeSizePx, codesToClip, covers, visible } from "./camera.js";
import { createCanvas, devicePx, fitCanvas, toBlob } from "./canvas.js";
import { drawPoints } from "./gl/scatter.js";
import { createScreen, createTarget } from "./gl/target.js";
import { isComplete, missingCode } from "./scene.js";
import { automaticSize, styleOf } from "./style.js";

/**
 * @typedef {object} Site what a surface needs to know of its plot
 * @property {() => import("./camera.js").Camera | null} camera null while there is nothing to look at
 * @property {() => number} wholeUnitsPerPx units per CSS px when everything fits
 * @property {() => {width: number, height: number, ratio: number}} size CSS px; ratio: device px per CSS px
 * @property {() => import("./style.js").Theme} theme
 * @property {() => import("./state.js").State} state
 * @property {() => boolean} isShown on the screen
 * @property {() => boolean} isMoving a hand moves the picture
 * @property {(frame: Frame) => void} onFrame
 *
 * @typedef {object} Surface
 * @property {HTMLCanvasElement} canvas
 * @property {(change?: Change) => void} invalidate
 * @property {() => Frame} frame what is on the screen
 * @property {(scale: number) => Promise<Blob>} png scale: px per CSS px
 * @property {() => void} destroy
 *
 * @typedef {{drawn: number, isComplete: boolean}} Frame drawn = points on the screen
 *
 * @typedef {"more" | "look" | "tune" | "move" | "all"} Change more: points arrived; look: same places, other colours;
 *   tune: the same, under a hand; move: other places; all: everything
 */

/** One code of position may take so many device px before its lattice could show. */
export const COARSE_PX = 0.5;
/** Where points stay in place the old picture stays until the new one is as dense, but no longer than this. */
const HOLD_MS = { look: 800, tune: 150 };

/** @param {import("./gl/stage.js").Stage} stage @param {Site} site @returns {Surface} */
export function createGlSurface(stage, site) {
  const { shared } = stage;
  const canvas = createCanvas();
  const screen = createScreen(shared, canvas);
  let target = createTarget(shared);
  let isStale = true;
  let detailed = false;
  let drawn = 0;
  let shown = 0;
  let heldUntil = 0; // 0 = each slice is shown

  /** @param {number} ratio px per CSS px */
  function look(ratio) {
    const camera = /** @type {import("./camera.js").Camera} */ (site.camera());
    const state = site.state();
    const { scene } = stage;
    const extent = detailed && scene.detail !== null ? scene.detail.extent : (state.points?.extent ?? [0, 1, 0, 1]);
    const style = styleOf(state, site.theme(), scene.color === null ? 0 : missingCode(scene.color));
    const zoom = site.wholeUnitsPerPx() / camera.unitsPerPx;
    const diameter = state.traits.point_size ?? automaticSize(state.points?.nObs ?? 0, camera, zoom);
    return { style, ...codesToClip(camera, extent), sizePx: diameter * ratio };
  }

  /** Is the detail at hand both wanted here and good enough? */
  function wantsDetail() {
    const camera = site.camera();
    const { points } = site.state();
    const { detail } = stage.scene;
    if (camera === null || points === null || detail === null || !isComplete({ ...stage.scene, nextColor: null })) return false;
    return codeSizePx(camera, points.extent) * site.size().ratio > COARSE_PX && covers(detail.extent, visible(camera));
  }

  function begin() {
    const { width, height, ratio } = site.size();
    detailed = wantsDetail();
    target.resize(devicePx(width, ratio), devicePx(height, ratio));
    target.bind();
    target.clear();
    drawn = 0;
    isStale = false;
  }

  /** @type {import("./gl/context.js").Client} */
  const client = {
    wants() {
      if (!site.isShown() || site.camera() === null) return "no";
      const { count } = stage.source(detailed);
      if (isStale ? shown === 0 && count === 0 && !isComplete(stage.scene) : drawn >= count) return "no";
      return site.isMoving() ? "urgent" : "yes";
    },
    draw(points) {
      stage.sync();
      if (isStale) begin();
      const { buffers, count } = stage.source(detailed);
      const slice = Math.min(points, count - drawn);
      if (slice > 0) {
        target.bind();
        drawPoints(shared, buffers, stage.colors(), look(site.size().ratio), drawn, slice);
        drawn += slice;
      }
      return slice;
    },
    present() {
      const { count } = stage.source(detailed);
      const isHeld = performance.now() < heldUntil;
      if (isHeld && (isStale || drawn < Math.min(shown, count))) return false;
      const isFirst = shown === 0;
      fitCanvas(canvas, site.size());
      target.show(screen);
      shown = drawn;
      if (!isStale && drawn >= count) heldUntil = 0;
      site.onFrame(frame());
      return isFirst;
    },
    restored() {
      target = createTarget(shared);
      invalidate("look");
      site.onFrame(frame());
    },
  };

  function frame() {
    const isWhole = shown >= stage.source(detailed).count && isComplete(stage.scene);
    return { drawn: shown, isComplete: isWhole && !isStale && !shared.gl.isContextLost() };
  }

  /** @param {Change} [change] */
  function invalidate(change = "all") {
    if (change !== "more") isStale = true;
    if (change === "look" || change === "tune") heldUntil ||= performance.now() + HOLD_MS[change];
    if (change === "move" || change === "all") heldUntil = 0;
    if (shown === 0) shared.hurry();
    else shared.wake();
  }

  /** @param {CanvasRenderingContext2D} context @param {number} scale */
  function drawAll(context, scale) {
    stage.sync();
    const large = createTarget(shared);
    large.resize(context.canvas.width, context.canvas.height);
    large.bind();
    large.clear();
    const { buffers, count } = stage.source(detailed);
    if (count > 0) drawPoints(shared, buffers, stage.colors(), look(scale), 0, count);
    large.copyTo(context);
    large.free();
  }

  const leave = shared.join(client);
  return {
    canvas,
    invalidate,
    frame,
    async png(scale) {
      const { width, height } = site.size();
      const page = document.createElement("canvas");
      [page.width, page.height] = [devicePx(width, scale), devicePx(height, scale)];
      const context = /** @type {CanvasRenderingContext2D} */ (page.getContext("2d"));
      if (site.camera() !== null) drawAll(context, scale);
      context.globalCompositeOperation = "destination-over";
      context.fillStyle = `rgb(${site.theme().background})`;
      context.fillRect(0, 0, page.width, page.height);
      return toBlob(page);
    },
    destroy() {
      leave();
      target.free();
      canvas.remove();
    },
  };
}
