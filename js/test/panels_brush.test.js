import assert from "node:assert/strict";
import { test } from "node:test";
import { createBrush } from "../src/panels/columns/brush.js";
import { binsOf, movedCounts, nPassing } from "../src/panels/columns/brush_counts.js";

const EDGES = [0, 10, 20, 30];

test("a range takes in the bins between the edges next to its ends, and without ends cells without a value too", () => {
  assert.deepEqual(binsOf([10, 20], EDGES, false), [1, 2]);
  assert.deepEqual(binsOf([14, 26], EDGES, false), [1, 3]);
  assert.deepEqual(binsOf([null, 4], EDGES, false), [0, 0]);
  assert.deepEqual(binsOf([20, null], EDGES, false), [2, 3]);
  assert.deepEqual(binsOf([null, null], EDGES, false), [0, 4]);
  assert.deepEqual(binsOf([10, 19], EDGES, true), [1, 2]); // all whole numbers of the bin
});

/** Cells with a bin of the brush, 3 = none, a category, 2 = none, and a group. */
const CELLS = Array.from({ length: 200 }, (_, i) => ({ bin: (i * 7) % 4, code: (i * 5) % 3, part: (i * 11) % 3 }));
const nOf = (/** @type {(cell: typeof CELLS[number]) => boolean} */ wanted) => CELLS.filter(wanted).length;

/** @param {number[]} ends first bins of each step @param {number[]} rows @returns {any} */
function sumsOf(ends, rows, width = 1) {
  const cell = (/** @type {number} */ end) =>
    rows.flatMap((code) =>
      [0, 1, 2].map((part) => nOf((one) => one.bin < end && one.code === code && one.part === part)),
    );
  return {
    kind: "sums",
    column: "c",
    rows,
    groups: [4],
    width,
    arrays: { sums: Uint32Array.from(ends.flatMap(cell)) },
  };
}
const counts = /** @type {any} */ ({
  groups: [4],
  arrays: { all: Uint32Array.of(70, 70, 60), filtered: Uint32Array.of(1, 2, 3), grouped: new Uint32Array(9).fill(9) },
});

test("counts between two bins are those of the cells that lie there, in the rows that have sums", () => {
  for (const [from, to] of [
    [0, 3],
    [1, 2],
    [0, 4],
    [2, 2],
  ]) {
    const { arrays, groups } = movedCounts(counts, sumsOf([0, 1, 2, 3, 4], [2, 0]), [from, to], 3);
    const inside = (/** @type {number} */ bin) => bin >= from && bin < to;
    const expected = [0, 2].map((code) => nOf((one) => inside(one.bin) && one.code === code));
    assert.deepEqual([arrays.filtered[0], arrays.filtered[2]], expected);
    assert.equal(arrays.filtered[1], 2); // as it was
    assert.deepEqual(groups, [4]);
    assert.equal(
      arrays.grouped[7],
      nOf((one) => inside(one.bin) && one.code === 2 && one.part === 1),
    );
  }
});

test("with coarser steps the ends go to the nearest, and the last bin is always one", () => {
  const sums = sumsOf([0, 2, 3, 4], [0, 1, 2], 2);
  const of = (/** @type {[number, number]} */ bins) => movedCounts(counts, sums, bins, 3).arrays.filtered[0];
  assert.equal(
    of([2, 3]),
    nOf((one) => one.bin === 2 && one.code === 0),
  );
  assert.equal(
    of([0, 4]),
    nOf((one) => one.code === 0),
  );
});

test("counts by other groups than the displayed ones are empty, and without sums nothing changes", () => {
  const other = { ...counts, groups: [5] };
  assert.deepEqual(movedCounts(other, sumsOf([0, 1, 2, 3, 4], [0]), [0, 3], 3).groups, []);
  const none = { ...sumsOf([0], []), arrays: { sums: new Uint32Array() } };
  assert.equal(movedCounts(counts, none, [0, 1], 3), counts);
  assert.equal(nPassing(counts, [1, 3]), 5);
});

