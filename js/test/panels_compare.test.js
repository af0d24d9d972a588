import assert from "node:assert/strict";
import { test } from "node:test";
import { chance, columnsOf, describeGene } from "../src/panels/compare/gene_columns.js";
import { kept, ranksOf, sides, sorted } from "../src/panels/compare/gene_order.js";
import { taken } from "../src/panels/compare/result.js";
import { boxOf, boxPx, nearest, placed } from "../src/panels/compare/volcano_scale.js";

const KEYS = ["mean_a", "mean_b", "share_a", "share_b", "log2fc", "statistic", "log10_p", "log10_p_adj", "auc"];

/** A part of an answer. @param {number} start @param {string[]} names @param {Record<string, number[]>} columns @param {Record<string, any>} [more] */
function part(start, names, columns, more = {}) {
  const n = Object.values(columns)[0].length;
  const values = Float32Array.from(KEYS.flatMap((key) => columns[key] ?? new Array(n).fill(0)));
  return /** @type {any} */ ({
    seq: 3,
    title: "",
    notes: [],
    sets: [],
    groups: [],
    group: 0,
    n_genes: n,
    start,
    parts: 1,
    names,
    symbols: [],
    arrays: { values, n: new Uint32Array(2 * n).fill(7) },
    ...more,
  });
}

/** @param {Record<string, number[]>} columns @param {string[]} [names] */
function found(columns, names) {
  const n = Object.values(columns)[0].length;
  return /** @type {NonNullable<ReturnType<typeof taken>>} */ (
    taken([part(0, names ?? Array.from({ length: n }, (_, i) => `g${i}`), columns)], null)
  );
}

/** A number generator that gives the same each time. @param {number} seed */
function random(seed) {
  return () => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;
}

test("sorting is that of a plain list, ties in the order of the store, with NaN last in both directions", () => {
  const next = random(4);
  const values = Float32Array.from({ length: 3_000 }, () => {
    const one = next();
    return one < 0.1 ? NaN : one < 0.12 ? Infinity : one < 0.14 ? -Infinity : Math.floor(100 * next()) - 50;
  });
  const places = [...values.keys()];
  const known = places.filter((i) => !Number.isNaN(values[i]));
  const none = places.filter((i) => Number.isNaN(values[i]));
  const compare = (/** @type {number} */ a, /** @type {number} */ b) => (a < b ? -1 : Number(a > b));
  const up = [...known].sort((i, j) => compare(values[i], values[j]) || i - j);
  const down = [...known].sort((i, j) => compare(values[j], values[i]) || i - j);
  assert.deepEqual([...sorted(values, false)], [...up, ...none]);
  assert.deepEqual([...sorted(values, true)], [...down, ...none]);
});

test("names are sorted by their ranks, equal ones as one", () => {
  const names = ["b", "a", "c", "a", "B"];
  assert.deepEqual(
    [...sorted(ranksOf(names), false)].map((i) => names[i]),
    [...names].sort(),
  );
  assert.equal(ranksOf(names)[1], ranksOf(names)[3]);
});

test("a gene is listed if it matches the search, passes all cut-offs and is in the brush; NaN never passes", () => {
  const of = found(
    {
      log2fc: [2, -2, 0.5, NaN, 3],
      statistic: [5, -5, 1, NaN, 9],
      log10_p_adj: [-10, -3, -1, NaN, -300],
      share_a: [0.5, 0.1, 0.5, 0, 0.2],
      share_b: [0, 0.3, 0.5, 0, 0],
    },
    ["CD3E", "CD79A", "MS4A1", "FLAT", "cd19"],
  );
  const none = { fold: null, p: null, share: null };
  const listed = (/** @type {string} */ text, /** @type {any} */ cuts, /** @type {any} */ box = null) =>
    of.names.filter((_, i) => kept(of, text, cuts, box)[i] === 1);
  assert.deepEqual(listed("", none), of.names);
  assert.deepEqual(listed(" Cd", none), ["CD3E", "CD79A", "cd19"]);
  assert.deepEqual(listed("", { ...none, fold: 2 }), ["CD3E", "CD79A", "cd19"]);
  assert.deepEqual(listed("", { ...none, p: 0.001 }), ["CD3E", "CD79A", "cd19"]);
  assert.deepEqual(listed("", { ...none, share: 0.3 }), ["CD3E", "CD79A", "MS4A1"]);
  assert.deepEqual(listed("", none, [-3, 1, 0, 5]), ["CD79A", "MS4A1"]);
  assert.deepEqual(listed("", none, [-Infinity, Infinity, 0, Infinity]), ["CD3E", "CD79A", "MS4A1", "cd19"]);
  assert.deepEqual(sides(of, kept(of, "", none, null)), { a: 3, b: 1 });
});

