/** Decodes messages: the only module that reads raw bytes. Copies only misaligned arrays. */
import { REPLY_ARRAYS } from "./protocol.js";

/** @typedef {Uint8Array | Uint16Array | Uint32Array | Float32Array} Typed */
/** @typedef {{name: string, dtype: string, shape: number[]}} Header */

const TYPES = { uint8: Uint8Array, uint16: Uint16Array, uint32: Uint32Array, float32: Float32Array };

/**
 * Decodes a message of the kernel: its fields, and its buffers as typed arrays under `arrays`.
 * @param {any} content the JSON object
 * @param {(DataView | ArrayBuffer | ArrayBufferView)[]} [buffers]
 * @returns {import("./protocol.js").Reply & {id: number}}
 * @throws {RangeError} if the kind of the message is unknown, its buffers do not match its header, or the host
 * dropped them
 */
export function decode(content, buffers = []) {
  const specs = REPLY_ARRAYS[content?.kind];
  if (specs === undefined)
    throw new RangeError(`The kernel sent a message of unknown kind ${JSON.stringify(content?.kind)}.`);
  /** @type {Header[]} */
  const headers = content.arrays ?? [];
  if (headers.length > 0 && buffers.length === 0)
    throw new RangeError('This host drops binary data: show the plot by w.embed() or w.save("page.html").');
  if (headers.length !== buffers.length) {
    throw new RangeError(
      `Message "${content.kind}" lists ${headers.length} arrays but came with ${buffers.length} buffers.`,
    );
  }
  /** @type {Record<string, number>} */
  // The bounds of a chunk give the length of its arrays, which detects truncated arrays.
  const sizes = "stop" in content ? { "stop-start": content.stop - content.start } : {};
  /** @type {Record<string, Typed>} */
  const arrays = {};
  headers.forEach((header, i) => {
    checkShape(content.kind, header, specs[header.name], sizes);
    arrays[header.name] = toTyped(header, buffers[i]);
  });
  const missing = Object.keys(specs).find((name) => !(name in arrays || specs[name][2]));
  if (missing !== undefined) throw new RangeError(`Message "${content.kind}" lacks the array "${missing}".`);
  return { ...content, arrays };
}

/** @param {string} kind @param {Header} header @param {import("./protocol.js").ArraySpec | undefined} spec
 * @param {Record<string, number>} sizes values of the names in shapes; new names are added */
function checkShape(kind, { name, dtype, shape }, spec, sizes) {
  if (spec === undefined) throw new RangeError(`Message "${kind}" has no array "${name}".`);
  const [dtypes, sides] = spec;
  if (!dtypes.includes(dtype)) throw new RangeError(`Array "${name}" is ${dtype}; it must be ${dtypes.join(" or ")}.`);
  const fits =
    shape.length === sides.length &&
    sides.every((size, axis) => (typeof size === "number" ? size : (sizes[size] ??= shape[axis])) === shape[axis]);
  if (!fits)
    throw new RangeError(
      `Array "${name}" has shape (${shape}); it must be (${sides.map((size) => sizes[size] ?? size)}).`,
    );
}

/** @param {Header} header @param {DataView | ArrayBuffer | ArrayBufferView} buffer @returns {Typed} */
function toTyped({ name, dtype, shape }, buffer) {
  const Type = TYPES[/** @type {keyof typeof TYPES} */ (dtype)];
  const count = shape.reduce((product, size) => product * size, 1);
  const wanted = count * Type.BYTES_PER_ELEMENT;
  if (buffer.byteLength !== wanted) {
    throw new RangeError(`Array "${name}" came with ${buffer.byteLength} bytes; ${dtype} (${shape}) takes ${wanted}.`);
  }
  const bytes = /** @type {ArrayBuffer} */ (ArrayBuffer.isView(buffer) ? buffer.buffer : buffer);
  const offset = ArrayBuffer.isView(buffer) ? buffer.byteOffset : 0;
  // A typed array must start at a multiple of its element size, but hosts pass views at any offset of one large buffer.
  const isAligned = offset % Type.BYTES_PER_ELEMENT === 0;
  return isAligned ? new Type(bytes, offset, count) : new Type(bytes.slice(offset, offset + wanted));
}