/** A view with a brush over "obs:a", beside it "obs:c", and what was asked of the kernel. */
function view() {
  const columns = {
    "obs:a": { edges: EDGES, groups: [], arrays: { filtered: Uint32Array.of(5, 6, 7, 2) } },
    c: counts,
  };
  /** @type {any} */
  const state = { link: "live", traits: { filters: [] }, color: { seq: 1 }, filter: { seq: 1 }, brush: null, columns };
  /** @type {any[]} */
  const asked = [];
  /** @type {(parts: any[]) => void} */
  let settle = () => {};
  const client = /** @type {any} */ ({
    ask: (/** @type {any} */ request) => (asked.push(request), new Promise((done) => (settle = done))),
  });
  const brushed = (/** @type {any} */ brush) => Object.assign(state, { brush });
  const context = /** @type {any} */ ({ state, actions: { brush: brushed } });
  const brush = createBrush(client, () => {});
  const others = () => [
    { column: "c", rows: [2, 0] },
    { column: "obs:a", rows: [] },
  ];
  const bins = { kind: "bins", start: 0, n_points: 3, arrays: { bins: Uint8Array.of(0, 3, 255) } };
  const answer = async () => {
    settle([bins, sumsOf([0, 1, 2, 3, 4], [2, 0])]);
    await Promise.resolve();
    await Promise.resolve();
  };
  return { state, asked, context, brush, others, answer };
}

test("a brush sends one request; counts and points follow it, and stay on release until the kernel has answered", async () => {
  const { state, asked, context, brush, others, answer } = view();
  brush.take(context, "obs:a", false, [null, null]);
  for (let i = 0; i < 3; i++) brush.follow(others);
  assert.deepEqual(
    asked.map(({ column, columns, rows }) => [column, columns, rows]),
    [["obs:a", ["c"], [[2, 0]]]],
  );
  brush.move([9, 21]);
  assert.equal(brush.counted("c", counts), counts); // the answer is still to come
  await answer();
  assert.deepEqual([state.brush.ends, state.brush.n, brush.endsOf("obs:a")], [[1, 2], 6, [9, 21]]);
  brush.move([0, 21]);
  assert.deepEqual(state.brush.ends, [0, 2]);
  const moved = brush.counted("c", counts).arrays.filtered[0];
  assert.equal(
    moved,
    nOf((one) => one.bin < 2 && one.code === 0),
  );
  state.traits = { filters: [{ obs: "a", range: [0, 21] }] };
  brush.release();
  brush.follow(others);
  assert.equal(asked.length, 1);
  assert.equal(brush.endsOf("obs:a"), null);
  assert.equal(brush.counted("c", counts).arrays.filtered[0], moved);
  assert.deepEqual(state.brush.ends, [0, 2]);
  const exact = /** @type {any} */ ({ ...counts });
  assert.equal(brush.counted("c", exact), exact);
});

test("other filters during a drag discard the data of the brush, and it is requested again", async () => {
  const { state, asked, context, brush, others, answer } = view();
  brush.take(context, "obs:a", false, [null, null]);
  brush.follow(others);
  brush.move([0, 10]);
  await answer();
  state.traits = { filters: [{ obs: "b", range: [1, 2] }] };
  brush.follow(others);
  assert.equal(brush.counted("c", counts), counts);
  assert.deepEqual(
    asked.map(({ filters }) => filters.length),
    [0, 1],
  );
});

test("a brush that changed nothing, was refused or lost its kernel resets the points", async () => {
  for (const change of [
    () => ({}),
    () => ({ traits: { filters: [{ obs: "a", range: [0, 9] }] } }),
    () => ({ link: "offline" }),
  ]) {
    const { state, context, brush, others, answer } = view();
    brush.take(context, "obs:a", false, [null, null]);
    brush.follow(others);
    brush.move([0, 10]);
    await answer();
    assert.deepEqual(state.brush.ends, [0, 1]);
    Object.assign(state, change());
    brush.release();
    state.traits = { filters: [] };
    brush.follow(others);
    assert.equal(state.brush, null);
  }
});
