/** Writes PNG files of at most 256 colors: a third of the bytes of three channels. Pure except for the compression. */

/** Size of the palette, and the number of most frequent colors that stay exact, so that data colors do not change. */
const [MOST, EXACT] = [256, 128];
/** Rarer colors (antialiased edges) may share an entry within this difference per channel, 0 to 255. Tried in order. */
const NEAR = [1, 2, 4, 8, 16];

/** @typedef {{colors: number[][], indices: Uint8Array}} Indexed colors: red, green, blue; indices: the color of each
 *   pixel */

/** @param {Uint8ClampedArray} rgba opaque pixels @returns {Indexed | null} null = there are too many colors */
export function indexed(rgba) {
  const pixels = new Uint32Array(rgba.buffer, rgba.byteOffset, rgba.length / 4);
  /** @type {Map<number, number>} */
  const counts = new Map();
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  if (counts.size > MOST * MOST) return null; // a photograph
  const ranked = [...counts].sort(([, a], [, b]) => b - a).map(([pixel]) => pixel);
  for (const near of ranked.length > MOST ? NEAR : [0]) {
    const found = shared(ranked, near);
    if (found === null) continue;
    const { colors, indexOf } = found;
    return { colors, indices: Uint8Array.from(pixels, (pixel) => indexOf.get(pixel) ?? 0) };
  }
  return null;
}

/** Build a palette: a rare color shares the entry of one within `near`.
 * @param {number[]} ranked the most frequent first @param {number} near
 * @returns {{colors: number[][], indexOf: Map<number, number>} | null} null = there are too many */
function shared(ranked, near) {
  /** @type {number[][]} */
  const colors = [];
  /** @type {Map<number, number>} */
  const indexOf = new Map();
  for (const pixel of ranked) {
    const color = [pixel & 255, (pixel >>> 8) & 255, (pixel >>> 16) & 255];
    const at = near === 0 || colors.length < EXACT ? -1 : nearest(colors, color, near);
    if (at < 0 && colors.length === MOST) return null;
    indexOf.set(pixel, at < 0 ? colors.push(color) - 1 : at);
  }
  return { colors, indexOf };
}

/** @param {number[][]} colors @param {number[]} color @param {number} most difference per channel
 * @returns {number} -1 = none within it */
function nearest(colors, [red, green, blue], most) {
  let [at, least] = [-1, most + 1];
  colors.forEach((one, i) => {
    const off = Math.max(Math.abs(one[0] - red), Math.abs(one[1] - green), Math.abs(one[2] - blue));
    if (off < least) [at, least] = [i, off];
  });
  return at;
}

/** Encode a picture; null if a palette would change it: it has transparency or too many frequent colors.
 * Source: W3C, "Portable Network Graphics (PNG) Specification", sections 5, 9 and 11.
 * @param {ImageData} picture @returns {Promise<Blob | null>} */
export async function palettePng({ width, height, data }) {
  for (let i = 3; i < data.length; i += 4) if (data[i] < 255) return null;
  const found = indexed(data);
  if (found === null) return null;
  const { colors, indices } = found;
  const lines = new Uint8Array(height * (width + 1)); // each line starts with its filter, 0 = none
  for (let y = 0; y < height; y++) lines.set(indices.subarray(y * width, (y + 1) * width), y * (width + 1) + 1);
  const packed = new Blob([lines]).stream().pipeThrough(new CompressionStream("deflate"));
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  header.set([8, 3, 0, 0, 0], 8);
  return new Blob(
    [
      Uint8Array.of(137, 80, 78, 71, 13, 10, 26, 10),
      part("IHDR", header),
      part("PLTE", Uint8Array.from(colors.flat())),
      part("IDAT", new Uint8Array(await new Response(packed).arrayBuffer())),
      part("IEND", new Uint8Array(0)),
    ],
    { type: "image/png" },
  );
}

/** @param {string} kind @param {Uint8Array} data @returns {Uint8Array<ArrayBuffer>} */
function part(kind, data) {
  const bytes = new Uint8Array(data.length + 12);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, data.length);
  bytes.set(new TextEncoder().encode(kind), 4);
  bytes.set(data, 8);
  view.setUint32(8 + data.length, crcOf(bytes.subarray(4, 8 + data.length)));
  return bytes;
}

/** @param {Uint8Array} bytes */
function crcOf(bytes) {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ -1) >>> 0;
}
