import assert from "node:assert/strict";
import { test } from "node:test";
import { createPointBuffers } from "../src/draw/gl/buffers.js";

/** Counts the bytes that are sent, and the buffers that are held. */
function fakeGl() {
  const live = new Set();
  let bytes = 0;
  let isLost = false;
  const gl = {
    createBuffer: () => {
      const made = {};
      live.add(made);
      return made;
    },
    deleteBuffer: (/** @type {any} */ one) => live.delete(one),
    isBuffer: (/** @type {any} */ one) => !isLost && live.has(one),
    bufferSubData: (/** @type {any[]} */ ...[, , array, , length]) => {
      bytes += length * array.BYTES_PER_ELEMENT;
    },
  };
  const other = () => ({});
  const all = new Proxy(gl, { get: (of, name) => /** @type {any} */ (of)[name] ?? other });
  return {
    gl: /** @type {any} */ (all),
    live,
    bytes: () => bytes,
    lose: () => (isLost = true),
    restore: () => (isLost = false),
  };
}

const N = 1000;
const arrays = (/** @type {any} */ change = {}) => ({
  n: N,
  loaded: N,
  xy: new Uint16Array(2 * N),
  codes: /** @type {any} */ (new Uint8Array(N)),
  flags: null,
  sizes: null,
  ...change,
});

test("six panels of the same points send their positions once, and a color each", () => {
  const { gl, live, bytes } = fakeGl();
  const xy = new Uint16Array(2 * N);
  const panels = Array.from({ length: 6 }, () => ({ buffers: createPointBuffers(gl), points: arrays({ xy }) }));
  for (const { buffers, points } of panels) buffers.sync(points);
  assert.equal(bytes(), 4 * N + 6 * N);
  assert.equal(live.size, 1 + 6);
  for (const { buffers } of panels.slice(1)) buffers.free();
  assert.equal(live.size, 2); // who is left still draws them
  panels[0].buffers.sync(panels[0].points);
  assert.equal(bytes(), 10 * N);
  panels[0].buffers.free();
  assert.equal(live.size, 0);
});

test("later data are uploaded once, whichever plot draws first", () => {
  const { gl, bytes } = fakeGl();
  const points = arrays({ codes: null, loaded: 300 });
  const [one, other] = [createPointBuffers(gl), createPointBuffers(gl)];
  one.sync(points);
  other.sync(points);
  assert.equal(bytes(), 4 * 300);
  other.sync({ ...points, loaded: N });
  one.sync({ ...points, loaded: N });
  assert.equal(bytes(), 4 * N);
});

test("after the context has been lost all is sent again, once", () => {
  const { gl, bytes, lose, restore } = fakeGl();
  const points = arrays();
  createPointBuffers(gl).sync(points);
  lose();
  const [one, other] = [createPointBuffers(gl), createPointBuffers(gl)];
  one.sync(points);
  restore();
  other.sync(points);
  assert.equal(bytes(), 2 * 5 * N);
});
