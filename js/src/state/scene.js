/** The scene: the large arrays behind a picture, filled chunk by chunk as they arrive. Knows no GL, no DOM and no
 * order of messages. */
import { viewInCodes } from "../screen/camera.js";
import { CONTAINER, MISSING } from "../wire/protocol.js";

/** Sample size for the estimate of the number of cells in view. */
const SAMPLE = 16_384;
const NO_BITS = new Uint8Array(0);

/**
 * @typedef {object} Positions
 * @property {number} n
 * @property {number} loaded length of the prefix that has arrived
 * @property {Uint16Array} xy codes, 2n
 * @property {Uint16Array | null} sizes n, in fractions of a spot; null: all have the same size
 *
 * @typedef {object} PointColors codes that color the points
 * @property {number} seq
 * @property {number} n
 * @property {number} loaded
 * @property {"none" | "categorical" | "continuous"} scale
 * @property {Uint8Array | Uint16Array | null} codes n; null until the first chunk, or without a scale
 * @property {Entries | null} entries codes that arrived in sparse form
 *
 * @typedef {object} Entries the points that differ from the fill
 * @property {number} fill code of all others
 * @property {Uint32Array} index place of each in display order, ascending
 * @property {Uint16Array} codes
 *
 * @typedef {object} PointDetail points of a region at full precision
 * @property {Uint32Array} index place of each in display order, ascending
 * @property {Uint16Array} xy codes over `extent`
 * @property {number[]} extent x0, x1, y0, y1 (data units)
 *
 * @typedef {object} CellImage all cells of a view as the kernel aggregated them
 * @property {ImageBitmap} bitmap
 * @property {string} key identifies the request it answers
 * @property {number} pointsSeq of the points
 * @property {number} seq of the coloring
 * @property {number[]} view left, right, bottom, top, data units
 * @property {"colors" | "numbers"} content
 * @property {number} nInside cells in the view
 *
 * @typedef {object} CellPoints all cells of a region at full precision, in random order
 * @property {string} key identifies the request they answer
 * @property {Uint16Array} xy codes over `extent`
 * @property {Uint8Array | Uint16Array | null} codes null without a coloring
 * @property {Uint8Array | null} flags as in Scene
 * @property {Uint16Array | null} sizes as in Positions
 * @property {number[]} extent x0, x1, y0, y1 (data units)
 *
 * @typedef {object} Brush
 * @property {Uint8Array} bins n, bin of each point; 255 = excluded by another filter
 * @property {number} n cells that pass
 * @property {readonly [number, number]} ends first bin that passes, and first bin after the range
 *
 * @typedef {object} Scene
 * @property {Positions | null} points
 * @property {PointColors | null} color displayed
 * @property {PointColors | null} nextColor arriving
 * @property {Uint8Array | null} flags n, bit 0 = selected, bit 1 = excluded by the filters; null if no bit is set
 * @property {{selected: Uint8Array | null, passing: Uint8Array | null}} bits packed bits that flags are computed from;
 *   null: no point is selected, or all pass
 * @property {Brush | null} brush being dragged; replaces the filters until it is released
 * @property {Positions | null} former previous positions of the same points, while listeners are notified of new ones
 * @property {PointDetail | null} detail
 * @property {CellImage | null} image if the points are a sample
 * @property {CellPoints | null} cells if the points are a sample, in a zoomed view
 */

/** @returns {Scene} */
export function createScene() {
  const bits = { selected: null, passing: null };
  const nothing = {
    points: null,
    former: null,
    color: null,
    nextColor: null,
    flags: null,
    detail: null,
    image: null,
    cells: null,
  };
  return { ...nothing, bits, brush: null };
}

/** @param {number} n @returns {Positions} */
export function createPositions(n) {
  return { n, loaded: 0, xy: new Uint16Array(2 * n), sizes: null };
}

