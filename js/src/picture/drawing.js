/** A picture in progress: accumulates slices of points until all points of its plan are drawn. */

import { codesToClip } from "../screen/camera.js";
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
  /** Coverage of the current picture, once it has all points. @type {import("./coverage.js").Coverage | null} */
  let covered = null;
  /** Points to redraw over the current picture, if they are few. @type {import("../state/scene.js").Entries | null} */
  let entries = null;

  /** Transform of the points in the current picture. @type {import("./motion.js").Clip} */
  let clip = { scale: [1, 1], offset: [0, 0] };
  /** Running animation of the points. @type {import("./motion.js").Motion | null} */
  let motion = null;

  /** Coverage of the points once all are drawn. */
  function cover() {
    if (motion !== null || plan.source !== "base" || plan.image !== null) return null;
    return coverageOf(scene, pointOptions(scene, sight(), plan), size(), sight().state.traits.hidden.length > 0);
  }

  /** Number of points to draw, of those that have arrived. */
  function count() {
    const n = plan.hasPoints ? sources.count(plan.source) : 0;
    return motion === null ? n : Math.min(n, motion.xy.length / 2);
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

  /** @param {number} most points @param {boolean} isHasty @returns {number} number of points drawn */
  function drawSlice(most, isHasty) {
    const slice = Math.min(most, count() - drawn);
    const points = sources.of(plan.source, isHasty ? drawn + slice : undefined);
    const options = pointOptions(scene, sight(), plan);
    if (motion === null) picture.points(options, points, drawn, slice);
    else {
      const { xy, clip: from } = motion;
      const n = xy.length / 2;
      const [codes, flags] = [points.codes?.subarray(0, n) ?? null, points.flags?.subarray(0, n) ?? null];
      const sizes = points.sizes?.subarray(0, n) ?? null;
      picture.points(
        { ...options, ...from },
        { n, loaded: Math.min(n, points.loaded), xy, codes, flags, sizes },
        drawn,
        slice,
      );
    }
    drawn += slice;
    return slice;
  }

  return {
    /** Starts a new picture of the current scene. @param {Plan} [next] */
    begin(next = planOf(scene, sight())) {
      const { width, height, ratio } = size();
      plan = next;
      const { camera, state } = sight();
      if (state.points !== null) clip = codesToClip(camera, state.points.extent);
      motion = (scene.points && motion?.goOn(scene.points.xy, clip)) ?? null;
      picture.resize(devicePx(width, ratio), devicePx(height, ratio));
      // Shared values depend on all points of a pixel, so no point may be omitted.
      const isSame = isSameCoverage(covered, cover()) && isComplete(scene) && !sources.isShared();
      entries = isSame ? entriesAbove(scene, pointOptions(scene, sight(), plan).style) : null;
      if (entries === null) {
        covered = null;
        picture.clear();
      }
      if (plan.image !== null) picture.image(plan.image, imageOptions(sight(), plan.image.view, plan.isCover));
      drawn = 0;
    },
    /** @param {number} most points @param {boolean} isHasty the user moves the picture, so the next one replaces it
     * @returns {number} number of points drawn */
    draw(most, isHasty) {
      covered = null;
      const submitted = entries === null ? drawSlice(most, isHasty) : repaint(entries);
      if (drawn === scene.points?.n) covered = cover();
      return submitted;
    },
    /** Starts an animation of the points from their current places.
     * @param {import("../state/scene.js").Positions} former */
    depart(former) {
      const { xy } = motion ?? former;
      motion = sight().state.travel?.(xy, former.loaded, motion?.clip ?? clip) ?? null;
    },
    arrive: () => void (motion = null),
    isUnderWay: () => motion !== null,
    count,
    drawn: () => drawn,
    plan: () => plan,
    show: (/** @type {HTMLCanvasElement} */ canvas) => picture.show(canvas),
    copyTo: (/** @type {CanvasRenderingContext2D} */ context) => picture.copyTo(context),
    /** Recreates the picture, which the context has lost. */
    restore() {
      picture = painter.createPicture();
      covered = null;
    },
    free: () => picture.free(),
  };
}
