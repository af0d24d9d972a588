import assert from "node:assert/strict";
import { test } from "node:test";
import { describeList } from "../src/panels/compare/quick_list.js";
import { createQuick } from "../src/panels/compare/quick_requests.js";
import { MOST_CORNERS, thinned } from "../src/panels/compare/quick_shape.js";

const CELL = { one: "cell", many: "cells" };

/** An answer. @param {Record<string, unknown>} [more] */
const answer = (more = {}) => ({
  has_sketch: true,
  is_remote: false,
  n_cells: 9,
  n_read: 5,
  names: ["CD3E"],
  symbols: [],
  ...more,
});

/** A shape with some corners. @param {number} n @returns {any} */
const shape = (n) => ({ corners: () => Array.from({ length: 2 * n }, (_, i) => i / 3) });

/** A panel whose requests are answered by hand. @param {Record<string, unknown>} [more] fields of all answers */
function panel(more = {}) {
  /** @type {{request: any, settle: (answer: any) => void}[]} */
  const open = [];
  /** @type {any[]} */
  const asked = [];
  /** @type {string[]} */
  const log = [];
  let isBusy = false;
  let found = {};
  /** @type {any} */
  const client = {
    ask(/** @type {any} */ request) {
      asked.push(request);
      return new Promise((settle) => open.push({ request, settle }));
    },
    tell: (/** @type {any} */ request) => void log.push(`${request.kind} ${request.of}`),
  };
  /** @type {any} */
  const comparing = {
    found: () => found,
    isBusy: () => isBusy,
    compare: (/** @type {any} */ question) => void (log.push(`compare ${question.a}`), (isBusy = true)),
    cancel: () => void (log.push("cancel"), (isBusy = false)),
  };
  const quick = createQuick(client, () => {}, comparing);
  const rest = () => new Promise((resolve) => setTimeout(resolve, 0));
  return {
    quick,
    client,
    asked,
    log,
    rest,
    /** Answers all open requests. @param {Record<string, unknown>} [of] */
    async reply(of = {}) {
      for (const { settle } of open.splice(0)) settle([answer({ ...more, ...of })]);
      await rest();
    },
    /** Lets all open requests fail. */
    async fail() {
      for (const { settle } of open.splice(0)) settle(/** @type {any} */ (null));
      await rest();
    },
    finish: () => void ((isBusy = false), (found = {})),
    /** @param {number} seq */
    async select(seq) {
      quick.follow(/** @type {any} */ ({ link: "live", selection: { seq } }));
      await rest();
    },
  };
}

test("a shape of many corners is requested with few of them, from its first on, one of few as it is", () => {
  assert.deepEqual(thinned([0, 1, 2, 3, 4.00000001, 5]), [0, 1, 2, 3, 4, 5]);
  const many = thinned(shape(5_000).corners());
  assert.equal(many.length, 2 * MOST_CORNERS);
  assert.deepEqual(many.slice(0, 2), [0, 0.333333]);
});

test("an estimate says of how many cells it is, exact sums do not say that they are an estimate", () => {
  const estimate = describeList(/** @type {any} */ (answer({ n_cells: 12_300, n_read: 11_200 })), CELL);
  assert.match(estimate, /^≈ estimate against all other cells: 11,200 of 12,300 cells counted exactly/);
  assert.doesNotMatch(describeList(/** @type {any} */ (answer({ n_read: 9 })), CELL), /≈|estimate/);
});

test("no request is sent and no drag is followed unless the switch is on and the panel open", async () => {
  const { quick, client, asked, select } = panel();
  await select(1);
  assert.equal(client.onShape, undefined);
  quick.put(true);
  assert.equal(typeof client.onShape, "function");
  quick.follow(null);
  assert.equal(client.onShape, undefined);
  await select(2);
  assert.deepEqual(asked, []);
});

test("one shape is requested at a time, then the newest, and answers after the release are dropped", async () => {
  const { quick, client, asked, reply } = panel();
  quick.put(true);
  client.onShape(shape(2), 0); // no area yet
  assert.equal(asked.length, 0);
  for (const n of [3, 4, 5]) client.onShape(shape(n), 2);
  assert.deepEqual([asked.length, asked[0].panel, asked[0].polygon.length], [1, 2, 6]);
  await reply({ n_read: 9 });
  assert.equal(quick.list()?.n_cells, 9);
  await new Promise((resolve) => setTimeout(resolve, 150));
  assert.deepEqual([asked.length, asked[1].polygon.length], [2, 10]);
  client.onShape(null, 2);
  await reply({ n_cells: 1 });
  assert.equal(quick.list()?.n_cells, 9);
});