/** @param {{seq: number, scale: PointColors["scale"], n_points: number}} legend @returns {PointColors} */
export function createValues({ seq, scale, n_points: n }) {
  return { seq, n, scale, loaded: scale === "none" ? n : 0, codes: null, entries: null };
}

/** @param {Positions} points @param {{start: number, stop: number, arrays: {xy: Uint16Array, sizes?: Uint16Array}}} chunk */
export function putPositions(points, { start, stop, arrays }) {
  points.xy.set(arrays.xy, 2 * start);
  if (arrays.sizes) (points.sizes ??= new Uint16Array(points.n)).set(arrays.sizes, start);
  points.loaded = extend(points.loaded, start, stop);
}

/** @param {PointColors} values @param {import("../wire/protocol.js").CodesOfPoints | import("../wire/protocol.js").ValuesOfPoints | import("../wire/protocol.js").Nonzeros} chunk */
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

/** Computes codes from those of an earlier coloring. @param {PointColors} values
 * @param {Uint8Array | Uint16Array} before @param {import("../wire/protocol.js").Recoded["arrays"]} arrays */
export function putRecoded(values, before, { table, bits, codes }) {
  const last = table.length - 1;
  const made = table instanceof Uint8Array ? new Uint8Array(values.n) : new Uint16Array(values.n);
  for (let i = 0, k = 0; i < values.n; i++) {
    const isOther = bits.length > 0 && (bits[i >> 3] >> (i & 7)) & 1;
    made[i] = isOther ? codes[codes.length === 1 ? 0 : k++] : table[Math.min(before[i], last)];
  }
  values.codes = made;
  values.loaded = values.n;
}

/** @param {Uint8Array | Uint16Array} codes n @param {import("../wire/protocol.js").Nonzeros} chunk @returns {Entries} those of the chunk */
export function putNonzeros(codes, { start, stop, fill, arrays: { counts, offsets, values } }) {
  // Fills the whole chunk first; its entries overwrite the fill.
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
  return { fill: more.fill, index: join([before.index, more.index]), codes: join([before.codes, more.codes]) };
}

/** Concatenates arrays. @template {Uint8Array | Uint16Array | Uint32Array} T @param {T[]} parts of one type
 * @returns {T} */
