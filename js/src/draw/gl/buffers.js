/** Vertex buffers of points: each array is sent to the GPU once, as far as it has arrived. */

/**
 * @typedef {{array: import("../../wire/decode.js").Typed | null, sent: number, buffer: WebGLBuffer | null}} Slot sent = elements
 */

const XY = 0;
const CODE = 1;
const FLAG = 2;

/** @param {WebGL2RenderingContext} gl */
export function createPointBuffers(gl) {
  const vao = gl.createVertexArray();
  /** @type {Slot[]} */
  const slots = [XY, CODE, FLAG].map(() => ({ array: null, sent: 0, buffer: null }));

  /** @param {number} location @param {import("../../wire/decode.js").Typed | null} array @param {number} loaded elements @param {number} components */
  function send(location, array, loaded, components) {
    const slot = slots[location];
    if (slot.array !== array) replace(location, array, components);
    if (array === null || slot.sent >= loaded) return;
    gl.bindBuffer(gl.ARRAY_BUFFER, slot.buffer);
    gl.bufferSubData(gl.ARRAY_BUFFER, slot.sent * array.BYTES_PER_ELEMENT, array, slot.sent, loaded - slot.sent);
    slot.sent = loaded;
  }

  /** @param {number} location @param {import("../../wire/decode.js").Typed | null} array @param {number} components */
  function replace(location, array, components) {
    const slot = slots[location];
    gl.deleteBuffer(slot.buffer);
    Object.assign(slot, { array, sent: 0, buffer: null });
    if (array === null) {
      gl.disableVertexAttribArray(location);
      return;
    }
    slot.buffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, slot.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, Math.max(array.byteLength, 4), gl.STATIC_DRAW);
    const type = array instanceof Uint8Array ? gl.UNSIGNED_BYTE : gl.UNSIGNED_SHORT;
    gl.vertexAttribIPointer(location, components, type, 0, 0);
    gl.enableVertexAttribArray(location);
  }

  return {
    /** Send what is new. @param {import("../sources.js").PointArrays} arrays */
    sync({ n, loaded, xy, codes, flags }) {
      gl.bindVertexArray(vao);
      send(XY, xy, 2 * loaded, 2);
      send(CODE, codes, codes === null ? 0 : loaded, 1);
      send(FLAG, flags, n, 1);
      gl.bindVertexArray(null);
    },
    /** Make them what draw calls read. */
    bind() {
      gl.bindVertexArray(vao);
      gl.vertexAttribI4ui(CODE, 0, 0, 0, 0);
      gl.vertexAttribI4ui(FLAG, 0, 0, 0, 0);
    },
    free() {
      for (const { buffer } of slots) gl.deleteBuffer(buffer);
      gl.deleteVertexArray(vao);
    },
  };
}
