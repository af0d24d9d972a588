/** Vertex buffers of points. Each array goes to the GPU once, as it arrives, even if several panels draw it. */

/**
 * @typedef {import("../../wire/decode.js").Typed} Typed
 * @typedef {{buffer: WebGLBuffer, sent: number, users: number}} Sent an array in GPU memory; sent: number of elements
 * @typedef {{array: Typed | null, held: Sent | null}} Slot
 */

const XY = 0;
const CODE = 1;
const FLAG = 2;
const SIZE = 3;

/** Buffers per context and array: panels side by side draw the same positions.
 * @type {WeakMap<WebGL2RenderingContext, Map<Typed, Sent>>} */
const KEPT = new WeakMap();

/** @param {WebGL2RenderingContext} gl */
export function createPointBuffers(gl) {
  const vao = gl.createVertexArray();
  /** @type {Map<Typed, Sent>} */
  const kept = KEPT.get(gl) ?? new Map();
  KEPT.set(gl, kept);
  /** @type {Slot[]} */
  const slots = [XY, CODE, FLAG, SIZE].map(() => ({ array: null, held: null }));

  /** @param {number} location @param {Typed | null} array @param {number} loaded elements @param {number} components */
  function send(location, array, loaded, components) {
    const slot = slots[location];
    if (slot.array !== array) replace(location, array, components);
    const { held } = slot;
    if (array === null || held === null || held.sent >= loaded) return;
    gl.bindBuffer(gl.ARRAY_BUFFER, held.buffer);
    gl.bufferSubData(gl.ARRAY_BUFFER, held.sent * array.BYTES_PER_ELEMENT, array, held.sent, loaded - held.sent);
    held.sent = loaded;
  }

  /** @param {number} location @param {Typed | null} array @param {number} components */
  function replace(location, array, components) {
    const slot = slots[location];
    leave(slot);
    Object.assign(slot, { array, held: null });
    if (array === null) {
      gl.disableVertexAttribArray(location);
      return;
    }
    // One buffer per array: six panels share one buffer of positions (decision 53).
    const held = (slot.held = take(array));
    held.users++;
    gl.bindBuffer(gl.ARRAY_BUFFER, held.buffer);
    const type = array instanceof Uint8Array ? gl.UNSIGNED_BYTE : gl.UNSIGNED_SHORT;
    gl.vertexAttribIPointer(location, components, type, 0, 0);
    gl.enableVertexAttribArray(location);
  }

  /** @param {Typed} array @returns {Sent} */
  function take(array) {
    const known = kept.get(array);
    if (known && gl.isBuffer(known.buffer)) return known; // false after the context was lost
    const made = { buffer: /** @type {WebGLBuffer} */ (gl.createBuffer()), sent: 0, users: 0 };
    kept.set(array, made);
    gl.bindBuffer(gl.ARRAY_BUFFER, made.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, Math.max(array.byteLength, 4), gl.STATIC_DRAW);
    return made;
  }

  /** @param {Slot} slot */
  function leave({ array, held }) {
    if (array === null || held === null || --held.users > 0) return;
    gl.deleteBuffer(held.buffer);
    if (kept.get(array) === held) kept.delete(array);
  }

  return {
    /** Sends new elements. @param {import("../sources.js").PointArrays} arrays */
    sync({ n, loaded, xy, codes, flags, sizes }) {
      gl.bindVertexArray(vao);
      send(XY, xy, 2 * loaded, 2);
      send(CODE, codes, codes === null ? 0 : loaded, 1);
      send(FLAG, flags, n, 1);
      send(SIZE, sizes, sizes === null ? 0 : loaded, 1);
      gl.bindVertexArray(null);
    },
    /** Makes the next draw calls read these buffers. */
    bind() {
      gl.bindVertexArray(vao);
      // The context, not the vertex array, stores the value of a disabled array: another picture may have changed it.
      gl.vertexAttribI4ui(CODE, 0, 0, 0, 0);
      gl.vertexAttribI4ui(FLAG, 0, 0, 0, 0);
    },
    free() {
      slots.forEach(leave);
      slots.fill({ array: null, held: null });
      gl.deleteVertexArray(vao);
    },
  };
}
