import assert from "node:assert/strict";
import { test } from "node:test";
import { between, eased, placesOf, UNDER_WAY } from "../src/picture/motion.js";
import { MISSING } from "../src/wire/protocol.js";

/** @type {import("../src/picture/motion.js").Clip} */
const CLIP = { scale: [2 / 65_534, -1 / 65_534], offset: [-1, 0.5] };
const HALF_CODE = 2 / 65_534 + 1e-6;

/** @param {Uint16Array} xy */
const seen = (xy) => [...placesOf(xy, xy.length / 2, UNDER_WAY)];

test("a way begins and ends slowly, and never leaves its ends", () => {
  assert.deepEqual([-1, 0, 0.5, 1, 7].map(eased), [0, 0, 0.5, 1, 1]);
  const steps = Array.from({ length: 11 }, (_, i) => eased(i / 10));
  assert.ok(steps.every((one, i) => i === 0 || one > steps[i - 1]));
  assert.ok(eased(0.1) < 0.1 && eased(0.9) > 0.9);
});

test("points lie on the straight line between both places, in the middle half way", () => {
  const from = Float32Array.of(-1, 0.25, 0.5, -0.5);
  const to = Uint16Array.of(65_534, 0, 0, 65_534);
  const ends = [...placesOf(to, 2, CLIP)];
  for (const way of [0, 0.25, 0.5, 1])
    seen(between(from, to, CLIP, way)).forEach((at, i) => {
      assert.ok(Math.abs(at - (from[i] + (ends[i] - from[i]) * way)) <= HALF_CODE);
    });
});

test("new points appear at once, removed points vanish at once, points far outside stay out of view", () => {
  const from = placesOf(Uint16Array.of(MISSING, MISSING, 0, 0), 2, CLIP);
  const xy = between(from, Uint16Array.of(0, 0, MISSING, MISSING), CLIP, 0.1);
  assert.deepEqual([...xy.slice(2)], [MISSING, MISSING]);
  assert.ok(seen(xy.slice(0, 2)).every((at, i) => Math.abs(at - CLIP.offset[i]) <= HALF_CODE));
  const far = between(Float32Array.of(-9, 9), Uint16Array.of(0, 0), CLIP, 0);
  assert.ok(seen(far).every((at) => Math.abs(at) > 1.99));
});
