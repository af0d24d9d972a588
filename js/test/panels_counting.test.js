import assert from "node:assert/strict";
import { test } from "node:test";
import { createCounting } from "../src/panels/columns/count_requests.js";
import { MOST_COUNTED } from "../src/wire/constants.js";

const state = (/** @type {any} */ change = {}) =>
  /** @type {any} */ ({
    link: "live",
    filter: { seq: 1 },
    selection: { seq: 1 },
    color: { seq: 1 },
    columns: {},
    traits: { filters: [] },
    ...change,
  });

const open = (/** @type {string} */ column, /** @type {number[]} */ rows = []) => ({ column, rows });

/** A client whose answers come when they are let. */
function fake() {
  /** @type {any[]} */
  const sent = [];
  /** @type {(() => void)[]} */
  const waiting = [];
  const client = /** @type {any} */ ({
    tell: (/** @type {any} */ request) => void sent.push(request),
    ask: (/** @type {any} */ request) => (sent.push(request), new Promise((settle) => waiting.push(() => settle([])))),
  });
  const answer = async () => {
    for (const one of waiting.splice(0)) one();
    await Promise.resolve();
    await Promise.resolve();
  };
  return { sent, client, answer };
}

test("all views of a widget send one request, for the columns that any of them has open", async () => {
  const { sent, client, answer } = fake();
  const [one, other] = [createCounting(client), createCounting(client)];
  one(state(), [open("a")]);
  other(state(), [open("b"), open("a")]);
  await answer();
  assert.deepEqual(
    sent.map(({ columns }) => columns),
    [["a"], ["a", "b"]],
  );
  one(state(), [open("a")]);
  other(state(), [open("b"), open("a")]);
  assert.equal(sent.length, 2); // nothing has changed
  one(null, []);
  await answer();
  assert.deepEqual(sent.at(-1).columns, ["b", "a"]);
  other(null, []);
  assert.deepEqual(sent.at(-1).columns, []);
});

test("changes during a request are requested once it is answered", async () => {
  const { sent, client, answer } = fake();
  const count = createCounting(client);
  count(state(), [open("a")]);
  count(state({ filter: { seq: 2 } }), [open("a")]);
  count(state({ filter: { seq: 3 } }), [open("a")]);
  assert.equal(sent.length, 1);
  await answer();
  assert.equal(sent.length, 2);
});

test("columns of a new dataset message are requested with their labels", async () => {
  const { sent, client, answer } = fake();
  const count = createCounting(client);
  const [before, after] = [{}, {}];
  const columns = { a: { error: "" } };
  count(state({ dataset: before, columns }), [open("a")]);
  await answer();
  count(state({ dataset: before, columns, filter: { seq: 2 } }), [open("a")]);
  await answer();
  count(state({ dataset: after, columns, filter: { seq: 2 } }), [open("a")]);
  assert.deepEqual(
    sent.map(({ known }) => known),
    [[], ["a"], []],
  );
});

test("only the visible rows of a long list are requested, and again when others become visible", async () => {
  const { sent, client, answer } = fake();
  const count = createCounting(client);
  const columns = (/** @type {number[]} */ rows) => ({ columns: { a: { error: "", rows } } });
  count(state(), [open("a")]);
  await answer();
  count(state(columns([])), [open("a", [4, 5])]); // all have been counted
  assert.deepEqual(
    sent.map(({ rows }) => rows),
    [[[]]],
  );
  count(state({ ...columns([]), filter: { seq: 2 } }), [open("a", [4, 5])]);
  await answer();
  const now = { ...columns([4, 5]), filter: { seq: 2 } };
  count(state(now), [open("a", [5])]);
  assert.deepEqual(sent.at(-1).rows, [[4, 5]]);
  count(state(now), [open("a", [5, 6])]);
  await answer();
  assert.deepEqual(sent.at(-1).rows, [[5, 6]]);
  count(state(now), [open("a", [5, 6])]); // what could not be counted is not asked for without end
  assert.equal(sent.length, 3);
  const many = Array.from({ length: MOST_COUNTED + 1 }, (_, i) => i);
  count(state(now), [open("a", many)]);
  await answer();
  assert.deepEqual(sent.at(-1).rows, [many.slice(0, MOST_COUNTED)]);
  const n = sent.length;
  count(state(now), [open("a", many)]); // the rest waits
  assert.equal(sent.length, n);
});
