import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { limitsOf, tilesOf } from "../src/style/crowding.js";
import { codeOf, numberAt, tableOf, zeroCode } from "../src/style/levels.js";
import { ofPixels, resolveLimit } from "../src/style/limits.js";
import { placesOf } from "../src/style/scale.js";

const CASES = JSON.parse(readFileSync(new URL("../../tests/levels.json", import.meta.url), "utf8"));
const RULE = { vmin: null, vmax: null, center: null, scale: /** @type {const} */ ("linear") };
const BENT = [0, 1e6, 0, 2 ** -10];
const near = (/** @type {number} */ a, /** @type {number} */ b, tolerance = 1e-9) =>
  assert.ok(Math.abs(a - b) <= tolerance * Math.max(Math.abs(b), 1e-300), `${a} is not ${b}`);

for (const { law, levels, codes, numbers, zero } of CASES.levels) {
  test(`codes stand for the numbers that they have in the kernel: ${law}`, () => {
    codes.forEach((/** @type {number} */ code, /** @type {number} */ i) => {
      near(numberAt(code, levels), numbers[i]);
      assert.equal(Math.round(codeOf(numbers[i], levels)), code);
    });
    assert.equal(zeroCode(levels), zero);
    if (zero >= 0) assert.equal(tableOf(levels)[zero], 0);
  });
}

test("colors lie where the numbers lie, whatever the outlier", () => {
  const color = /** @type {any} */ ({ lo: 0, hi: 1e6, least: 1e-3, limits: null, quantiles: [], levels: BENT });
  const linear = placesOf(color, { ...RULE, vmax: 1 });
  const log = placesOf(color, { ...RULE, scale: "log" });
  for (const value of [0, 0.003, 0.1, 0.25, 0.5, 0.9, 1, 7]) {
    const code = Math.round(codeOf(value, BENT));
    assert.ok(Math.abs(linear(code) - Math.min(value, 1)) < 1 / 510, `${value}`);
    if (value > 0) assert.ok(Math.abs(log(code) - Math.log(value / 1e-3) / Math.log(1e9)) < 1 / 510, `${value}`);
  }
});

test("percentiles and the limits of pixels are numbers again", () => {
  const quantiles = Float32Array.from([0, 0.25, 0.5, 1e6].map((one) => codeOf(one, BENT) / 65_534));
  const color = /** @type {any} */ ({ lo: 0, hi: 1e6, levels: BENT, quantiles });
  near(resolveLimit("p50", color, 0), (0.25 + 0.5) / 2, 1e-4);
  const arrays = { histogram: [], quantiles: [], log_histogram: [] };
  const image = /** @type {any} */ ({ statistic: "sum", scale: [0, 1e6, 0.25, 0.5, 0], levels: BENT, arrays });
  const { low, high } = (({ limits }) => ({ low: limits?.[0], high: limits?.[1] }))(ofPixels(color, image));
  near(numberAt(/** @type {number} */ (low), BENT), 0.25);
  near(numberAt(/** @type {number} */ (high), BENT), 0.5);
});

test("points that share a pixel show the mean of their numbers and not of their codes", () => {
  const values = [0.001, 0.5, 1_000, 0, 0, 0];
  const codes = Uint16Array.from(values, (one) => (one === 0 ? 0 : Math.round(codeOf(one, BENT))));
  const xy = Uint16Array.of(0, 0, 1, 1, 2, 2, 900, 900, 901, 901, 902, 902);
  const all = { xy, codes, flags: null, n: 6 };
  const shown = new Uint16Array(6);
  tilesOf(all, [64, 64], true, 0, 1, BENT)(all, 0, shown, 0, 6);
  near(numberAt(shown[0], BENT), (0.001 + 0.5 + 1_000) / 3, 1e-3);
  assert.deepEqual([...shown.subarray(3)], [0, 0, 0]);
  tilesOf(all, [64, 64], true, 0, 1, BENT)(all, 0.5, shown, 0, 6);
  assert.equal(shown[0], Math.round((codeOf(1_000.501 / 3, BENT) + codes[2]) / 2));
  const ends = limitsOf(all, [64, 64], 0, 1, undefined, BENT);
  near(numberAt(/** @type {any} */ (ends)[1], BENT), 1_000.501 / 3, 1e-3);
});
