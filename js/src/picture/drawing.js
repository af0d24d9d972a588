/** A picture as far as it has been drawn: slices of points add up on it, until all that its plan holds are there. */
import { devicePx } from "../screen/canvas.js";
import { isComplete } from "../state/scene.js";
import { coverageOf, entriesAbove, isSameCoverage } from "./coverage.js";
import { imageOptions, planOf, pointOptions } from "./plan.js";

/**
 * @typedef {import("./plan.js").Plan} Plan
 * @typedef {{width: number, height: number, ratio: number}} Size CSS px; ratio: device px per CSS px
 *
 * @param {import("../draw/painter.js").Painter} painter
 * @param {{scene: import("../state/scene.js").Scene, sources: import("../draw/sources.js").Sources}} stage
 * @param {() => import("./plan.js").Sight} sight
 * @param {() => Size} size
 */
export function createDrawing(painter, { scene, sources }, sight, size) {
  let picture = painter.createPicture();
  /** @type {Plan} */
  let plan = { source: "base", hasPoints: true, image: null, isCover: true };
  let drawn = 0;
  /** What the picture at hand covers, once all points are in it. @type {import("./coverage.js").Coverage | null} */
  let covered = null;
  /** All that differs from the picture at hand, if that is little. @type {import("../state/scene.js").Entries | null} */
  let entries = null;

  /** What the points will cover when all are drawn. */
  function cover() {
    if (plan.source !== "base" || plan.image !== null) return null;
    return coverageOf(scene, pointOptions(scene, sight(), plan), size(), sight().state.traits.hidden.length > 0);
  }

  /** Points to draw, as many as have arrived. */
  function count() {
    return plan.hasPoints ? sources.count(plan.source) : 0;
  }

  /** @param {import("../state/scene.js").Entries} above @returns {number} points */
  function repaint(above) {
    const options = pointOptions(scene, sight(), plan);
    const points = sources.entries(above);
    picture.fill(options, above.fill);
    if (points.n > 0) picture.points(options, points, 0, points.n);
    drawn = count();
    return points.n;
  }

  /** @param {number} most points @returns {number} how many were drawn */
  function drawSlice(most) {
    const slice = Math.min(most, count() - drawn);
    picture.points(pointOptions(scene, sight(), plan), sources.of(plan.source), drawn, slice);
    drawn += slice;
    return slice;
  }

  return {
    /** Begin anew, with what there is to draw now. */
    begin() {
      const { width, height, ratio } = size();
      plan = planOf(scene, sight());
      picture.resize(devicePx(width, ratio), devicePx(height, ratio));
      const isSame = isSameCoverage(covered, cover()) && isComplete(scene) && !sources.isShared();
      entries = isSame ? entriesAbove(scene, pointOptions(scene, sight(), plan).style) : null;
      if (entries === null) {
        covered = null;
        picture.clear();
      }
      if (plan.image !== null) picture.image(plan.image, imageOptions(sight(), plan.image.view, plan.isCover));
      drawn = 0;
    },
    /** @param {number} most points @returns {number} how many were drawn */
    draw(most) {
      covered = null;
      const submitted = entries === null ? drawSlice(most) : repaint(entries);
      if (drawn === scene.points?.n) covered = cover();
      return submitted;
    },
    count,
    drawn: () => drawn,
    plan: () => plan,
    show: (/** @type {HTMLCanvasElement} */ canvas) => picture.show(canvas),
    /** Everything made before is gone. */
    restore() {
      picture = painter.createPicture();
      covered = null;
    },
    free: () => picture.free(),
  };
}

/**
 * Draw a whole picture at once.
 * @param {import("../draw/painter.js").Painter} painter
 * @param {{scene: import("../state/scene.js").Scene, sources: import("../draw/sources.js").Sources}} stage
 * @param {CanvasRenderingContext2D} context what it is drawn on @param {import("./plan.js").Sight} sight @param {Plan} plan
 * @param {import("../state/scene.js").CellImage | null} portrait an image of all that is to be seen, drawn in place of the plan and closed
 */
export function drawWhole(painter, { scene, sources }, context, sight, plan, portrait) {
  const picture = painter.createPicture();
  picture.resize(context.canvas.width, context.canvas.height);
  picture.clear();
  const { image, isCover } = portrait === null ? plan : { image: portrait, isCover: true };
  if (image !== null) picture.image(image, imageOptions(sight, image.view, isCover));
  const points = sources.of(plan.source);
  if (portrait === null && plan.hasPoints && points.loaded > 0)
    picture.points(pointOptions(scene, sight, plan), points, 0, points.loaded);
  picture.copyTo(context);
  picture.free();
  portrait?.bitmap.close();
}
