import assert from "node:assert/strict";
import { test } from "node:test";
import { describeLost } from "../src/panels/study/lost.js";
import { itemAfterKey, LANE_PX, nearestSample, placesOf, quantile } from "../src/panels/study/strip_places.js";
import { cardsOf, covariateCards, describeTest } from "../src/panels/study/study_cards.js";
import { createStudying } from "../src/panels/study/study_requests.js";

/** @param {number} value */
const same = (value) => value;

test("points are at their value in the lane of their condition, and samples without a value are not drawn", () => {
  const { x, y, lanes } = placesOf([30, NaN, 10, 20], [0, 0, 1, 0], 2, same);
  assert.deepEqual([...x], [30, NaN, 10, 20]);
  assert.deepEqual(lanes, [[3, 0], [2]]);
  assert.deepEqual(
    [...y].map((one) => Math.floor(one / LANE_PX)),
    [0, NaN, 1, 0],
  );
});

test("two points of equal value do not hide each other, and stay in their lane", () => {
  const { y } = placesOf([5, 5, 5], [1, 1, 1], 2, same);
  assert.equal(new Set(y).size, 3);
  for (const one of y) assert.ok(one > LANE_PX && one < 2 * LANE_PX);
});

test("quartiles are numpy's, without excluded samples", () => {
  // numpy.percentile([1, 2, 4, 8, 16], [25, 50, 75])
  assert.deepEqual(
    [0.25, 0.5, 0.75].map((share) => quantile([1, 2, 4, 8, 16], share)),
    [2, 4, 8],
  );
  // numpy.percentile([1, 3], 25)
  assert.equal(quantile([1, 3], 0.25), 1.5);
  const { quarters } = placesOf([1, 3, 900], [0, 0, 0], 2, same, (i) => i !== 2);
  assert.deepEqual(quarters, [[1.5, 2, 2.5], []]);
});

test("the nearest point within reach is pointed at", () => {
  const places = placesOf([10, 40], [0, 0], 1, same);
  assert.equal(nearestSample(places, 12, LANE_PX / 2), 0);
  assert.equal(nearestSample(places, 25, LANE_PX / 2), -1);
});

test("arrow keys reach each heading, lane and point of all cards, and stop at the ends", () => {
  const places = placesOf([10, 20, 100], [0, 0, 1], 2, same);
  const at = () => places;
  const go = (/** @type {string[]} */ ...keys) => {
    let item = { card: 0, lane: -1, place: -1 };
    for (const key of keys) item = itemAfterKey(key, item, 2, at) ?? item;
    return Object.values(item);
  };
  assert.deepEqual(go("ArrowDown", "ArrowRight", "ArrowRight"), [0, 0, 1]);
  assert.deepEqual(go("ArrowDown", "ArrowRight", "ArrowDown"), [0, 1, 0]);
  assert.deepEqual(go("ArrowDown", "ArrowDown", "ArrowDown"), [1, -1, -1]);
  assert.deepEqual(go("ArrowUp", "ArrowLeft"), [0, -1, -1]);
  assert.deepEqual(go("End", "ArrowDown", "ArrowDown", "ArrowDown"), [1, 1, -1]);
  assert.equal(itemAfterKey("x", { card: 0, lane: 0, place: 0 }, 2, at), null);
});

/** A part of two rows, three samples and two pairs of conditions. @param {Record<string, unknown>} [more] @returns {any} */
const part = (more = {}) => ({
  part: "composition",
  conditions: ["a", "b"],
  colors: ["#0072b2", "#d98900"],
  is_log2: true,
  samples: [0, 0, 1].map((condition, i) => ({ name: `D${i}`, condition, covariates: [["x", "y", null][i], i] })),
  columns: [
    { name: "sex", kind: "category", categories: ["x", "y"] },
    { name: "age", kind: "number", categories: [] },
  ],
  rows: [
    { gene: "", category: "T" },
    { gene: "", category: "B" },
  ],
  pairs: [
    [0, 1],
    [1, 0],
  ],
  arrays: {
    values: Float32Array.of(0.25, 0.5, NaN, 0.75, 0.5, 1),
    counts: Uint32Array.of(1, 2, 0, 3, 2, 4),
    // effect, statistic, p, p_adj, n_a, n_b of two rows and two pairs
    tests: Float32Array.of(
      2,
      NaN,
      -1,
      3,
      ...[5, NaN, -4, 6],
      ...[0.01, NaN, 0.02, 0.001],
      ...[0.02, NaN, 0.02, 0.002],
      ...new Array(8).fill(3),
    ),
  },
  ...more,
});

