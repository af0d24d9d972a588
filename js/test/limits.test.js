import assert from "node:assert/strict";
import { test } from "node:test";
import { shareOf, valueAt } from "../src/style/levels.js";
import { resolveLimit } from "../src/style/limits.js";

const coloring = /** @type {any} */ ({ lo: -2, hi: 10, quantiles: Float32Array.of(0, 2 / 12, 0.25, 0.5, 1) });

test("percentiles are read off the table by linear interpolation", () => {
  assert.equal(resolveLimit("p0", coloring, 7), -2);
  assert.equal(resolveLimit("p50", coloring, 7), 1);
  assert.equal(resolveLimit("p62.5", coloring, 7), 2.5);
  assert.equal(resolveLimit("p100", coloring, 7), 10);
});

test("numbers are returned unchanged, a missing limit is the fallback", () => {
  assert.equal(resolveLimit(3, coloring, 7), 3);
  assert.equal(resolveLimit(null, coloring, 7), 7);
  assert.equal(resolveLimit("median", coloring, 7), 7);
  assert.equal(resolveLimit(3, { ...coloring, hi: -2 }, 7), 3);
  assert.equal(resolveLimit("p99", { ...coloring, hi: -2 }, 7), 7);
});

test("ranges that are too large for a number, or too small to be divided, have limits, shares and values", () => {
  for (const end of [5e-324, 3e38, 1.7e308]) {
    const wide = /** @type {any} */ ({ lo: -end, hi: end, quantiles: Float32Array.of(0, 0.25, 0.5, 0.75, 1) });
    assert.equal(resolveLimit("p50", wide, 7), 0);
    assert.deepEqual(
      [0, 1].map((share) => valueAt(share, -end, end)),
      [-end, end],
    );
    assert.equal(shareOf(end, -end, end), 1);
  }
});
