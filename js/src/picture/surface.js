/**
 * A view's picture, drawn a slice at a time onto what is already there. While it changes each frame shows as long a
 * prefix of the points as the budget allows, a fair sample; at rest the slices add up until all are drawn.
 */
import { cellSizePx, codeSizePx, codesToClip, covers, visible } from "../screen/camera.js";
import { blank, createCanvas, devicePx, fitCanvas } from "../screen/canvas.js";
import { coverageOf, entriesAbove, isSameCoverage } from "./coverage.js";
import { cellsSeen, drawable, isComplete, missingCode } from "../state/scene.js";
import { MISSING } from "../wire/protocol.js";
import { crowdedSize, diameterOf, sampled, styleOf } from "../style/style.js";
import { holdsCells, imageOnShow } from "./survey.js";

/**
 * @typedef {object} Site what a surface needs to know of its plot
 * @property {() => import("../screen/camera.js").Camera | null} camera null while there is nothing to look at
 * @property {() => number} zoom 1 when everything fits
 * @property {() => {width: number, height: number, ratio: number}} size CSS px; ratio: device px per CSS px
 * @property {() => import("../style/style.js").Theme} theme
 * @property {() => import("../state/state.js").State} state
 * @property {() => boolean} isShown on the screen
 * @property {() => boolean} isMoving a hand moves the picture
 * @property {() => void} onBegin points are being drawn for the first time
 * @property {(frame: Frame) => void} onFrame
 *
 * @typedef {object} Surface
 * @property {HTMLCanvasElement} canvas
 * @property {(change?: Change) => void} invalidate
 * @property {() => Frame} frame what is on the screen
 * @property {(scale: number, theme: import("../style/style.js").Theme) => Promise<HTMLCanvasElement>} draw the picture anew, without a background, as it
 *   looks in a theme; scale: px per CSS px
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
/** What moved so recently may move again. */
const AGAIN_MS = 2_000;
/** A picture from the kernel may be so much enlarged before points, few as they may be, show more. */
const COARSEST = 3;

/**
 * @typedef {object} Plan what a picture is made of
 * @property {import("../draw/sources.js").Source} source which points
 * @property {boolean} hasPoints whether any of them are drawn
 * @property {import("../state/scene.js").Image | null} image a picture of all cells, moved to where they are now
 * @property {boolean} isCover points are seen only where the image is not
 *
 * @param {import("../draw/painter.js").Painter} painter
 * @param {{scene: import("../state/scene.js").Scene, sources: import("../draw/sources.js").Sources}} stage
 * @param {Site} site
 * @param {Pick<import("./survey.js").Surveyor, "isAwaited" | "portray">} surveyor knows of pictures of all cells
 * @returns {Surface}
 */
