/** Which points a picture is made of, as arrays side by side; what has to be gathered is gathered once. Knows no GL. */
import { once } from "./once.js";
import { drawable } from "./scene.js";

/**
 * @typedef {object} PointArrays
 * @property {number} n
 * @property {number} loaded prefix that has arrived
 * @property {Uint16Array} xy 2n
 * @property {Uint8Array | Uint16Array | null} codes n
 * @property {Uint8Array | null} flags n
 *
 * @typedef {"base" | "detail" | "cells"} Source those that were sent first, those closer by, all where those are a sample
 */

/** @type {PointArrays} */
const NONE = { n: 0, loaded: 0, xy: new Uint16Array(0), codes: null, flags: null };

/** @param {import("./scene.js").Scene} scene */
export function createSources(scene) {
  const detail = /** @type {ReturnType<typeof once<PointArrays>>} */ (once());
  const entries = /** @type {ReturnType<typeof once<PointArrays>>} */ (once());

  function base() {
    const { points, color, flags } = scene;
    return points === null ? NONE : { n: points.n, loaded: drawable(scene), xy: points.xy, codes: color?.codes ?? null, flags };
  }

  /** @param {import("./scene.js").Detail} at */
  function close(at) {
    const { color, flags } = scene;
    const codes = color?.codes ?? null;
    return detail([at, codes, flags], () => ({
      ...all(at.xy),
      codes: codes && gather(codes, at.index),
      flags: flags && gather(flags, at.index),
    }));
  }

  return {
    /** @param {Source} source @returns {PointArrays} */
    of(source) {
      if (source === "detail" && scene.detail !== null) return close(scene.detail);
      if (source === "cells" && scene.cells !== null) return { ...all(scene.cells.xy), codes: scene.cells.codes, flags: scene.cells.flags };
      return base();
    },
    /** @param {Source} source how many are to be had */
    count(source) {
      if (source === "detail" && scene.detail !== null) return scene.detail.index.length;
      if (source === "cells" && scene.cells !== null) return scene.cells.xy.length / 2;
      return drawable(scene);
    },
    /** The points whose value is not the fill. @param {import("./scene.js").Entries} of @returns {PointArrays} */
    entries({ index, codes }) {
      const { points } = scene;
      if (points === null) return NONE;
      return entries([points, index], () => {
        const places = new Uint32Array(points.xy.buffer, points.xy.byteOffset, points.n); // both coordinates at once
        return { ...all(new Uint16Array(gather(places, index).buffer)), codes, flags: null };
      });
    },
  };
}

/** @typedef {ReturnType<typeof createSources>} Sources */

/** @param {Uint16Array} xy */
function all(xy) {
  return { n: xy.length / 2, loaded: xy.length / 2, xy };
}

/** @template {Uint8Array | Uint16Array | Uint32Array} T @param {T} array @param {Uint32Array} index @returns {T} */
function gather(array, index) {
  const taken = /** @type {T} */ (new /** @type {any} */ (array.constructor)(index.length));
  for (let i = 0; i < index.length; i++) taken[i] = array[index[i]];
  return taken;
}
