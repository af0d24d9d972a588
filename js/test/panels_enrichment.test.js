// Laws of what is told of selected cells: which rows come first, how numbers are written, and where shares come from.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  byEnrichment,
  chanceText,
  describeEnriched,
  enrichmentTexts,
  hasChosen,
  oddsText,
} from "../src/panels/columns/enrichment.js";
import { takeColumn } from "../src/panels/columns/merge_counts.js";
import { sharesOf } from "../src/panels/columns/share_strip.js";
import { createStore } from "../src/state/state.js";

const counts = (/** @type {any} */ change = {}) =>
  /** @type {any} */ ({
    categories: ["a", "b", ""],
    rows: [],
    enriched: [],
    n_chosen: 10,
    n_held: 100,
    ...change,
    arrays: {
      all: Uint32Array.of(50, 30, 20, 0),
      chosen: Uint32Array.of(1, 3, 6, 0),
      held: Uint32Array.of(50, 30, 20, 0),
      odds: Float32Array.of(0.1, 1, Number.POSITIVE_INFINITY, 0),
      log10_p: Float32Array.of(0, 0, -2.5, 0),
      ...change.arrays,
    },
  });

test("the least likely come first, and of equally likely rows those of higher odds", () => {
  assert.deepEqual(byEnrichment(counts(), [0, 1, 2]), [2, 1, 0]);
  const odds = Float32Array.of(Number.NaN, 0, 2);
  assert.deepEqual(byEnrichment(counts({ arrays: { odds, log10_p: new Float32Array(3) } }), [0, 1, 2]), [2, 1, 0]);
});

test("of a long list those that the kernel names come before all others", () => {
  assert.deepEqual(byEnrichment(counts({ rows: [0, 1], enriched: [2, 0] }), [0, 1, 2, 3]), [2, 0, 1, 3]);
});

test("a row is described by its share, expected share, odds ratio and p", () => {
  assert.deepEqual(enrichmentTexts(counts(), 2), [
    ["Selected", "6, 60\u00a0%"],
    ["Expected", "2, 20\u00a0%"],
    ["Odds ratio", "∞"],
    ["p, adjusted", "0.0032"],
  ]);
  assert.equal(describeEnriched(counts(), [2, 1, 0]), "1 of 3 enriched; strongest: (empty)");
  assert.equal(describeEnriched(counts({ arrays: { log10_p: new Float32Array(4) } }), [1, 2, 0]), "None of 3 enriched");
});

test("there is no description if no selected cell passes", () => {
  assert.equal(hasChosen(counts({ n_chosen: 0 })), false);
  assert.equal(hasChosen(counts({ arrays: { chosen: new Uint32Array() } })), false);
});

test("chances are written down to any size, odds in few signs", () => {
  assert.deepEqual([0, -0.5, -2.999, -3.3, -40, -5.0001, -1689.4389].map(chanceText), [
    "1",
    "0.32",
    "0.001",
    "5e-4",
    "1e-40",
    "1e-5",
    "4e-1690",
  ]);
  assert.deepEqual([0, 0.001, 0.42, 0.996, 3.94, 9.96, 1451, 2e9, Number.NaN].map(oddsText), [
    "0",
    "< 0.01",
    "0.42",
    "1.0",
    "3.9",
    "10",
    "1,451",
    "> 9,999",
    "–",
  ]);
});

test("shares are of the selected cells and of the rest, and a truncated bar of zeros does not set the height", () => {
  const { chosen, rest, most } = sharesOf(counts(), 0);
  assert.deepEqual(chosen, [0.1, 0.3, 0.6]);
  assert.deepEqual(rest, [49 / 90, 27 / 90, 14 / 90]);
  assert.equal(most, 0.6);
  assert.equal(sharesOf(counts({ arrays: { chosen: Uint32Array.of(9, 1, 0, 0) } }), 0).most, 29 / 90);
  const all = sharesOf(counts({ n_chosen: 100, arrays: { chosen: Uint32Array.of(50, 30, 20, 0) } }), -1);
  assert.deepEqual(all.rest, [0, 0, 0]);
});

test("results of some rows of a long list are stored at their positions, and dropped with the selection", () => {
  const store = createStore(/** @type {any} */ ({ columns: {} }));
  const of = (/** @type {number[]} */ rows, /** @type {number[]} */ values, /** @type {number} */ nAll) => ({
    column: "obs:x",
    categories: rows.map((row) => `c${row}`),
    edges: [],
    rows,
    arrays: {
      all: new Uint32Array(nAll),
      filtered: new Uint32Array(rows.length),
      selected: new Uint32Array(rows.length),
      chosen: Uint32Array.from(values),
      held: Uint32Array.from(values),
      odds: Float32Array.from(values),
      log10_p: Float32Array.from(values),
    },
  });
  const take = (/** @type {any} */ reply) => takeColumn(store, reply);
  take(of([0, 1], [5, 6], 6));
  take(of([3, 1], [7, 8], 2));
  const { arrays } = store.get().columns["obs:x"];
  assert.deepEqual([...arrays.chosen], [5, 8, 0, 7, 0, 0]);
  assert.deepEqual([...arrays.odds], [5, 8, 0, 7, 0, 0]);
  take(of([3, 1], [], 2));
  assert.equal(store.get().columns["obs:x"].arrays.odds.length, 0);
});