test("parts come in any order, and names that were sent stay with the groups after them", () => {
  const [late, early] = [part(2, ["c"], { log2fc: [3] }), part(0, ["a", "b"], { log2fc: [1, 2] })];
  for (const one of [late, early]) one.n_genes = 3;
  Object.assign(early, { symbols: ["A", "twice"], sets: ["x", "y"] });
  late.symbols = ["twice"];
  const first = /** @type {any} */ (taken([late, early], null));
  assert.deepEqual([...first.columns.log2fc], [1, 2, 3]);
  assert.deepEqual(
    [first.names, first.ids, first.sets],
    [
      ["A", "b", "c"],
      ["a", "b", "c"],
      ["x", "y"],
    ],
  );
  const second = /** @type {any} */ (taken([part(0, [], { log2fc: [4, 5, 6] }, { group: 1 })], first));
  assert.equal(second.names, first.names);
  assert.equal(taken([part(0, [], { log2fc: [] }, { seq: 0 })], first), null);
});

test("p below the range of floats is written from its logarithm, and a missing p as a dash", () => {
  assert.deepEqual([-400.5, -3.5, Math.log10(0.0512), 0, -Infinity, NaN].map(chance), [
    "3.2e-401",
    "3.2e-4",
    "0.0512",
    "1",
    "0",
    "–",
  ]);
  assert.equal(chance(Math.log10(9.97e-7)), "1.0e-6");
});

test("scaled values have no column of fold changes, and the statistic as the axis of the volcano", () => {
  const of = found({ log2fc: [NaN, NaN], statistic: [-4, 8], log10_p_adj: [-2, -6], auc: [NaN, NaN] });
  assert.deepEqual([of.hasFold, of.hasAuc], [false, false]);
  assert.ok(columnsOf(of).every(({ name }) => name !== "log2fc" && name !== "auc"));
  const { camera, x } = placed(of, 200, 100, { fold: 1, p: null });
  assert.ok(x[0] < camera.width / 2 && x[1] > camera.width / 2);
  assert.ok(describeGene(of, 0).some(([name]) => name === "statistic"));
});

test("points beyond the axes are at the edge and counted, points without p are not drawn; the pointer prefers listed genes", () => {
  const of = found({
    log2fc: [1, -30, 2, 1, 1.01],
    statistic: [1, -9, 2, NaN, 1],
    log10_p_adj: [-5, -9, -Infinity, NaN, -5],
  });
  const there = placed(of, 300, 200, { fold: 1, p: 0.05 });
  assert.equal(there.nBeyond, 2);
  assert.ok(Math.abs(there.x[1]) < 1e-3 && Math.abs(there.y[2]) < 1e-3);
  assert.ok(Number.isNaN(there.y[3]));
  assert.equal(nearest(there, Uint8Array.of(0, 1, 1, 1, 1), there.x[0], there.y[0]), 4);
  assert.equal(nearest(there, Uint8Array.of(1, 1, 1, 1, 0), there.x[0], there.y[0]), 0);
  assert.equal(nearest(there, new Uint8Array(5), 150, 20), -1);
  const box = boxOf(there, [-5, -5], [100, 100]);
  assert.deepEqual([box[0], box[3]], [-Infinity, Infinity]);
  assert.deepEqual([...kept(of, "", { fold: null, p: null, share: null }, box)], [0, 1, 0, 0, 0]);
  assert.deepEqual(boxPx(there.camera, box).map(Math.round), [0, 0, 100, 100]);
});
