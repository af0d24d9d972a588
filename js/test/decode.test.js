import assert from "node:assert/strict";
import { test } from "node:test";
import { decode } from "../src/wire/decode.js";

const xy = (/** @type {number} */ n) => ({ name: "xy", dtype: "uint16", shape: [n, 2] });
const points = (/** @type {any} */ header, start = 0, stop = 2) => ({
  kind: "points",
  id: 0,
  start,
  stop,
  arrays: [header],
});

function bytesAt(/** @type {number} */ offset, /** @type {ArrayBufferView} */ array) {
  const bytes = new Uint8Array(offset + array.byteLength + 3);
  bytes.set(new Uint8Array(array.buffer), offset);
  return new DataView(bytes.buffer, offset, array.byteLength);
}

test("aligned buffers are views, misaligned ones are copied, both read the same", () => {
  const codes = Uint16Array.of(1, 2, 65535, 4);
  for (const offset of [0, 2, 1, 3]) {
    const buffer = bytesAt(offset, codes);
    const { arrays } = /** @type {any} */ (decode(points(xy(2)), [buffer]));
    assert.deepEqual(arrays.xy, codes);
    assert.equal(arrays.xy.buffer === buffer.buffer, offset % 2 === 0);
  }
});

test("a wrong byte count names the array and both sizes", () => {
  assert.throws(
    () => decode(points(xy(2)), [new DataView(new ArrayBuffer(6))]),
    /"xy" came with 6 bytes; uint16 \(2,2\) takes 8/,
  );
});

test("a wrong dtype, shape, name or number of arrays is refused", () => {
  const buffer = new DataView(new ArrayBuffer(8));
  assert.throws(() => decode(points({ ...xy(2), dtype: "float32" }), [buffer]), /"xy" is float32; it must be uint16/);
  assert.throws(() => decode(points(xy(2), 0, 3), [buffer]), /"xy" has shape \(2,2\); it must be \(3,2\)/);
  assert.throws(() => decode(points({ ...xy(2), name: "uv" }), [buffer]), /has no array "uv"/);
  assert.throws(() => decode(points(xy(2)), []), /This host drops binary data: .* w\.embed\(\)/);
  assert.throws(() => decode({ kind: "points", start: 0, stop: 0, arrays: [] }, []), /lacks the array "xy"/);
  assert.throws(() => decode({ kind: "surprise" }, []), /unknown kind "surprise"/);
});

test("an array that is optional may be absent, and is checked where it is there", () => {
  const sizes = (/** @type {number} */ n) => ({ name: "sizes", dtype: "uint16", shape: [n] });
  const views = [8, 4].map((n) => new DataView(new ArrayBuffer(n)));
  const content = points(xy(2));
  assert.equal(/** @type {any} */ (decode(content, [views[0]])).arrays.sizes, undefined);
  const both = { ...content, arrays: [xy(2), sizes(2)] };
  assert.equal(/** @type {any} */ (decode(both, views)).arrays.sizes.length, 2);
  assert.throws(() => decode({ ...both, arrays: [xy(2), sizes(3)] }, views), /"sizes" has shape \(3\)/);
});

test("arrays that share a size must agree on it", () => {
  const content = {
    kind: "detail",
    part: 0,
    parts: 1,
    extent: [0, 1, 0, 1],
    arrays: [{ name: "index", dtype: "uint32", shape: [2] }, xy(3)],
  };
  assert.throws(
    () => decode(content, [new DataView(new ArrayBuffer(8)), new DataView(new ArrayBuffer(12))]),
    /"xy" has shape \(3,2\); it must be \(2,2\)/,
  );
});
