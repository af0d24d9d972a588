import assert from "node:assert/strict";
import { test } from "node:test";
import { barHeights, barPath, gradient, placeOf, valueAfterKey, valueAt } from "../src/page/parts/legend_histogram.js";
import { describeBin } from "../src/panels/columns/number_counts.js";
import { readLimit } from "../src/style/limits.js";

test("an empty bin has no bar, a single cell a visible one, the fullest bin height 1", () => {
  assert.deepEqual(barHeights([0, 1, 1_000_000], 1_000_000), [0, 0.02, 1]);
  assert.deepEqual(barHeights([0, 0], 0), [0, 0]);
  assert.equal(barPath([0, 1, 0.25]), "M1 1V0H2V1ZM2 1V0.75H3V1Z");
});

test("place and value are inverse, and held within the range", () => {
  for (const place of [0, 0.25, 1]) assert.equal(placeOf(valueAt(place, -2, 6), -2, 6), place);
  assert.deepEqual([placeOf(-9, -2, 6), placeOf(9, -2, 6), valueAt(2, -2, 6)], [0, 1, 6]);
});

test("a gradient runs between the limits", () => {
  assert.equal(gradient(["#000000", "#ffffff"], 0.25, 0.5), "linear-gradient(to right, #000000 25%, #ffffff 50%)");
  assert.match(gradient(undefined), /^linear-gradient/);
});

test("an arrow moves a limit by a hundredth of the bar, with Shift by a tenth as a page, and no key past the other limit", () => {
  const after = (
    /** @type {string} */ key,
    shift = false,
    value = 5,
    reach = /** @type {[number, number]} */ ([0, 10]),
  ) => valueAfterKey(key, shift, value, [0, 10], reach);
  assert.equal(after("ArrowRight"), 5.1);
  assert.equal(after("ArrowLeft", true), 4);
  assert.deepEqual([after("PageUp"), after("PageDown"), after("PageUp", true)], [6, 4, 6]);
  assert.deepEqual([after("Home"), after("End"), after("ArrowDown", false, 0)], [0, 10, 0]);
  assert.deepEqual(
    [after("Home", false, 5, [3, 10]), after("End", false, 5, [0, 5.5]), after("PageUp", false, 5, [0, 5.5])],
    [3, 5.5, 5.5],
  );
  assert.equal(after("a"), null);
  let value = 10;
  for (let i = 0; i < 10; i++) value = /** @type {number} */ (after("ArrowLeft", false, value));
  assert.ok(Math.abs(value - 9) < 1e-9);
});

test("bars of a part are as high as the same count is among all", () => {
  assert.deepEqual(barHeights([32, 16, 0], 64), [0.5, 0.25, 0]);
});

test("a key moves a limit of the widest range, and stops at its ends", () => {
  const end = 1.7e308;
  assert.ok(
    Math.abs(/** @type {number} */ (valueAfterKey("ArrowRight", true, 0, [-end, end], [-end, end])) / (end / 5) - 1) <
      1e-12,
  );
  assert.equal(valueAfterKey("ArrowRight", true, 0.9 * end, [-end, end], [-end, end]), end);
  assert.equal(placeOf(0, -end, end), 0.5);
});

test("a limit is a number, a percentile or empty", () => {
  const read = {
    "": null,
    " 1.5 ": 1.5,
    "-2e3": -2000,
    "12,346": 12_346,
    p99: "p99",
    "P 99.5": "p99.5",
    "95%": "p95",
    "\u22121": -1,
  };
  for (const [text, limit] of Object.entries(read)) assert.equal(readLimit(text), limit, text);
  for (const text of ["p101", "high", "1.2.3", "NaN", "Infinity", "p"]) assert.equal(readLimit(text), undefined, text);
});

test("bars are linear unless the cube root is chosen, and contain the numbers of the tooltip", () => {
  const counts = Uint32Array.of(1000, 58, 0, 1, 4000);
  assert.deepEqual(barHeights(counts, 1000), [1, 0.058, 0, 0.02, 1]);
  assert.deepEqual(
    barHeights(counts, 1000, true).map((height) => height.toFixed(3)),
    ["1.000", "0.387", "0.000", "0.100", "1.000"],
  );
  const arrays = { all: [5, 120], filtered: [5, 80], selected: [0, 12] };
  const about = /** @type {any} */ ({ edges: [0, 1.5, 3], arrays });
  assert.equal(
    describeBin(about, 1, false, { one: "cell", many: "cells" }),
    "1.5 to 3: 120 cells, 80 pass, 12 selected",
  );
  assert.equal(describeBin(about, 0, true, { one: "cell", many: "cells" }), "0 to 1: 5 cells, 5 pass, 0 selected");
});
