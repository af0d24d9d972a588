/** Reads the pieces of a saved page: base64 of deflated bytes, which contain frames of the kernel. */
// Changes with cxg_widget/session/pictures/html_recording.py: pieces of a saved page.

/** @typedef {{content: any, buffers: DataView[]}} Frame */

const SIZES = { uint8: 1, uint16: 2, uint32: 4, float32: 4 };

/** A piece, still deflated. @param {string} id of its element @returns {Uint8Array<ArrayBuffer>} */
export const deflatedOf = (id) =>
  Uint8Array.from(atob(document.getElementById(id)?.textContent ?? ""), (one) => one.charCodeAt(0));

/** The bytes of a piece. @param {string} id of its element @returns {Promise<Uint8Array<ArrayBuffer>>} */
export async function bytesOf(id) {
  const stream = new Blob([deflatedOf(id)]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Splits the output of `packed` in cxg_widget/session/pictures/html_recording.py into frames.
 * @param {Uint8Array<ArrayBuffer>} bytes @returns {Frame[]} */
export function framesOf(bytes) {
  const { buffer } = bytes;
  const length = new DataView(buffer).getUint32(0, true);
  const contents = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  let at = padded(4 + length);
  return contents.map((/** @type {any} */ content) => {
    const buffers = content.arrays.map(
      (/** @type {{dtype: keyof typeof SIZES, shape: number[]}} */ { dtype, shape }) => {
        const size = shape.reduce((product, side) => product * side, SIZES[dtype]);
        const view = new DataView(buffer, at, size);
        at = padded(at + size);
        return view;
      },
    );
    return { content, buffers };
  });
}

/** @param {number} n @returns {number} */
const padded = (n) => Math.ceil(n / 4) * 4;
