/** What lies over the plot, as far as it is still so: names of categories that are drawn, contours of the cells that pass. Pure. */

/** Without the names of hidden categories. @param {any} labels the message @param {(code: number) => boolean} isShown @returns {any} */
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

/** No contour: of other cells they would run elsewhere. @param {any} contours the message @returns {any} */
export function noContours(contours) {
  const none = { codes: [], labels: [], n_present: 0, categories: [], shares: [], n_rings: [], sets: [], colors: [] };
  return { ...contours, ...none, arrays: { lengths: new Uint32Array(0), xy: new Uint16Array(0) } };
}

/** A message with its arrays as it travels. @param {any} message @param {Record<string, number[]>} shapes @returns {import("./pieces.js").Frame} */
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