test("cards are sorted by the effect of the chosen pair, with shares in percent; what was not tested comes last", () => {
  assert.deepEqual(
    cardsOf(part(), 0, "").map(({ name }) => name),
    ["T", "B"],
  );
  const [first, last] = cardsOf(part(), 1, "");
  assert.deepEqual([first.name, last.name], ["B", "T"]);
  assert.deepEqual([...first.values], [75, 50, 100]);
  assert.deepEqual(
    first.test.map((one) => Number(one.toPrecision(3))),
    [3, 6, 0.001, 0.002, 3, 3],
  );
  assert.match(describeTest(last, "b", "a"), /^b against a: not tested/);
  assert.match(
    describeTest(first, "b", "a"),
    /log2 difference \+3\.00, higher in b; .*p 0\.001, p_adj 0\.002; 3 and 3 samples$/,
  );
  const [ofMeans] = cardsOf(part({ is_log2: false }), 1, "");
  assert.match(describeTest(ofMeans, "b", "a"), /^b against a: difference \+3\.00, higher in b/);
});

test("a covariate of categories has a step for each, a number its scale, and missing values are counted", () => {
  const [sex, age] = covariateCards(part());
  assert.deepEqual([[...sex.values], sex.steps, sex.detail], [[0, 1, NaN], ["x", "y"], "missing in 1"]);
  assert.deepEqual([[...age.values], age.steps, age.detail], [[0, 1, 2], [], ""]);
});

test("lost cells and samples are counted", () => {
  const samples = /** @type {any} */ ([
    { n_cells: 5, n_all: 10 },
    { n_cells: 0, n_all: 10 },
  ]);
  const sentence = describeLost(samples, { one: "cell", many: "cells" });
  assert.equal(
    sentence,
    "5 of 20 cells of 2 samples are left: 15 are lost (75 %); 1 sample has none.".replace("75 %", "75\u00a0%"),
  );
});

const DATASET = {
  columns: [
    { name: "donor", kind: "categorical" },
    { name: "type", kind: "categorical" },
    { name: "age", kind: "float" },
  ],
};

/** The state of a widget with a study. @param {Record<string, unknown>} [traits] @returns {any} */
const state = (traits = {}, seq = 1, selection = 1) => ({
  link: "live",
  dataset: DATASET,
  color: { spec: "obs:type" },
  filter: { seq },
  selection: { seq: selection, n: 3 },
  traits: {
    study_design: { sample: "donor", condition: "d", covariates: [], pair: null, excluded: [] },
    pinned_genes: [],
    layer: null,
    ...traits,
  },
});

test("a part is requested again after a filter, a selection it depends on or an exclusion, and the newest answer wins", async () => {
  /** @type {{request: any, settle: (answer: any) => void}[]} */
  const open = [];
  const client = /** @type {any} */ ({
    ask: (/** @type {any} */ request) => new Promise((settle) => open.push({ request, settle })),
    tell() {},
  });
  const rest = () => new Promise((resolve) => setTimeout(resolve, 0));
  const studying = createStudying(client, () => {});
  const follow = async (/** @type {any} */ now) => {
    studying.follow(now);
    await rest();
    return open.length;
  };
  assert.equal(await follow(state({ study_design: null })), 0);
  assert.equal(await follow(state()), 1);
  assert.deepEqual(open[0].request, { kind: "study", part: "composition", by: "type", within: "filter" });
  assert.equal(await follow(state({}, 1, 2)), 1, "cells that pass do not depend on the selection");
  assert.equal(await follow(state({}, 2)), 2);
  open[1].settle([part({ title: "new" })]);
  open[0].settle([part({ title: "old" })]);
  await rest();
  assert.deepEqual([studying.part()?.title, studying.isBusy()], ["new", false]);
  studying.put({ within: "selection" });
  assert.equal(await follow(state({}, 2)), 3);
  assert.equal(await follow(state({}, 2, 2)), 4);
  const { study_design: design } = state().traits;
  assert.equal(await follow(state({ study_design: { ...design, excluded: ["D1"] } }, 2, 2)), 5);
  studying.put({ section: "expression" });
  assert.equal(await follow(state({}, 2, 2)), 5, "no gene is pinned");
  assert.equal(await follow(state({ pinned_genes: ["G"] }, 2, 2)), 6);
  studying.put({ section: "lost" });
  await follow(state({}, 2, 2));
  assert.deepEqual([open[6].request.part, open[6].request.by], ["samples", ""]);
  assert.equal(await follow({ ...state({}, 2, 2), dataset: { ...DATASET } }), 8, "labels of an annotation change");
});

test("the error of a part is shown in its section alone, that of a point or field in each", async () => {
  const answers = [null, [part()]];
  const client = /** @type {any} */ ({ ask: () => Promise.resolve(answers.shift()), tell() {} });
  const studying = createStudying(client, () => {});
  const rest = () => new Promise((resolve) => setTimeout(resolve, 0));
  const now = state({}, 1, 1);
  const fault = (/** @type {string} */ of) => studying.fault({ ...now, error: { of, message: "no" } });
  studying.put({ section: "differences" });
  studying.follow(now);
  await rest();
  assert.deepEqual([fault("study differences"), fault("study_pick"), fault("compare")], ["no", "no", ""]);
  studying.put({ section: "covariates" });
  studying.follow(now);
  await rest();
  assert.deepEqual([fault("study differences"), fault("study_open"), fault("")], ["", "no", ""]);
});