export function createSurface(painter, { scene, sources }, site, surveyor) {
  const { loop, price } = painter;
  const canvas = createCanvas();
  let picture = painter.createPicture();
  let isStale = true;
  /** @type {Plan} */
  let plan = { source: "base", hasPoints: true, image: null, isCover: true };
  let drawn = 0;
  let shown = 0;
  let shownAt = 0;
  let hasShown = false;
  let isUnshown = false;
  let movedAt = -Infinity;
  let heldUntil = 0; // 0 = each slice is shown
  /** What the picture at hand covers, once all points are in it. @type {import("./coverage.js").Coverage | null} */
  let covered = null;
  /** All that differs from the picture at hand, if that is little. @type {import("../state/scene.js").Entries | null} */
  let entries = null;

  /** @param {number} ratio px per CSS px @param {Plan} [of] @param {import("../style/style.js").Theme} [theme] */
  function look(ratio, { source, image } = plan, theme = site.theme()) {
    const camera = /** @type {import("../screen/camera.js").Camera} */ (site.camera());
    const state = site.state();
    const { cells, detail } = scene;
    const close = { base: null, detail, cells }[source];
    const missing = source === "cells" ? missingCode({ codes: cells?.codes ?? null }) : missingCode({ codes: scene.color?.codes ?? null });
    const style = styleOf(state, theme, missing);
    const sizePx = diameterOf(state, camera, site.zoom()) * ratio;
    const most = source === "cells" && state.traits.point_size === null ? roomFor(cells, camera, ratio) : Infinity;
    return {
      style: source === "base" ? sampled(style, state) : style, ...codesToClip(camera, close?.extent ?? state.points?.extent ?? [0, 1, 0, 1]), sizePx: Math.min(sizePx, most), isCovered: image !== null,
    };
  }

  /** @param {import("../state/scene.js").Cells | null} cells @param {import("../screen/camera.js").Camera} camera @param {number} ratio @returns {number} px */
  function roomFor(cells, camera, ratio) {
    return cells === null ? Infinity : crowdedSize(cellsSeen(cells, visible(camera)), camera.width * ratio, camera.height * ratio);
  }

  /** Is the detail at hand both wanted here and good enough? */
  function wantsDetail() {
    const camera = site.camera();
    const { points } = site.state();
    const { detail } = scene;
    if (camera === null || points === null || detail === null || !isComplete({ ...scene, nextColor: null })) return false;
    return codeSizePx(camera, points.extent) * site.size().ratio > COARSE_PX && covers(detail.extent, visible(camera));
  }

  /** @returns {Plan} */
  function choose() {
    const state = site.state();
    const camera = site.camera();
    const whole = { hasPoints: true, image: null, isCover: true };
    if (!state.points?.aggregated || camera === null) {
      return { ...whole, source: wantsDetail() ? "detail" : "base" };
    }
    const view = visible(camera);
    const seen = { camera, view, ratio: site.size().ratio };
    if (holdsCells(scene, state, [seen])) return { ...whole, source: "cells" };
    const image = imageOnShow(scene, state);
    const isCover = image !== null && cellSizePx(camera, image.view, image.bitmap.width, image.bitmap.height) < COARSEST * seen.ratio;
    const isEnough = image !== null && isCover && covers(image.view, view);
    return { source: "base", hasPoints: !isEnough, image, isCover };
  }

  function begin() {
    const { width, height, ratio } = site.size();
    plan = choose();
    picture.resize(devicePx(width, ratio), devicePx(height, ratio));
    entries = isSameCoverage(covered, cover()) && isComplete(scene) && !sources.isShared() ? entriesAbove(scene, look(ratio).style) : null;
    if (entries === null) {
      covered = null;
      picture.clear();
    }
    if (plan.image !== null) drawImage(picture, plan.image, plan.isCover);
    drawn = 0;
    isStale = false;
    isUnshown = true;
  }

  /** @returns {import("../draw/budget.js").Pace} */
  function pace() {
    if (site.isMoving()) return "urgent";
    return performance.now() - movedAt < AGAIN_MS ? "soon" : "rest";
  }

  /** What the points will cover when all are drawn. */
  function cover() {
    if (plan.source !== "base" || plan.image !== null) return null;
    return coverageOf(scene, look(site.size().ratio), site.size(), site.state().traits.hidden.length > 0);
  }

  /** @param {import("../state/scene.js").Entries} above */
  function repaint(above) {
    const how = look(site.size().ratio);
    const points = sources.entries(above);
    picture.fill(how, above.fill);
    if (points.n > 0) picture.points(how, points, 0, points.n);
    drawn = sourceCount();
    return points.n;
  }

  /** @param {number} most points @returns {number} how many were drawn */
  function drawSlice(most) {
    const slice = Math.min(most, sourceCount() - drawn);
    picture.points(look(site.size().ratio), sources.of(plan.source), drawn, slice);
    drawn += slice;
    return slice;
  }

  /** @param {import("../draw/painter.js").Picture} onto @param {import("../state/scene.js").Image} image @param {boolean} isCover
   * @param {import("../style/style.js").Theme} [theme] */
  function drawImage(onto, image, isCover, theme = site.theme()) {
    const camera = /** @type {import("../screen/camera.js").Camera} */ (site.camera());
    const { scale, offset } = codesToClip(camera, image.view);
    const rect = [offset[0], offset[0] + 65_534 * scale[0], offset[1], offset[1] + 65_534 * scale[1]];
    onto.image(image, { style: styleOf(site.state(), theme, MISSING), rect, isCover });
  }

  /** Would the picture at hand soon be replaced by a better one of the same place? */
  function isHeld() {
    const isGrowing = hasShown && !isStale && drawn < sourceCount() && pace() === "rest";
    if (isGrowing && performance.now() - shownAt < price.growingMs) return true;
    if (performance.now() >= heldUntil) return false;
    const isSampled = site.state().points?.aggregated === true && plan.source === "base" && surveyor.isAwaited();
    return isStale || isSampled || drawn < Math.min(shown, sourceCount());
  }

  /** @type {import("../draw/painter.js").Client} */
  const client = {
    wants() {
      if (!site.isShown() || site.camera() === null) return "no";
      const count = isStale ? drawable(scene) : sourceCount();
      const isEmpty = count === 0 && scene.image === null && scene.cells === null;
      if (hasShown && !isStale && !isComplete(scene) && count - drawn < price.arrivedPoints && !isUnshown) return "no";
      if (isStale ? !hasShown && isEmpty && !isComplete(scene) : drawn >= count && (!isUnshown || isHeld())) return "no";
      return pace();
    },
    draw(points) {
      if (isStale) begin();
      if (drawn >= sourceCount()) return 0;
      if (!hasShown && drawn === 0) site.onBegin();
      isUnshown = true;
      covered = null;
      const submitted = entries === null ? drawSlice(points) : repaint(entries);
      if (drawn === scene.points?.n) covered = cover();
      return submitted;
    },
    present() {
      if (isHeld()) return false;
      const isFirst = !hasShown;
      fitCanvas(canvas, site.size());
      picture.show(canvas);
      shown = drawn;
      shownAt = performance.now();
      hasShown ||= drawn > 0 || plan.image !== null;
      isUnshown = false;
      if (!isStale && drawn >= sourceCount()) heldUntil = 0;
      site.onFrame(frame());
      return isFirst;
    },
    restored() {
      picture = painter.createPicture();
      covered = null;
      invalidate("look");
      site.onFrame(frame());
    },
  };

  /** Points to draw, as many as have arrived. */
  function sourceCount() {
    return plan.hasPoints ? sources.count(plan.source) : 0;
  }

  function frame() {
    const isWhole = shown >= sourceCount() && isComplete(scene) && !isStale && !isUnshown && !painter.isLost();
    const isSampled = site.state().points?.aggregated === true && surveyor.isAwaited();
    return { drawn: plan.image === null ? shown : plan.image.nInside, isComplete: isWhole && !isSampled };
  }

  /** @param {Change} [change] */
  function invalidate(change = "all") {
    if (change !== "more") isStale = true;
    if (change === "look" || change === "tune") hold(HOLD_MS[change]);
    if (change === "move" || change === "all") heldUntil = 0;
    if (site.isMoving()) movedAt = performance.now();
    if (!hasShown) loop.hurry();
    else if (site.isMoving()) loop.wake();
    else loop.wakeSoon();
  }

  /** @param {number} ms */
  function hold(ms) {
    if (heldUntil !== 0) return;
    heldUntil = performance.now() + ms;
    setTimeout(loop.wake, ms + 1); // whatever has not been shown by then
  }

  /** The image at hand, at another resolution. @param {number} scale px per CSS px @param {boolean} dark */
  async function portray(scale, dark) {
    const camera = site.camera();
    if (camera === null || choose().image === null) return null;
    const diameter = Math.round(look(scale).sizePx);
    return surveyor.portray({ camera, view: visible(camera), ratio: scale, diameter, dark });
  }

  /** @param {CanvasRenderingContext2D} context @param {number} scale @param {import("../style/style.js").Theme} theme
   * @param {import("../state/scene.js").Image | null} portrait */
  function drawAll(context, scale, theme, portrait) {
    const large = painter.createPicture();
    large.resize(context.canvas.width, context.canvas.height);
    large.clear();
    if (portrait !== null) drawImage(large, portrait, true, theme);
    else drawPlan(large, choose(), scale, theme);
    large.copyTo(context);
    large.free();
    portrait?.bitmap.close();
  }

  /** @param {import("../draw/painter.js").Picture} large @param {Plan} whole @param {number} scale @param {import("../style/style.js").Theme} theme */
  function drawPlan(large, whole, scale, theme) {
    if (whole.image !== null) drawImage(large, whole.image, whole.isCover, theme);
    const points = sources.of(whole.source);
    if (whole.hasPoints && points.loaded > 0) large.points(look(scale, whole, theme), points, 0, points.loaded);
  }

  const leave = loop.join(client);
  return {
    canvas,
    invalidate,
    frame,
    async draw(scale, theme) {
      const portrait = await portray(scale, theme.dark).catch(() => null);
      const page = blank(site.size().width, site.size().height, scale);
      if (site.camera() !== null) drawAll(page, scale, theme, portrait);
      return page.canvas;
    },
    destroy() {
      leave();
      picture.free();
      canvas.remove();
    },
  };
}
