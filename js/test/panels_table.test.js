import assert from "node:assert/strict";
import { test } from "node:test";
import { ROW_PX } from "../src/page/parts/legend_rows.js";
import { around, createTableRows } from "../src/panels/table/row_requests.js";
import { HIGHEST_PX, isScaled, lowest, scrollOf, sheetPx, topOf } from "../src/panels/table/scrolling.js";
import { tableFile } from "../src/panels/table/table_text.js";

const VIEW_PX = 200;

test("a sheet is as high as its rows as long as browsers can show it, and then no higher", () => {
  assert.equal(sheetPx(100), 100 * ROW_PX);
  assert.equal(isScaled(300_000), false);
  assert.equal(sheetPx(100_000_000), HIGHEST_PX);
  assert.equal(isScaled(100_000_000), true);
});

test("the scrollbar spans the first to the last row, however many there are", () => {
  for (const n of [0, 1, 50, 300_000, 10_000_000, 100_000_000]) {
    const end = Math.max(0, sheetPx(n) - VIEW_PX);
    assert.equal(topOf(0, 0, n, VIEW_PX), 0);
    assert.equal(topOf(end, 0, n, VIEW_PX), lowest(n, VIEW_PX));
    assert.equal(scrollOf(lowest(n, VIEW_PX), n, VIEW_PX), end);
  }
});

test("one row more is one row more, though the scrollbar hardly moves", () => {
  const n = 50_000_000;
  let top = 1234 * ROW_PX;
  for (let i = 0; i < 100; i++) {
    top += ROW_PX;
    const rounded = Math.round(scrollOf(top, n, VIEW_PX)); // as browsers do
    assert.equal(topOf(rounded, top, n, VIEW_PX), top);
  }
  assert.equal(top, 1334 * ROW_PX);
});

test("rows are requested around the visible ones, from the first row on", () => {
  assert.deepEqual(around(0, 10), { start: 0, n: 60 });
  assert.deepEqual(around(1000, 40), { start: 960, n: 120 });
});

const DATASET = {};
const state = (/** @type {any} */ traits = {}, /** @type {any} */ change = {}) =>
  /** @type {any} */ ({
    traits: { table: null, filters: [], layer: null, hidden: [], ...traits },
    filter: { seq: 1 },
    selection: { seq: 1 },
    color: { spec: "obs:a" },
    points: { seq: 1 },
    dataset: DATASET,
    link: "live",
    ...change,
  });

/** A kernel of `total` rows that answers when it is let; null = it fails. @param {number} total */
function kernel(total) {
  /** @type {any[]} */
  const sent = [];
  /** @type {((answer: any) => void)[]} */
  const waiting = [];
  const client = /** @type {any} */ ({
    tell: (/** @type {any} */ request) => void sent.push(request),
    ask: (/** @type {any} */ request) => (sent.push(request), new Promise((settle) => waiting.push(settle))),
  });
  const settle = () => new Promise((done) => setTimeout(done, 0));
  return {
    sent,
    client,
    settle,
    async answer(isWell = true) {
      await settle();
      const { start, n, find } = sent.at(-1);
      const from = find >= 0 ? Math.max(0, find - Math.floor(n / 2)) : start;
      const rows = Array.from({ length: Math.max(0, Math.min(n, total - from)) }, (_, i) => from + i);
      waiting.shift()?.(isWell ? [{ start: from, total, rows, at: find }] : null);
      await settle();
    },
  };
}

test("rows are requested once, and again when others become visible or something has changed", async () => {
  const { sent, client, answer } = kernel(1000);
  const rows = createTableRows(
    client,
    () => {},
    () => {},
  );
  rows.want(state(), 0, 10);
  await answer();
  rows.want(state(), 0, 10);
  rows.want(state(), 45, 10); // those around were asked for too
  assert.equal(sent.length, 1);
  rows.want(state(), 500, 10);
  await answer();
  assert.deepEqual([sent.length, sent[1].start, rows.get()?.start], [2, 475, 475]);
  rows.want(state(), 995, 10); // there are no more
  await answer();
  assert.equal(rows.get()?.rows.at(-1), 999);
  rows.want(state(), 995, 10);
  assert.equal(sent.length, 3);
  const filters = [{ obs: "a", range: [1, null] }];
  assert.equal(rows.areOld(state({ filters })), true);
  rows.want(state({ filters }), 995, 10);
  await answer();
  assert.deepEqual(sent[3].filters, filters);
  rows.want(state({ filters }, { dataset: {} }), 995, 10); // it was told anew, perhaps for other labels
  await answer();
  assert.equal(sent.length, 5);
});

