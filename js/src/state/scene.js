/** The big arrays behind a picture, filled chunk by chunk as they arrive. Knows no GL, no DOM and no messages' order. */
import { CONTAINER, MISSING } from "../wire/protocol.js";

/** Cells that are looked at to estimate how many are seen. */
const SAMPLE = 16_384;

/**
 * @typedef {object} Positions
 * @property {number} n
 * @property {number} loaded length of the prefix that has arrived
 * @property {Uint16Array} xy codes, 2n
 *
 * @typedef {object} PointColors what colours the points
 * @property {number} seq
 * @property {number} n
 * @property {number} loaded
 * @property {"none" | "categorical" | "continuous"} scale
 * @property {Uint8Array | Uint16Array | null} codes n; null until the first chunk, or without a scale
 * @property {Entries | null} entries what came as few entries among many equal values
 *
 * @typedef {object} Entries the points that differ from the fill
 * @property {number} fill code of all others
 * @property {Uint32Array} index place of each in display order, ascending
 * @property {Uint16Array} codes
 *
 * @typedef {object} PointDetail points of a part at full precision
 * @property {Uint32Array} index place of each in display order, ascending
 * @property {Uint16Array} xy codes over `extent`
 * @property {number[]} extent x0, x1, y0, y1 (data units)
 *
 * @typedef {object} CellImage all cells of a view as the kernel aggregated them
 * @property {ImageBitmap} bitmap
 * @property {string} key what it was made for
 * @property {number} pointsSeq of the points
 * @property {number} seq of the colouring
 * @property {number[]} view left, right, bottom, top, data units
 * @property {"colors" | "numbers"} content
 * @property {number} nInside cells in the view
 *
 * @typedef {object} CellPoints all cells of a part at full precision, in random order
 * @property {string} key what they were sent for
 * @property {Uint16Array} xy codes over `extent`
 * @property {Uint8Array | Uint16Array | null} codes null without a colouring
 * @property {Uint8Array | null} flags as in Scene
 * @property {number[]} extent x0, x1, y0, y1 (data units)
 *
 * @typedef {object} Scene
 * @property {Positions | null} points
 * @property {PointColors | null} color on show
 * @property {PointColors | null} nextColor arriving
 * @property {Uint8Array | null} flags n, bit 0 = selected; null when nothing is
 * @property {PointDetail | null} detail
 * @property {CellImage | null} image where the points are a sample
 * @property {CellPoints | null} cells where the points are a sample, close by
 */

/** @returns {Scene} */
export function createScene() {
  return { points: null, color: null, nextColor: null, flags: null, detail: null, image: null, cells: null };
}

/** @param {number} n @returns {Positions} */
export function createPositions(n) {
  return { n, loaded: 0, xy: new Uint16Array(2 * n) };
}

/** @param {{seq: number, scale: PointColors["scale"], n_points: number}} legend @returns {PointColors} */
export function createValues({ seq, scale, n_points: n }) {
  return { seq, n, scale, loaded: scale === "none" ? n : 0, codes: null, entries: null };
}

/** @param {Positions} points @param {{start: number, stop: number, arrays: {xy: Uint16Array}}} chunk */
export function putPositions(points, { start, stop, arrays }) {
  points.xy.set(arrays.xy, 2 * start);
  points.loaded = extend(points.loaded, start, stop);
}

/** @param {PointColors} values @param {import("../wire/protocol.js").Codes | import("../wire/protocol.js").Values | import("../wire/protocol.js").Nonzeros} chunk */
export function putValues(values, chunk) {
  const { start, stop } = chunk;
  if (chunk.kind === "codes") {
    const { codes } = chunk.arrays;
    values.codes ??= codes instanceof Uint8Array ? new Uint8Array(values.n) : new Uint16Array(values.n);
    values.codes.set(codes, start);
  } else {
    const codes = (values.codes ??= new Uint16Array(values.n));
    if (chunk.kind === "values") codes.set(chunk.arrays.values, start);
    else values.entries = joinEntries(values.entries, putNonzeros(codes, chunk));
  }
  values.loaded = extend(values.loaded, start, stop);
}

/** @param {Uint8Array | Uint16Array} codes n @param {import("../wire/protocol.js").Nonzeros} chunk @returns {Entries} those of the chunk */
export function putNonzeros(codes, { start, stop, fill, arrays: { counts, offsets, values } }) {
  codes.fill(fill, start, stop);
  const index = new Uint32Array(values.length);
  let entry = 0;
  for (let c = 0; c < counts.length; c++) {
    const begin = start + c * CONTAINER;
    for (const end = entry + counts[c]; entry < end; entry++) {
      index[entry] = begin + offsets[entry];
      codes[index[entry]] = values[entry];
    }
  }
  return { fill, index, codes: values };
}

