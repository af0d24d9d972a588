/** Buffers and textures that all views of one model share. Each array goes to the GPU once, as it arrives. */
import { memo } from "../../state/memo.js";
import { colorsFrom, colorTable } from "../../style/point_style.js";
import { createPointBuffers } from "./buffers.js";
import { createGlPicture } from "./picture.js";
import { sendColors, sendImage } from "./textures.js";

/**
 * @typedef {import("../../state/state.js").State} State
 * @typedef {import("../sources.js").PointArrays} PointArrays
 *
 * @param {import("./context.js").Shared} shared
 * @param {import("../../state/scene.js").Scene} scene
 * @param {() => State} getState
 * @returns {import("../painter.js").Painter & {free: () => void}}
 */
export function createGlPainter(shared, scene, getState) {
  const stage = createStage(shared, scene, getState);
  // Joins the loop only to be notified when the context is restored, without its objects.
  const leave = shared.loop.join({ wants: () => "no", draw: () => 0, present: () => false, restored: stage.restore });
  return {
    loop: shared.loop,
    createPicture: () => createGlPicture(shared, stage),
    isLost: () => shared.gl.isContextLost(),
    // The fixed cost of a slice equals that of drawing about 100,000 points.
    price: { arrivedPoints: 500_000, growingMs: 600 },
    free() {
      leave();
      stage.free();
    },
  };
}

/** @param {import("./context.js").Shared} shared @param {import("../../state/scene.js").Scene} scene @param {() => State} getState */
function createStage({ gl }, scene, getState) {
  let parts = createParts(gl);

  return {
    /** Sends the points that the GPU does not have yet. Cheap if there are none. @param {PointArrays} points */
    buffers(points) {
      const { positions, others } = parts;
      const own =
        points.xy === scene.points?.xy ? positions : (others.get(points.xy) ?? keepOther(parts, gl, points.xy));
      own.sync(points);
      return own;
    },
    /** @param {boolean} dark */
    colors(dark) {
      const { color, traits } = getState();
      if (color !== null && color.scale !== "none") {
        const send = () => (sendColors(gl, parts.colors, colorTable(color, traits, dark)), parts.colors);
        parts.colored(colorsFrom(color, traits, dark), send);
      }
      return parts.colors;
    },
    /** @param {import("../../state/scene.js").CellImage} image displayed */
    image(image) {
      parts.pictured([image.bitmap], () => (sendImage(gl, parts.image, image), parts.image));
      return parts.image;
    },
    isOnShow: (/** @type {import("../../state/scene.js").CellImage} */ image) => image === scene.image,
    /** Replaces the objects that the context lost. */
    restore() {
      parts = createParts(gl);
    },
    free() {
      parts.positions.free();
      for (const other of parts.others.values()) other.free();
      gl.deleteTexture(parts.colors);
      gl.deleteTexture(parts.image);
    },
  };
}

/** @typedef {ReturnType<typeof createStage>} Stage */

/** Number of cached position arrays, apart from those of all points (zoomed views, and the expressing cells of a
 * gene). */
const OTHERS = 3;

/** @param {WebGL2RenderingContext} gl */
function createParts(gl) {
  return {
    positions: createPointBuffers(gl),
    /** Buffers by position array, in the order they were added.
     * @type {Map<Uint16Array, ReturnType<typeof createPointBuffers>>} */
    others: new Map(),
    colors: gl.createTexture(),
    colored: /** @type {ReturnType<typeof memo<WebGLTexture>>} */ (memo()),
    image: gl.createTexture(),
    pictured: /** @type {ReturnType<typeof memo<WebGLTexture>>} */ (memo()),
  };
}

/** @param {ReturnType<typeof createParts>} parts @param {WebGL2RenderingContext} gl @param {Uint16Array} xy */
function keepOther({ others }, gl, xy) {
  const made = createPointBuffers(gl);
  others.set(xy, made);
  for (const [old, buffers] of others) {
    if (others.size <= OTHERS) break;
    buffers.free();
    others.delete(old);
  }
  return made;
}
