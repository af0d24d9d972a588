import assert from "node:assert/strict";
import { test } from "node:test";
import { barHeights, barPath, gradient, mergeBins, placeOf, readLimit, valueAfterKey, valueAt } from "../src/panels/histogram.js";

test("an empty bin has no bar, a single cell a visible one, the fullest bin height 1", () => {
  const [none, one, most] = barHeights([0, 1, 1_000_000]);
  assert.deepEqual([none, most], [0, 1]);
  assert.ok(one >= 0.04);
  assert.deepEqual(barHeights([0, 0]), [0, 0]);
  assert.equal(barPath([0, 1, 0.25]), "M1 1V0H2V1ZM2 1V0.75H3V1Z");
});

test("merged bins hold every cell", () => {
  const counts = Uint32Array.from({ length: 100 }, (_, i) => i);
  const merged = mergeBins(counts, 64);
  assert.equal(merged.length, 50);
  assert.equal(merged.reduce((a, b) => a + b), 4950);
  assert.deepEqual(mergeBins(new Uint32Array(), 64), []);
});

test("place and value are inverse, and held within the range", () => {
  for (const place of [0, 0.25, 1]) assert.equal(placeOf(valueAt(place, -2, 6), -2, 6), place);
  assert.deepEqual([placeOf(-9, -2, 6), placeOf(9, -2, 6), valueAt(2, -2, 6)], [0, 1, 6]);
});

test("a gradient runs between the limits", () => {
  assert.equal(gradient(["#000000", "#ffffff"], 0.25, 0.5), "linear-gradient(to right, #000000 25%, #ffffff 50%)");
  assert.match(gradient(undefined), /^linear-gradient/);
});

test("keys move a limit by a hundredth, with Shift by a tenth", () => {
  assert.equal(valueAfterKey("ArrowRight", false, 5, 0, 10), 5.1);
  assert.equal(valueAfterKey("ArrowLeft", true, 5, 0, 10), 4);
  assert.equal(valueAfterKey("End", false, 5, 0, 10), 10);
  assert.equal(valueAfterKey("ArrowDown", false, 0, 0, 10), 0);
  assert.equal(valueAfterKey("a", false, 5, 0, 10), null);
});

test("a limit is a number, a percentile or nothing", () => {
  const read = { "": null, " 1.5 ": 1.5, "-2e3": -2000, "12,346": 12_346, p99: "p99", "P 99.5": "p99.5", "95%": "p95", "\u22121": -1 };
  for (const [text, limit] of Object.entries(read)) assert.equal(readLimit(text), limit, text);
  for (const text of ["p101", "high", "1.2.3", "NaN", "Infinity", "p"]) assert.equal(readLimit(text), undefined, text);
});
