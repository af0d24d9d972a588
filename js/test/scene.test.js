import assert from "node:assert/strict";
import { test } from "node:test";
import * as scenes from "../src/state/scene.js";

test("a sparse gene's containers fill only the points they list", () => {
  const codes = new Uint16Array(140_000).fill(9);
  const arrays = {
    counts: Uint32Array.of(2, 1),
    offsets: Uint16Array.of(0, 65535, 8927),
    values: Uint16Array.of(1, 65534, 65535),
  };
  scenes.putNonzeros(codes, /** @type {any} */ ({ start: 65_536, stop: 140_000, fill: 7, arrays }));
  assert.equal(codes[65_535], 9); // before the chunk
  assert.deepEqual([codes[65_536], codes[65_537], codes[131_071]], [1, 7, 65534]);
  assert.equal(codes[131_072 + 8927], 65535);
  assert.equal(
    codes.reduce((count, code) => count + Number(code !== 7 && code !== 9), 0),
    3,
  );
});

test("bit i & 7 of byte i >> 3 is point i", () => {
  assert.deepEqual(
    scenes.unpackMask(Uint8Array.of(0b10000001, 0b00000010), 10),
    Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 1, 0, 1),
  );
  assert.equal(scenes.unpackMask(new Uint8Array(0), 10), null);
});

test("a prefix has the points with both positions and colors", () => {
  const scene = scenes.createScene();
  assert.equal(scenes.drawable(scene), 0);
  scene.points = scenes.createPositions(4);
  scenes.putPositions(scene.points, { start: 0, stop: 3, arrays: { xy: Uint16Array.of(1, 2, 3, 4, 5, 6) } });
  assert.equal(scenes.drawable(scene), 3);
  scene.color = scenes.createValues({ seq: 1, scale: "categorical", n_points: 4 });
  assert.equal(scenes.drawable(scene), 0);
  scenes.putValues(
    scene.color,
    /** @type {any} */ ({ kind: "codes", start: 0, stop: 2, arrays: { codes: Uint8Array.of(0, 255) } }),
  );
  assert.equal(scenes.drawable(scene), 2);
  assert.equal(scenes.missingCode(scene.color.codes), 255);
  assert.equal(scenes.isComplete(scene), false);
});

test("a chunk after a gap does not count until the gap is closed", () => {
  const points = scenes.createPositions(4);
  scenes.putPositions(points, { start: 2, stop: 4, arrays: { xy: new Uint16Array(4) } });
  assert.equal(points.loaded, 0);
});

test("the number of cells in a view is estimated from a fair sample", () => {
  const n = 40_000;
  const xy = new Uint16Array(2 * n);
  let state = 7;
  const next = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  for (let i = 0; i < 2 * n; i++) xy[i] = i % 20 === 0 ? 65_535 : Math.floor(next() ** 2 * 65_534);
  const cells = /** @type {any} */ ({ xy, extent: [-1, 3, 10, 30] });
  for (const view of [
    [-1, 3, 10, 30],
    [-0.5, 1, 22, 11],
    [2, 3, 10, 12],
    [5, 6, 10, 30],
  ]) {
    let truth = 0;
    for (let i = 0; i < n; i++) {
      const [x, y] = [-1 + (xy[2 * i] / 65_534) * 4, 10 + (xy[2 * i + 1] / 65_534) * 20];
      truth += Number(
        x >= view[0] && x <= view[1] && y >= Math.min(view[2], view[3]) && y <= Math.max(view[2], view[3]),
      );
    }
    assert.ok(Math.abs(scenes.cellsSeen(cells, view) - truth) <= 0.02 * n, `${view}: ${truth}`);
  }
  const few = /** @type {any} */ ({ xy: Uint16Array.of(0, 0, 32_767, 32_767, 65_534, 65_534), extent: [0, 1, 0, 1] });
  assert.deepEqual(
    [
      [0, 1, 0, 1],
      [0.4, 1, 1, 0.4],
      [0.6, 0.9, 0, 1],
    ].map((view) => scenes.cellsSeen(few, view)),
    [3, 2, 0],
  );
  assert.equal(
    scenes.cellsSeen(/** @type {any} */ ({ xy: new Uint16Array(0), extent: [0, 0, 0, 0] }), [0, 1, 0, 1]),
    0,
  );
});

test("the parts of a detail are joined in order", () => {
  const part = (/** @type {number} */ i, /** @type {number[]} */ index) =>
    /** @type {any} */ ({
      part: i,
      parts: 2,
      extent: [0, 1, 0, 1],
      arrays: { index: Uint32Array.from(index), xy: new Uint16Array(2 * index.length).fill(i) },
    });
  const detail = scenes.joinDetail([part(1, [9]), part(0, [3, 4])]);
  assert.deepEqual(detail.index, Uint32Array.of(3, 4, 9));
  assert.deepEqual(detail.xy, Uint16Array.of(0, 0, 0, 0, 1, 1));
});

test("a brush leaves out points by their bins in the place of the filters, and beside it the selection stays", () => {
  const scene = scenes.createScene();
  scene.points = scenes.createPositions(5);
  scenes.putBits(scene, { selected: Uint8Array.of(0b00011), passing: Uint8Array.of(0b10101) }, 5);
  assert.deepEqual(scene.flags, Uint8Array.of(1, 3, 0, 2, 0));
  const bins = Uint8Array.of(0, 1, 2, 1, 255);
  scenes.putBrush(scene, { bins, ends: [1, 2], n: 2 });
  assert.deepEqual(scene.flags, Uint8Array.of(3, 1, 2, 0, 2));
  scenes.putBits(scene, { selected: null }, 5);
  assert.deepEqual(scene.flags, Uint8Array.of(2, 0, 2, 0, 2));
  scenes.putBrush(scene, null);
  assert.deepEqual(scene.flags, Uint8Array.of(0, 2, 0, 2, 0));
  scenes.putBrush(scene, { bins: new Uint8Array(4), ends: [0, 1], n: 0 }); // of other points
  assert.deepEqual(scene.flags, Uint8Array.of(0, 2, 0, 2, 0));
});
