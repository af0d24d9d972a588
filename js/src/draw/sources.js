/** Arrays of points to draw: all received points, those of a zoomed view, or those that differ from the fill value.
 * Knows no GL. */

import { memo } from "../state/memo.js";
import { drawable } from "../state/scene.js";
import { createShared } from "../style/crowding.js";

/**
 * @typedef {object} PointArrays
 * @property {number} n
 * @property {number} loaded length of the prefix that has arrived
 * @property {Uint16Array} xy 2n
 * @property {Uint8Array | Uint16Array | null} codes n
 * @property {Uint8Array | null} flags n
 * @property {Uint16Array | null} sizes n, in fractions of a spot; null: all have the same size
 * @property {import("../state/scene.js").Entries | null} [entries] all points whose code is not the fill
 *
 * @typedef {"base" | "detail" | "cells"} Source points that the kernel sent first, those in a zoomed view at full
 *   precision, or all cells in view if the first are a sample
 */

/** @type {PointArrays} */
const NONE = { n: 0, loaded: 0, xy: new Uint16Array(0), codes: null, flags: null, sizes: null };

/** @param {import("../state/scene.js").Scene} scene @param {() => import("../state/state.js").State} getState */
export function createSources(scene, getState) {
  const detail = /** @type {ReturnType<typeof memo<PointArrays>>} */ (memo());
  const entries = /** @type {ReturnType<typeof memo<PointArrays>>} */ (memo());

  const shared = { base: createShared(), cells: createShared() };

  /** @param {number} [upTo] points that are drawn */
  function base(upTo = Number.POSITIVE_INFINITY) {
    const { points, color, flags } = scene;
    if (points === null) return NONE;
    const own = {
      n: points.n,
      loaded: Math.min(drawable(scene), upTo),
      xy: points.xy,
      codes: color?.codes ?? null,
      flags,
      sizes: points.sizes,
      entries: color?.loaded === points.n ? color.entries : null,
    };
    const { crowd, points: about } = getState();
    const shown = isShared() ? share(shared.base, own, crowd, about?.nObs ?? points.n, levels()) : own;
    // Each zoom step has its own codes: the card must not store more of them than are drawn.
    return shown !== own && own.loaded < points.n
      ? { ...shown, codes: shown.codes?.subarray(0, own.loaded) ?? null }
      : shown;
  }

  /** True if points show values other than their own, because they share pixels. If all cells are drawn, the highest
   * value lies on top without this; in a sample it may be absent. */
  function isShared() {
    const { crowd, points } = getState();
    return crowd.weight < 1 || (crowd.behind > 1 && points !== null && points.nObs > points.nPoints);
  }

  const levels = () => getState().color?.levels;

  /** @param {import("../state/scene.js").CellPoints} at */
  function near({ xy, codes, flags, sizes, extent }) {
    // Cells in view have position codes at full precision over their own extent, hence the zoom below.
    const own = { ...all(xy), codes, flags, sizes };
    const { crowd, points } = getState();
    if (crowd.weight === 1 || points === null) return own;
    const zoom = [0, 2].map(
      (axis) => (extent[axis + 1] - extent[axis]) / (points.extent[axis + 1] - points.extent[axis] || 1),
    );
    return share(shared.cells, own, crowd, own.n, levels(), zoom);
  }

  /** @param {import("../state/scene.js").PointDetail} at */
  function close(at) {
    const { codes, flags, sizes } = base();
    return detail([at, codes, flags], () => ({
      ...all(at.xy),
      codes: codes && gather(codes, at.index),
      flags: flags && gather(flags, at.index),
      sizes: sizes && gather(sizes, at.index),
    }));
  }

  return {
    isShared,
    /** @param {Source} source @param {number} [upTo] draws only this many of the first points; shared values are not
     * computed for the others @returns {PointArrays} */
    of(source, upTo) {
      if (source === "detail" && scene.detail !== null) return close(scene.detail);
      if (source === "cells" && scene.cells !== null) return near(scene.cells);
      return base(upTo);
    },
    /** Number of available points. @param {Source} source */
    count(source) {
      if (source === "detail" && scene.detail !== null) return scene.detail.index.length;
      if (source === "cells" && scene.cells !== null) return scene.cells.xy.length / 2;
      return drawable(scene);
    },
    /** Points whose value differs from the fill value. @param {import("../state/scene.js").Entries} of
     * @returns {PointArrays} */
    entries({ index, codes }) {
      const { points } = scene;
      if (points === null) return NONE;
      return entries([points, index], () => {
        const places = new Uint32Array(points.xy.buffer, points.xy.byteOffset, points.n); // both coordinates at once
        return { ...all(new Uint16Array(gather(places, index).buffer)), codes, flags: null, sizes: null };
      });
    },
  };
}

/** @typedef {ReturnType<typeof createSources>} Sources */

/** Replaces the codes with those to show where points share pixels.
 * @param {ReturnType<typeof createShared>} shared @param {PointArrays} own
 * @param {import("../style/crowding.js").Crowd} crowd
 * @param {number} nCells @param {import("../style/levels.js").Levels} [levels] of the codes @param {number[]} [zoom]
 * @returns {PointArrays} */
function share(shared, own, crowd, nCells, levels, zoom) {
  const { codes } = own;
  return codes instanceof Uint16Array ? { ...own, codes: shared({ ...own, codes }, crowd, nCells, levels, zoom) } : own;
}

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
