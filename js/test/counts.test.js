import assert from "node:assert/strict";
import { test } from "node:test";
import { countsOf, createCounter, legendCounts, nSelectedPassing } from "../src/state/counts.js";
import { createStore } from "../src/state/state.js";

const COLOR = { seq: 4, counts: [3, 2], histogram: new Uint32Array() };
const start = (/** @type {any} */ change = {}) =>
  /** @type {any} */ ({
    link: "live",
    selection: { seq: 7, n: 3 },
    filter: { seq: 2, n: null, nShown: null },
    traits: { filters: [] },
    color: COLOR,
    nextColor: null,
    counted: null,
    ...change,
  });

/** A store with a counter, and what it asks. @param {any} [first] */
function begin(first = {}) {
  const store = createStore(start(first));
  /** @type {((found: any) => void)[]} */
  const asked = [];
  const check = createCounter(store, () => new Promise((answer) => asked.push(answer)));
  store.subscribe(check);
  check();
  return { store, asked };
}
const found = (seq = 4, selection_seq = 7) => ({
  seq,
  selection_seq,
  filter_seq: 2,
  n_missing: 1,
  n_selected: 3,
  arrays: { counts: Uint32Array.of(2, 0), passing: new Uint32Array() },
});

test("a selection is counted once for each coloring, and again when either changes", async () => {
  const { store, asked } = begin();
  store.set(/** @type {any} */ ({ cell: null }));
  assert.equal(asked.length, 1);
  asked[0](found());
  await Promise.resolve();
  assert.deepEqual(countsOf(store.get(), /** @type {any} */ (COLOR)), {
    seq: 4,
    selection: 7,
    filter: 2,
    nMissing: 1,
    nPassing: 3,
    counts: Uint32Array.of(2, 0),
    passing: null,
  });
  store.set({ selection: { seq: 8, n: 5 } });
  store.set(/** @type {any} */ ({ color: { ...COLOR, seq: 5 } }));
  assert.equal(asked.length, 3);
  assert.equal(countsOf(store.get(), /** @type {any} */ ({ ...COLOR, seq: 5 })), null);
});

test("nothing is counted without a selection, a coloring, its values or a kernel", () => {
  const changes = [
    { selection: { seq: 7, n: 0 } },
    { color: null },
    { color: { ...COLOR, counts: [] } },
    { nextColor: COLOR },
    { link: "offline" },
  ];
  for (const change of changes) assert.equal(begin(change).asked.length, 0, JSON.stringify(change));
  assert.equal(begin({ color: { ...COLOR, counts: [], histogram: Uint32Array.of(5) } }).asked.length, 1);
});

test("no counts outlive the selection", () => {
  const counted = { seq: 4, selection: 7, nMissing: 0, counts: Uint32Array.of(1, 1) };
  assert.equal(countsOf(start({ counted }), /** @type {any} */ (COLOR)), counted);
  assert.equal(countsOf(start({ counted, selection: { seq: 8, n: 0 } }), /** @type {any} */ (COLOR)), null);
});

test("while a filter is on, both numbers of a legend are of cells that pass, and the footer has how many", () => {
  const color = /** @type {any} */ ({ ...COLOR, nMissing: 1 });
  const counts = Uint32Array.of(1, 0);
  const counted = {
    seq: 4,
    selection: 7,
    filter: 2,
    nMissing: 0,
    nPassing: 1,
    counts,
    passing: Uint32Array.of(2, 1, 0),
  };
  const filtered = { counted, filter: { seq: 2, n: 3, nShown: 3 }, traits: { filters: [{}] } };
  const both = legendCounts(start(filtered), color);
  assert.equal(both.key, "selected / passing");
  assert.deepEqual(
    [Array.from(both.first ?? []), Array.from(both.second)],
    [
      [1, 0, 0],
      [2, 1, 0],
    ],
  );
  assert.equal(nSelectedPassing(start(filtered)), 1);
  const alone = legendCounts(start({ ...filtered, selection: { seq: 7, n: 0 } }), color);
  assert.equal(alone.key, "passing / all");
  assert.deepEqual(
    [Array.from(alone.first ?? []), Array.from(alone.second)],
    [
      [2, 1, 0],
      [3, 2, 1],
    ],
  );
  assert.equal(nSelectedPassing(start({ ...filtered, filter: { seq: 3, n: 2, nShown: 2 } })), null); // of filters before
  assert.equal(legendCounts(start({ counted: { ...counted, passing: null } }), color).key, "selected / all");
});
