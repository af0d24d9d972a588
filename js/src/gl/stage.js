/** What all views of one model share in GPU memory: positions, colours, flags. Sent once, as far as they have arrived. */
import { colorTable } from "../style.js";
import { drawable } from "../scene.js";
import { createPointBuffers } from "./buffers.js";
import { sendColors } from "./colors.js";
import { sendImage } from "./image.js";

/** @typedef {import("../scene.js").Scene} Scene */
/** @typedef {import("../state.js").State} State */
/** @typedef {"base" | "detail" | "cells"} Source which points: those that were sent first, those closer by, all where those are a sample */

/**
 * @param {import("./context.js").Shared} shared
 * @param {Scene} scene
 * @param {() => State} getState
 */
export function createStage(shared, scene, getState) {
  const { gl } = shared;
  let parts = createParts(gl);

  return {
    shared,
    scene,
    /** Send what is new. Cheap when nothing is. */
    sync() {
      const { points, color, flags } = scene;
      if (points === null) return;
      parts.base.sync({ n: points.n, loaded: drawable(scene), xy: points.xy, codes: color?.codes ?? null, flags });
      syncDetail(parts, scene);
      syncCells(parts, scene);
      syncImage(gl, parts, scene);
      syncColors(gl, parts, getState());
    },
    /** @param {Source} source @returns {{buffers: {bind: () => void}, count: number}} */
    source(source) {
      if (source === "detail" && scene.detail !== null) return { buffers: parts.detail, count: scene.detail.index.length };
      if (source === "cells" && scene.cells !== null) return { buffers: parts.cells, count: scene.cells.xy.length / 2 };
      return { buffers: parts.base, count: drawable(scene) };
    },
    /** The points whose value is not the fill, sent when they are asked for. @param {import("../scene.js").Entries} entries */
    entries(entries) {
      syncEntries(parts, scene, entries);
      return { buffers: parts.entries, count: entries.index.length };
    },
    textures: () => ({ colors: parts.colors, image: parts.image }),
    /** The context's objects are gone. */
    restore() {
      parts = createParts(gl);
    },
    free() {
      parts.base.free();
      parts.detail.free();
      parts.cells.free();
      parts.entries.free();
      gl.deleteTexture(parts.colors);
      gl.deleteTexture(parts.image);
    },
  };
}

/** @typedef {ReturnType<typeof createStage>} Stage */

/** @param {WebGL2RenderingContext} gl */
function createParts(gl) {
  return {
    base: createPointBuffers(gl),
    detail: createPointBuffers(gl),
    cells: createPointBuffers(gl),
    entries: createPointBuffers(gl),
    /** What the entries' places were gathered from. @type {unknown[]} */
    placed: [],
    colors: gl.createTexture(),
    image: gl.createTexture(),
    /** What the texture of that name holds. @type {ImageBitmap | null} */
    bitmap: null,
    /** What the detail was gathered from. @type {unknown[]} */
    gathered: [],
    /** What the colours were made from. @type {unknown[]} */
    colored: [],
  };
}

/** @param {ReturnType<typeof createParts>} parts @param {Scene} scene */
function syncDetail(parts, { detail, color, flags }) {
  if (detail === null) return;
  const codes = color?.codes ?? null;
  const from = [detail, codes, flags];
  if (isSame(from, parts.gathered)) return;
  parts.gathered = from;
  const { index, xy } = detail;
  parts.detail.sync({
    n: index.length,
    loaded: index.length,
    xy,
    codes: codes === null ? null : gather(codes, index),
    flags: flags === null ? null : gather(flags, index),
  });
}

/** @param {ReturnType<typeof createParts>} parts @param {Scene} scene */
function syncCells(parts, { cells }) {
  if (cells === null) return;
  const n = cells.xy.length / 2;
  parts.cells.sync({ n, loaded: n, xy: cells.xy, codes: cells.codes, flags: cells.flags });
}

/** @param {ReturnType<typeof createParts>} parts @param {Scene} scene @param {import("../scene.js").Entries} entries */
function syncEntries(parts, { points }, { index, codes }) {
  const from = [points, index];
  if (points === null || isSame(from, parts.placed)) return;
  parts.placed = from;
  const places = new Uint32Array(points.xy.buffer, points.xy.byteOffset, points.n); // both coordinates at once
  const xy = new Uint16Array(gather(places, index).buffer);
  parts.entries.sync({ n: index.length, loaded: index.length, xy, codes, flags: null });
}

/** @param {WebGL2RenderingContext} gl @param {ReturnType<typeof createParts>} parts @param {Scene} scene */
function syncImage(gl, parts, { image }) {
  if (image === null || image.bitmap === parts.bitmap) return;
  sendImage(gl, parts.image, image);
  parts.bitmap = image.bitmap;
}

/** @template {Uint8Array | Uint16Array | Uint32Array} T @param {T} array @param {Uint32Array} index @returns {T} */
function gather(array, index) {
  const taken = /** @type {T} */ (new /** @type {any} */ (array.constructor)(index.length));
  for (let i = 0; i < index.length; i++) taken[i] = array[index[i]];
  return taken;
}

/** @param {WebGL2RenderingContext} gl @param {ReturnType<typeof createParts>} parts @param {State} state */
function syncColors(gl, parts, { color, traits }) {
  if (color === null || color.scale === "none") return;
  const isCategorical = color.scale === "categorical";
  const from = isCategorical ? [color.colors, color.categories, traits.hidden] : [traits.cmap];
  if (isSame(from, parts.colored)) return;
  parts.colored = from;
  sendColors(gl, parts.colors, colorTable(color, traits));
}

/** @param {unknown[]} a @param {unknown[]} b */
function isSame(a, b) {
  return a.length === b.length && a.every((one, i) => one === b[i]);
}
