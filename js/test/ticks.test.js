import assert from "node:assert/strict";
import { test } from "node:test";
import { stepAbove, ticksBetween } from "../src/screen/ticks.js";

const room = (/** @type {string} */ text) => Math.max(60, 6 * text.length + 20);
const read = (/** @type {string} */ text) => Number(text.replaceAll(",", ""));
/** @type {[number, number][]} */
const RANGES = [
  [0, 60],
  [-2.4, 62.4],
  [200, 2000],
  [2000, 200],
  [445.1201, 445.1399],
  [-1e-5, 3e-5],
  [0, 1],
  [0.0031, 0.0097],
  [1e6, 1e6 + 1],
  [-4e9, 7e9],
  [12_345_678, 12_345_690],
  [0, 1e-12],
  [-180, 180],
  [44_000, 44_000.02],
  [3e-7, 3.0001e-7],
  [1e300, 2e300],
];

test("steps are 1, 2 or 5 times a power of ten, the next one up", () => {
  assert.deepEqual([0.7, 1, 1.01, 2, 3, 5, 5.1, 99, 1e-7, 0.3].map(stepAbove), [1, 1, 2, 2, 5, 5, 10, 100, 1e-7, 0.5]);
});

test("ticks are evenly spaced round numbers inside the ends, and as dense as there is room for", () => {
  for (const [from, to] of RANGES) {
    for (const length of [200, 450, 1400]) {
      const ticks = ticksBetween(from, to, length, room);
      const [lo, hi] = [Math.min(from, to), Math.max(from, to)];
      const name = `${from} to ${to} over ${length} px: ${ticks.map((one) => one.text)}`;
      assert.ok(ticks.length >= 1, name);
      assert.ok(
        ticks.every(({ value }) => value >= lo - 1e-9 * Math.abs(lo) && value <= hi + 1e-9 * Math.abs(hi)),
        name,
      );
      if (ticks.length < 2) continue;
      const step = (ticks[ticks.length - 1].value - ticks[0].value) / (ticks.length - 1);
      const mantissa = Number(step.toExponential(3).split("e")[0]);
      assert.ok(
        [1, 2, 5].some((one) => Math.abs(one - mantissa) < 0.02),
        name,
      );
      ticks.forEach(({ value }, i) =>
        assert.ok(Math.abs(value - ticks[0].value - i * step) < 1e-6 * step + 1e-15 * hi, name),
      );
      const apart = (step / (hi - lo)) * length;
      assert.ok(
        ticks.every(({ text }) => room(text) <= apart * (1 + 1e-9)),
        name,
      );
      assert.ok(apart < 2.5 * Math.max(...ticks.map(({ text }) => room(`${text}0`))) + 1, name);
    }
  }
});

test("a tick says its value, and no two say the same", () => {
  for (const [from, to] of RANGES) {
    const ticks = ticksBetween(from, to, 900, room);
    const step = ticks.length > 1 ? Math.abs(ticks[1].value - ticks[0].value) : Math.abs(to - from);
    for (const { value, text } of ticks)
      assert.ok(Math.abs(read(text) - value) < step / 100, `${value} is written ${text}`);
    assert.equal(new Set(ticks.map((one) => one.text)).size, ticks.length);
  }
});

test("numbers are written as people write them", () => {
  const texts = (/** @type {number} */ from, /** @type {number} */ to) =>
    ticksBetween(from, to, 300, room).map((one) => one.text);
  assert.deepEqual(texts(-2.4, 62.4), ["0", "20", "40", "60"]);
  assert.deepEqual(texts(200, 2000), ["500", "1,000", "1,500", "2,000"]);
  assert.deepEqual(texts(-0.1, 1), ["0.0", "0.5", "1.0"]);
  assert.deepEqual(texts(0, 4e9), ["0", "1e9", "2e9", "3e9", "4e9"]);
});

test("an axis without any extent has no ticks", () => {
  for (const [from, to] of [
    [3, 3],
    [0, 0],
    [NaN, 1],
    [0, Infinity],
  ])
    assert.deepEqual(ticksBetween(from, to, 300, room), []);
});
