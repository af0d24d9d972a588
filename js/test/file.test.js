import assert from "node:assert/strict";
import { test } from "node:test";
import { createNow } from "../src/file/now.js";
import { framed, namesShown, packedBits } from "../src/file/passing.js";
import { framesOf } from "../src/file/pieces.js";
import { placeOf, pointsIn } from "../src/file/pointed.js";
import { describeMany, valueText } from "../src/file/texts.js";

const CATEGORIES = { spec: "obs:kind", name: "kind", scale: "categorical", categories: ["a", "b c", ""], lo: 0, hi: 0 };
const NUMBERS = { spec: "var:G", name: "G", scale: "continuous", categories: [], lo: 0, hi: 65_534 };

test("frames come apart as the kernel has put them together: a length, JSON, buffers from multiples of four", () => {
  const told = JSON.stringify([
    { kind: "x", arrays: [{ name: "a", dtype: "uint8", shape: [3] }] },
    { kind: "y", arrays: [{ name: "b", dtype: "uint16", shape: [1, 2] }] },
  ]);
  const start = Math.ceil((4 + told.length) / 4) * 4;
  const bytes = new Uint8Array(start + 8);
  new DataView(bytes.buffer).setUint32(0, told.length, true);
  bytes.set(new TextEncoder().encode(told), 4);
  bytes.set([1, 2, 3, 0, 4, 0, 5, 0], start);
  const [x, y] = framesOf(bytes);
  assert.equal(x.content.kind, "x");
  assert.deepEqual([...new Uint8Array(x.buffers[0].buffer, x.buffers[0].byteOffset, 3)], [1, 2, 3]);
  assert.deepEqual([y.buffers[0].getUint16(0, true), y.buffers[0].getUint16(2, true)], [4, 5]);
});

test("a value is shown as its label, or with the precision of its code", () => {
  const text = (/** @type {number} */ code, /** @type {object} */ legend, isInt = false) =>
    valueText(code, /** @type {any} */ ({ ...NUMBERS, ...legend }), isInt);
  assert.equal(valueText(1, /** @type {any} */ (CATEGORIES), false), "b c");
  assert.equal(valueText(255, /** @type {any} */ (CATEGORIES), false), "(missing)");
  assert.equal(text(65_535, {}), "(missing)");
  assert.equal(text(0, {}), "0");
  assert.equal(text(12_345, { hi: 65_534 }, true), "12345");
  assert.equal(text(32_767, { hi: 5 }), "2.5");
  assert.equal(text(20_000, { hi: 5 }), "1.5259"); // 1.525925…, known to 0.000076
  assert.equal(text(65_534, { hi: 2_345_678 }), "2,345,700"); // known to 35.8
});

test("many cells are summarized by the largest categories, or by their mean and the number with a value", () => {
  const codes = [0, 0, 1, 1, 1, 2, 255, 1];
  assert.deepEqual(describeMany(codes, /** @type {any} */ (CATEGORIES)), [
    ["b c", "50\u00a0%"],
    ["a", "25\u00a0%"],
    ["(empty)", "13\u00a0%"],
    ["(missing)", "13\u00a0%"],
  ]);
  assert.deepEqual(describeMany([0, 0, 10, 20, 65_535], /** @type {any} */ (NUMBERS)), [
    ["mean of G", "7.5"],
    ["above 0", "50\u00a0%"],
    ["(missing)", "20\u00a0%"],
  ]);
});

test("the nearest point in an ellipse is the one that a look at all of them finds", () => {
  const n = 500;
  let seed = 1;
  const next = () => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) >> 15;
  const xy = Uint16Array.from({ length: 2 * n }, next);
  const extent = [-10, 10, 0, 5];
  for (const [x, y] of [
    [0, 2.5],
    [-7, 1],
    [9.5, 4.9],
  ]) {
    const at = { x, y, radius_x: 1.5, radius_y: 0.5 };
    const counts = (/** @type {number} */ i) => i % 3 > 0;
    const far = Array.from({ length: n }, (_, i) => {
      const place = placeOf(xy, extent, i);
      const distance = place === null ? Number.NaN : ((place[0] - x) / 1.5) ** 2 + ((place[1] - y) / 0.5) ** 2;
      return counts(i) && distance <= 1 ? distance : Number.POSITIVE_INFINITY;
    });
    const { nearest, all } = pointsIn(xy, extent, at, counts);
    assert.deepEqual(
      all,
      [...far.keys()].filter((i) => far[i] <= 1),
    );
    assert.ok(all.length > 0);
    assert.equal(nearest, far.indexOf(Math.min(...far)));
  }
});

/** @returns {any} */
function about() {
  const color = (/** @type {string} */ spec) => ({ spec, color: spec || null, layer: null, blend: "mean" });
  const traits = {
    ...{ color: "obs:a", hidden: [], filters: [], vmin: null, vmax: "p99", center: null, tissue: null, labels: "a" },
    panels: [{ id: 1 }, { id: 2, color: "x" }],
  };
  return { traits, colors: [color("obs:a"), color("var:G"), color("")] };
}

test("hidden categories stay hidden in another color, and can be shown again in their legend", () => {
  const now = createNow(about());
  const hiding = { not: { obs: "a", in: ["x", null] } };
  assert.deepEqual(now.hide(["x", "(missing)"]), { hidden: ["x", "(missing)"], filters: [hiding] });
  const gene = /** @type {any} */ (now.recolor("var:G"));
  assert.deepEqual([gene.hidden, gene.filters, gene.vmax], [[], [hiding], "p99"]);
  assert.ok(now.take("vmin", 2));
  assert.equal(/** @type {any} */ (now.recolor("obs:a")).vmin, null);
  assert.deepEqual(now.settings.hidden, ["x", "(missing)"]);
  assert.equal(/** @type {any} */ (now.recolor("var:G")).vmin, 2);
  assert.equal(/** @type {any} */ (now.recolor(null)).color, null);
  assert.equal(now.recolor("obs:b"), null);
});

test("a setting is accepted if it needs only the file", () => {
  const now = createNow(about());
  const taken = { opacity: 0.5, statistic: "max", labels: null, panels: [{ id: 1 }] };
  const refused = {
    tool: "lasso",
    statistic: "sum",
    contours: true,
    panels: [{ id: 3 }],
    open_panels: ["table"],
    filters: [],
  };
  for (const [name, value] of Object.entries(taken)) assert.ok(now.take(name, value), name);
  for (const [name, value] of Object.entries(refused)) assert.ok(!now.take(name, value), name);
  assert.ok(now.take("labels", "a"));
});

test("names of hidden categories are left out, and arrays are sent as declared", () => {
  const labels = {
    codes: [2, 0],
    labels: ["c", "a"],
    counts: [5, 3],
    n_present: 4,
    arrays: { xy: Uint16Array.of(1, 2, 3, 4) },
  };
  const shown = namesShown(labels, (code) => code !== 2);
  assert.deepEqual([shown.labels, shown.counts, shown.n_present, [...shown.arrays.xy]], [["a"], [3], 3, [3, 4]]);
  const { content, buffers } = framed(shown, { xy: [1, 2] });
  assert.deepEqual(content.arrays, [{ name: "xy", dtype: "uint16", shape: [1, 2] }]);
  assert.equal(buffers[0].byteLength, 4);
  assert.deepEqual([...packedBits(Uint8Array.of(1, 0, 0, 1, 0, 0, 0, 0, 1))], [9, 1]);
});
