import assert from "node:assert/strict";
import { test } from "node:test";
import { countsOf, createCounter } from "../src/state/counts.js";
import { createStore } from "../src/state/state.js";

const COLOR = { seq: 4, counts: [3, 2], histogram: new Uint32Array() };
const start = (/** @type {any} */ change = {}) =>
  /** @type {any} */ ({
    link: "live",
    selection: { seq: 7, n: 3 },
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
  n_missing: 1,
  arrays: { counts: Uint32Array.of(2, 0) },
});

test("a selection is counted once for each colouring, and again when either changes", async () => {
  const { store, asked } = begin();
  store.set(/** @type {any} */ ({ cell: null }));
  assert.equal(asked.length, 1);
  asked[0](found());
  await Promise.resolve();
  assert.deepEqual(countsOf(store.get(), /** @type {any} */ (COLOR)), {
    seq: 4,
    selection: 7,
    nMissing: 1,
    counts: Uint32Array.of(2, 0),
  });
  store.set({ selection: { seq: 8, n: 5 } });
  store.set(/** @type {any} */ ({ color: { ...COLOR, seq: 5 } }));
  assert.equal(asked.length, 3);
  assert.equal(countsOf(store.get(), /** @type {any} */ ({ ...COLOR, seq: 5 })), null);
});

test("nothing is counted without a selection, a colouring, its values or a kernel", () => {
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
