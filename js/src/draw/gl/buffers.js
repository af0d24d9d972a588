/** Vertex buffers of points: each array is sent to the GPU once, as far as it has arrived, whoever draws it. */

/**
 * @typedef {import("../../wire/decode.js").Typed} Typed
 * @typedef {{buffer: WebGLBuffer, sent: number, users: number}} Sent an array in the memory of the GPU; sent = elements
 * @typedef {{array: Typed | null, held: Sent | null}} Slot
 */

const XY = 0;
const CODE = 1;
const FLAG = 2;
const SIZE = 3;

/** Of each context: panels side by side draw the same positions. @type {WeakMap<WebGL2RenderingContext, Map<Typed, Sent>>} */
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
    // Shared by their array: positions of six panels are one buffer (decision 53).
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
    if (known && gl.isBuffer(known.buffer)) return known; // it is none once the context has been lost
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
    /** Send what is new. @param {import("../sources.js").PointArrays} arrays */
    sync({ n, loaded, xy, codes, flags, sizes }) {
      gl.bindVertexArray(vao);
      send(XY, xy, 2 * loaded, 2);
      send(CODE, codes, codes === null ? 0 : loaded, 1);
      send(FLAG, flags, n, 1);
      send(SIZE, sizes, sizes === null ? 0 : loaded, 1);
      gl.bindVertexArray(null);
    },
    /** Make them what draw calls read. */
    bind() {
      gl.bindVertexArray(vao);
      // The value of a disabled array belongs to the context, not to the vertex array: another picture may have
      // changed it.
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