function join(parts) {
  const n = parts.reduce((sum, { length }) => sum + length, 0);
  const all = /** @type {T} */ (new /** @type {any} */ (parts[0].constructor)(n));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Unpacks bits to one byte per point. @param {Uint8Array} bits @param {number} n
 * @returns {Uint8Array | null} null if empty */
export function unpackMask(bits, n) {
  if (bits.length === 0) return null;
  const flags = new Uint8Array(n);
  for (let i = 0; i < n; i++) flags[i] = (bits[i >> 3] >> (i & 7)) & 1;
  return flags;
}

/** Computes `Scene.flags` of n points. @param {Scene["bits"]} bits null or empty: none is selected, all pass
 * @param {number} n @returns {Uint8Array | null} */
function flagsOf({ selected, passing }, n) {
  const flags = unpackMask(selected ?? NO_BITS, n);
  if (passing === null || passing.length === 0) return flags;
  const all = flags ?? new Uint8Array(n);
  for (let i = 0; i < n; i++) all[i] |= ((~passing[i >> 3] >> (i & 7)) & 1) << 1;
  return all;
}

/** Replaces the bits of the selection or the filters. If they belong to points that have not arrived yet, the flags
 * of the displayed points stay. @param {Scene} scene @param {Partial<Scene["bits"]>} bits @param {number} n points */
export function putBits(scene, bits, n) {
  scene.bits = { ...scene.bits, ...bits };
  putFlags(scene, n);
}

/** Moves a brush or removes it. @param {Scene} scene @param {Brush | null} brush */
export function putBrush(scene, brush) {
  scene.brush = brush;
  if (scene.points !== null) putFlags(scene, scene.points.n);
}

/** @param {Scene} scene @param {number} n points */
function putFlags(scene, n) {
  const { bits, brush, points } = scene;
  if (points !== null && points.n !== n) return;
  if (brush?.bins.length !== n) {
    scene.flags = flagsOf(bits, n);
    return;
  }
  const { bins, ends } = brush;
  // One look-up per point in a table of 256 entries: 1.5 ms for 1 M points (decision 34).
  const left = Uint8Array.from({ length: 256 }, (_, bin) => (bin >= ends[0] && bin < ends[1] ? 0 : 2));
  const flags = flagsOf({ ...bits, passing: null }, n) ?? new Uint8Array(n);
  for (let i = 0; i < n; i++) flags[i] |= left[bins[i]];
  scene.flags = flags;
}

/** Joins the parts of a reply into one array each. @param {import("../wire/protocol.js").Detail[]} parts
 * @returns {PointDetail} */
export function joinDetail(parts) {
  const arrays = arraysOf(parts);
  return {
    index: join(arrays.map(({ index }) => index)),
    xy: join(arrays.map(({ xy }) => xy)),
    extent: parts[0].extent,
  };
}

/** Joins the parts of a reply into one array each. @param {import("../wire/protocol.js").Cells[]} parts
 * @param {string} key @returns {CellPoints} */
export function joinCells(parts, key) {
  const arrays = arraysOf(parts);
  const flags = arrays.map(({ bits, passing, xy }) => flagsOf({ selected: bits, passing }, xy.length / 2));
  const isFlagged = flags.some((one) => one !== null);
  return {
    key,
    xy: join(arrays.map(({ xy }) => xy)),
    codes: arrays[0].codes.length > 0 ? join(arrays.map(({ codes }) => codes)) : null,
    sizes: arrays[0].sizes ? join(arrays.map(({ sizes }) => /** @type {Uint16Array} */ (sizes))) : null,
    flags: isFlagged ? join(flags.map((one, i) => one ?? new Uint8Array(arrays[i].xy.length / 2))) : null,
    extent: parts[0].extent,
  };
}

/** Arrays of the parts, in order of part number; parts may arrive in any order.
 * @template {{part: number, arrays: any}} T @param {T[]} parts @returns {T["arrays"][]} */
function arraysOf(parts) {
  return [...parts].sort((a, b) => a.part - b.part).map(({ arrays }) => arrays);
}

/** Estimates the number of cells in a view from the first cells, which are a random sample.
 * @param {CellPoints} cells @param {readonly number[]} view left, right, bottom, top in data units @returns {number} */
export function cellsSeen({ xy, extent }, view) {
  const [low, high, down, up] = viewInCodes(extent, view);
  const n = xy.length / 2;
  const looked = Math.min(n, SAMPLE);
  let seen = 0;
  for (let i = 0; i < looked; i++)
    seen += Number(xy[2 * i] >= low && xy[2 * i] <= high && xy[2 * i + 1] >= down && xy[2 * i + 1] <= up);
  return looked === 0 ? 0 : (seen * n) / looked;
}

/** Number of points whose positions and codes have arrived, so that they can be drawn. @param {Scene} scene
 * @returns {number} */
export function drawable({ points, color }) {
  if (points === null) return 0;
  return color === null ? points.loaded : Math.min(points.loaded, color.loaded);
}

/** True if all points and their coloring have arrived. @param {Scene} scene @returns {boolean} */
export function isComplete(scene) {
  return scene.points !== null && scene.nextColor === null && drawable(scene) === scene.points.n;
}

/** The code of a missing value. @param {Uint8Array | Uint16Array | null} codes @returns {number} */
export function missingCode(codes) {
  return codes instanceof Uint8Array ? 255 : MISSING;
}

/** @param {number} loaded @param {number} start @param {number} stop */
function extend(loaded, start, stop) {
  return start <= loaded ? Math.max(loaded, stop) : loaded; // after a gap, points that have not arrived would be drawn
}
