import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { zeroCode } from "../src/style/levels.js";
import { greyCodes, placesOf, scaleOf } from "../src/style/scale.js";

const CASES = JSON.parse(readFileSync(new URL("../../tests/scales.json", import.meta.url), "utf8"));
const LEVELS = 65_534;
const RULE = { vmin: null, vmax: null, center: null, scale: /** @type {const} */ ("linear") };
const near = (/** @type {number} */ a, /** @type {number} */ b, /** @type {string} */ what) =>
  assert.ok(Math.abs(a - b) <= 2e-4 * Math.max(1, Math.abs(b)), `${what}: ${a} is not ${b}`);

for (const { law, lo, hi, least, quantiles, automatic, rule, low, high, codes, places } of CASES.scales) {
  test(`as in the kernel: ${law}`, () => {
    const limits = automatic?.map((/** @type {number} */ end) => ((end - lo) / (hi - lo)) * LEVELS) ?? null;
    const shares = quantiles.map((/** @type {number} */ one) => (one - lo) / (hi - lo || 1));
    const coloring = /** @type {any} */ ({ lo, hi, least, limits, quantiles: Float32Array.from(shares) });
    const scale = scaleOf(coloring, { ...RULE, ...rule });
    near(scale.low, low, "low");
    near(scale.high, high, "high");
    const placeOf = placesOf(coloring, { ...RULE, ...rule });
    codes.forEach((/** @type {number} */ code, /** @type {number} */ i) =>
      near(placeOf(code), places[i], `code ${code}`),
    );
  });
}

test("0 has the code that it has in the kernel", () => {
  for (const [lo, hi, code] of CASES.zeros) assert.equal(zeroCode([lo, hi]), code, `${lo} to ${hi}`);
});

test("zeros are grey if requested, and on a log scale all numbers without a logarithm", () => {
  const grey = (/** @type {number} */ lo, /** @type {number} */ hi, /** @type {any} */ rule) =>
    greyCodes(/** @type {any} */ ({ lo, hi }), { scale: "linear", zero: "color", ...rule });
  const middle = zeroCode([-2, 2]);
  assert.deepEqual(grey(0, 4, { zero: "grey" }), [0, 0]);
  assert.deepEqual(grey(-2, 2, { zero: "grey" }), [middle, middle]);
  assert.deepEqual(grey(-2, 2, { scale: "log" }), [0, middle]);
  assert.deepEqual(grey(-2, -1, { scale: "log" }), [0, LEVELS]);
  for (const [lo, hi, rule] of /** @type {any[]} */ ([
    [1, 2, { zero: "grey", scale: "log" }],
    [0, 4, {}],
  ])) {
    const [first, last] = grey(lo, hi, rule);
    assert.ok(last < first);
  }
});
