/** Points that pass the filters of the file and the legends of other columns, and the layers over the plot that
 * remain. */
import { isShownOf } from "../state/hidden.js";
import { missingCode, unpackMask } from "../state/scene.js";

/** Unpacks bits to bytes; null if there are none. @param {import("./pieces.js").Frame | undefined} frame
 * @returns {Uint8Array | null} */
export function flagsOf(frame) {
  if (frame === undefined) return null;
  const { buffer, byteOffset, byteLength } = frame.buffers[0];
  return unpackMask(new Uint8Array(buffer, byteOffset, byteLength), frame.content.n_points);
}

/** One byte per point, 1 = passes; null = all pass. Categories hidden in the current legend pass too.
 * @param {import("./held.js").Held} held @param {import("./now.js").Now} now @param {number} panel @returns {Promise<Uint8Array | null>} */
export async function passingOf(held, { color, hides }, panel) {
  const filters = (await held.frames("start")).filter(({ content }) => content.kind === "filter");
  const of = (/** @type {number} */ one) => flagsOf(filters.find(({ content }) => content.panel === one));
  let passing = (panel > 0 ? of(panel) : null) ?? of(0);
  for (const [index, hidden] of hides) {
    if (index === color || hidden.length === 0) continue;
    const { legend, codes } = await held.values(index);
    if (codes === null || !legend.spec.startsWith("obs:")) continue;
    const isShown = shownBy(legend, hidden);
    const before = passing;
    passing = Uint8Array.from(codes, (code, i) => (isShown(code) && before?.[i] !== 0 ? 1 : 0));
  }
  return passing;
}

/** Predicate: true for codes that a legend shows. @param {any} legend @param {string[]} hidden */
export function shownBy(legend, hidden) {
  return isShownOf(/** @type {any} */ ({ color: legend, traits: { hidden } }));
}

/** Packs bytes of 0 and 1 into bits. @param {Uint8Array} flags @returns {Uint8Array} */
export function packedBits(flags) {
  const bits = new Uint8Array(Math.ceil(flags.length / 8));
  for (let i = 0; i < flags.length; i++) bits[i >> 3] |= flags[i] << (i & 7);
  return bits;
}

/** Number of points in total (n) and per category, points without a value last; for numbers, only points without a
 * value.
 * @param {Uint8Array | Uint16Array} codes @param {any} legend @param {(point: number) => boolean} isCounted */
export function countCodes(codes, { scale, categories }, isCounted) {
  const missing = missingCode(codes);
  const counts = new Uint32Array(categories.length + 1);
  let n = 0;
  codes.forEach((code, i) => {
    if (!isCounted(i)) return;
    n++;
    if (code === missing) counts[categories.length]++;
    else if (scale === "categorical") counts[code]++;
  });
  return { n, counts };
}

/** Removes the names of hidden categories. @param {any} labels the message @param {(code: number) => boolean} isShown
 * @returns {any} */
export function namesShown(labels, isShown) {
  const places = [...labels.codes.keys()].filter((i) => isShown(labels.codes[i]));
  const pick = (/** @type {any[]} */ all) => places.map((i) => all[i]);
  const { xy } = labels.arrays;
  return {
    ...labels,
    codes: pick(labels.codes),
    labels: pick(labels.labels),
    counts: pick(labels.counts),
    n_present: labels.n_present - labels.codes.length + places.length,
    arrays: { xy: Uint16Array.from(places.flatMap((i) => [xy[2 * i], xy[2 * i + 1]])) },
  };
}

/** A message without contours: those in the file do not apply to other cells. @param {any} contours the message
 * @returns {any} */
export function noContours(contours) {
  const none = { codes: [], labels: [], n_present: 0, categories: [], shares: [], n_rings: [], sets: [], colors: [] };
  return { ...contours, ...none, arrays: { lengths: new Uint32Array(0), xy: new Uint16Array(0) } };
}

/** Encodes a message with its arrays as on the wire. @param {any} message @param {Record<string, number[]>} shapes
 * @returns {import("./pieces.js").Frame} */
export function framed({ arrays, ...content }, shapes) {
  const names = Object.keys(shapes);
  const dtypes = { Uint8Array: "uint8", Uint16Array: "uint16", Uint32Array: "uint32" };
  const heads = names.map((name) => {
    const dtype = dtypes[/** @type {keyof typeof dtypes} */ (arrays[name].constructor.name)];
    return { name, dtype, shape: shapes[name] };
  });
  const view = (/** @type {Uint8Array} */ { buffer, byteOffset, byteLength }) =>
    new DataView(/** @type {ArrayBuffer} */ (buffer), byteOffset, byteLength);
  return { content: { ...content, arrays: heads }, buffers: names.map((name) => view(arrays[name])) };
}