test("the cells of a shape that is held still are read once, and a move does not wait for them", async () => {
  const { quick, client, asked, reply } = panel();
  quick.put(true);
  client.onShape(shape(3), 2);
  await reply();
  await new Promise((resolve) => setTimeout(resolve, 200));
  assert.deepEqual([asked.length, asked[1].is_released, asked[1].polygon.length], [2, true, 6]);
  client.onShape(shape(4), 2); // before the answer
  assert.deepEqual([asked.length, asked[2].is_released, asked[2].polygon.length], [3, undefined, 8]);
  await reply({ n_read: 9 });
  await new Promise((resolve) => setTimeout(resolve, 200));
  assert.equal(asked.length, 3); // all of it is exact
  client.onShape(null, 2);
});

test("a selection is listed by exact sums, then tested, and the result takes the place of the list", async () => {
  const { quick, log, asked, select, reply, finish } = panel();
  quick.put(true);
  await select(4);
  assert.deepEqual(asked, [{ kind: "quick", polygon: [], panel: 0 }]);
  await reply({ n_read: 9 });
  assert.deepEqual(log, ["compare selection"]);
  await select(4);
  assert.equal(quick.list()?.n_read, 9);
  finish();
  await select(4);
  assert.equal(quick.list(), null);
  assert.equal(asked.length, 1);
});

test("a request that fails turns the switch off, so that drags do not fail too", async () => {
  const { quick, client, select, fail } = panel();
  quick.put(true);
  await select(4);
  await fail();
  assert.equal(quick.isOn(), false);
  assert.equal(client.onShape, undefined);
});

test("a brush is requested by its filter, its sums are made once, and on release its cells are listed and tested", async () => {
  const { quick, client, log, asked, select, reply } = panel();
  const rule = { obs: "n_counts", range: [2, null] };
  quick.put(true);
  await select(4);
  await reply({ names: [] });
  client.onShape({ corners: () => [], rule }, 0);
  assert.deepEqual(asked.at(-1), { kind: "quick", polygon: [], rule, panel: 0 });
  await reply({ has_sketch: false });
  assert.deepEqual(asked.at(-1), { kind: "sketch", panel: 0, rule });
  client.onShape(null, 0); // released meanwhile
  await reply();
  assert.deepEqual(asked.at(-1), { kind: "quick", polygon: [], panel: 0, rule, is_released: true });
  await reply({ n_read: 9 });
  assert.equal(quick.list()?.n_read, 9);
  assert.deepEqual(log, ["compare filter"]);
  const follow = (/** @type {any[]} */ filters) =>
    quick.follow(/** @type {any} */ ({ link: "live", selection: { seq: 4 }, traits: { filters } }));
  follow([rule]);
  assert.equal(quick.list()?.n_read, 9);
  follow([]);
  assert.equal(quick.list(), null);
  // Dragged over the whole axis, it keeps all cells, and has no list.
  client.onShape({ corners: () => [], rule: null }, 0);
  assert.equal(quick.list(), null);
  const n = asked.length;
  client.onShape(null, 0);
  assert.equal(asked.length, n);
});

test("a new shape ends the test of the last selection", async () => {
  const { quick, client, log, select, reply } = panel();
  quick.put(true);
  await select(4);
  await reply();
  client.onShape(shape(3), 0);
  assert.deepEqual(log, ["compare selection", "cancel"]);
});

test("a sketch of local data is made at once, one in remote storage only when the user asks; both can be cancelled", async () => {
  const here = panel({ has_sketch: false });
  here.quick.put(true);
  await here.select(1);
  await here.reply();
  assert.deepEqual(here.asked.at(-1), { kind: "sketch", panel: 0 });
  assert.equal(here.quick.isMaking(), true);
  here.quick.put(false);
  assert.deepEqual(here.log, ["cancel sketch"]);

  const away = panel({ is_remote: true });
  away.quick.put(true);
  await away.select(1);
  await away.reply({ has_sketch: false });
  assert.equal(away.asked.length, 1);
  assert.equal(away.quick.missing()?.is_remote, true);
  away.quick.make();
  await away.rest();
  assert.deepEqual(away.asked.at(-1), { kind: "sketch", panel: 0 });
  await away.reply();
  await away.select(1);
  await away.reply();
  assert.deepEqual(away.log, []); // the whole matrix is not read unasked
});