test("of many positions visible during a request only the last is requested", async () => {
  const { sent, client, answer } = kernel(1000);
  const rows = createTableRows(
    client,
    () => {},
    () => {},
  );
  for (const first of [0, 100, 200, 300, 400]) rows.want(state(), first, 10);
  await answer();
  rows.want(state(), 400, 10);
  await answer();
  assert.deepEqual(
    sent.map(({ start }) => start),
    [0, 375],
  );
});

test("a failed request is not repeated before something changes", async () => {
  const { sent, client, answer } = kernel(1000);
  const rows = createTableRows(
    client,
    () => {},
    () => {},
  );
  rows.want(state(), 0, 10);
  await answer(false);
  rows.want(state(), 0, 10);
  assert.equal(sent.length, 1);
  rows.want(state({ table: { sort: "index" } }), 0, 10);
  await answer();
  assert.equal(rows.get()?.total, 1000);
});

test("a cell is looked for once, and its page takes the place of the one in sight", async () => {
  const { sent, client, answer } = kernel(1000);
  /** @type {number[]} */
  const found = [];
  const rows = createTableRows(
    client,
    () => {},
    ({ at }) => void found.push(at),
  );
  rows.want(state(), 0, 10);
  await answer();
  rows.seek(700);
  await answer();
  rows.want(state(), 695, 10);
  assert.deepEqual([sent.length, sent[1].find, found], [2, 700, [-1, 700]]);
});

test("two views of a widget take turns, and a view that is closed lets the kernel know", async () => {
  const { sent, client, answer, settle } = kernel(1000);
  const [one, other] = [0, 1].map(() =>
    createTableRows(
      client,
      () => {},
      () => {},
    ),
  );
  one.want(state(), 0, 10);
  other.want(state(), 500, 10);
  await settle();
  assert.equal(sent.length, 1);
  await answer();
  await answer();
  assert.deepEqual([one.get()?.start, other.get()?.start], [0, 475]);
  one.close();
  one.close();
  assert.deepEqual([sent.length, sent[2].n], [3, 0]);
});

/** Parts of a file of `total` lines, at most 4 at once. @param {number} total @param {(start: number) => object} [change] */
function filed(total, change = () => ({})) {
  const ask = async (/** @type {any} */ { start, n }) => {
    const stop = Math.min(start + n, start + 4, total);
    const text = new TextEncoder().encode(
      Array.from({ length: stop - start }, (_, i) => `é${start + i}\n`).join("") || "head\n",
    );
    return [{ start, stop, total, selection_seq: 1, arrays: { text }, ...change(start) }];
  };
  return /** @type {any} */ ({ ask });
}
const TRAITS = /** @type {any} */ ({ table: { of: "selection" }, filters: [] });

test("a file is put together from all parts, an empty table's from its heads", async () => {
  const found = /** @type {any} */ (await tableFile(filed(10), TRAITS, { separator: "," }));
  assert.deepEqual([found.n, found.total], [10, 10]);
  assert.equal(await found.blob.text(), Array.from({ length: 10 }, (_, i) => `é${i}\n`).join(""));
  const empty = /** @type {any} */ (await tableFile(filed(0), TRAITS, { separator: "," }));
  assert.equal(await empty.blob.text(), "head\n");
});

test("a copy has no more rows than the limit", async () => {
  const found = /** @type {any} */ (await tableFile(filed(10), TRAITS, { separator: "\t", most: 6 }));
  assert.deepEqual([found.n, found.total], [6, 10]);
});

test("a table that changes meanwhile makes no file, one that is stopped or fails neither", async () => {
  const other = (/** @type {number} */ start) => (start > 0 ? { selection_seq: 2 } : {});
  assert.match(String(await tableFile(filed(10, other), TRAITS, { separator: "," })), /changed/);
  const filtered = { ...TRAITS, table: null }; // of which the selection tells nothing
  assert.equal(typeof (await tableFile(filed(10, other), filtered, { separator: "," })), "object");
  assert.equal(await tableFile(filed(10), TRAITS, { separator: ",", tell: () => false }), null);
  assert.equal(await tableFile(/** @type {any} */ ({ ask: async () => null }), TRAITS, { separator: "," }), null);
});