/** @param {Entries | null} before @param {Entries} more @returns {Entries} */
function joinEntries(before, more) {
  if (before === null) return more;
  const size = before.index.length;
  const joined = {
    fill: more.fill,
    index: new Uint32Array(size + more.index.length),
    codes: new Uint16Array(size + more.index.length),
  };
  for (const [{ index, codes }, at] of /** @type {[Entries, number][]} */ ([
    [before, 0],
    [more, size],
  ])) {
    joined.index.set(index, at);
    joined.codes.set(codes, at);
  }
  return joined;
}

/** Packed bits to one byte a point. @param {Uint8Array} bits @param {number} n @returns {Uint8Array | null} null when empty */
export function unpackMask(bits, n) {
  if (bits.length === 0) return null;
  const flags = new Uint8Array(n);
  for (let i = 0; i < n; i++) flags[i] = (bits[i >> 3] >> (i & 7)) & 1;
  return flags;
}

/** Parts of an answer to one array each. @param {import("../wire/protocol.js").Detail[]} parts @returns {PointDetail} */
export function joinDetail(parts) {
  const ordered = [...parts].sort((a, b) => a.part - b.part);
  const n = ordered.reduce((sum, part) => sum + part.arrays.index.length, 0);
  const detail = { index: new Uint32Array(n), xy: new Uint16Array(2 * n), extent: ordered[0].extent };
  let at = 0;
  for (const { arrays } of ordered) {
    detail.index.set(arrays.index, at);
    detail.xy.set(arrays.xy, 2 * at);
    at += arrays.index.length;
  }
  return detail;
}

/** Parts of an answer to one array each. @param {import("../wire/protocol.js").Cells[]} parts @param {string} key @returns {CellPoints} */
export function joinCells(parts, key) {
  const ordered = [...parts].sort((a, b) => a.part - b.part);
  const n = ordered.reduce((sum, { arrays }) => sum + arrays.xy.length / 2, 0);
  const [{ arrays: first, extent }] = ordered;
  const xy = new Uint16Array(2 * n);
  const codes =
    first.codes.length > 0 ? (first.codes instanceof Uint8Array ? new Uint8Array(n) : new Uint16Array(n)) : null;
  const flags = ordered.some(({ arrays }) => arrays.bits.length > 0) ? new Uint8Array(n) : null;
  let at = 0;
  for (const { arrays } of ordered) {
    const size = arrays.xy.length / 2;
    xy.set(arrays.xy, 2 * at);
    codes?.set(arrays.codes, at);
    flags?.set(unpackMask(arrays.bits, size) ?? [], at);
    at += size;
  }
  return { key, xy, codes, flags, extent };
}

/** Roughly how many cells lie in a view, from the first of them, which are a fair sample.
 * @param {CellPoints} cells @param {readonly number[]} view left, right, bottom, top in data units @returns {number} */
export function cellsSeen({ xy, extent: [x0, x1, y0, y1] }, [left, right, bottom, top]) {
  const code = (/** @type {number} */ value, /** @type {number} */ from, /** @type {number} */ to) =>
    ((value - from) / (to - from || 1)) * (MISSING - 1);
  const [low, high] = [code(left, x0, x1), code(right, x0, x1)];
  const [down, up] = [code(Math.min(bottom, top), y0, y1), code(Math.max(bottom, top), y0, y1)];
  const n = xy.length / 2;
  const looked = Math.min(n, SAMPLE);
  let seen = 0;
  for (let i = 0; i < looked; i++)
    seen += Number(xy[2 * i] >= low && xy[2 * i] <= high && xy[2 * i + 1] >= down && xy[2 * i + 1] <= up);
  return looked === 0 ? 0 : (seen * n) / looked;
}

/** How many points have all that is needed to draw them. @param {Scene} scene @returns {number} */
export function drawable({ points, color }) {
  if (points === null) return 0;
  return color === null ? points.loaded : Math.min(points.loaded, color.loaded);
}

/** Is there nothing left to arrive? @param {Scene} scene @returns {boolean} */
export function isComplete(scene) {
  return scene.points !== null && scene.nextColor === null && drawable(scene) === scene.points.n;
}

/** The code of a missing value. @param {Uint8Array | Uint16Array | null} codes @returns {number} */
export function missingCode(codes) {
  return codes instanceof Uint8Array ? 255 : MISSING;
}

/** @param {number} loaded @param {number} start @param {number} stop */
function extend(loaded, start, stop) {
  return start <= loaded ? Math.max(loaded, stop) : loaded; // a gap would draw what has not come
}
