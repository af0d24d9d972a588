import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient, watchConnection } from "../src/wire/client.js";

function start() {
  /** @type {any[]} */
  const sent = [];
  /** @type {any[]} */
  const heard = [];
  /** @type {any} */
  let listener = null;
  const comm = /** @type {any} */ ({
    on: (/** @type {string} */ _, /** @type {any} */ one) => (listener = one),
    off: () => (listener = null),
    send: (/** @type {any} */ content, /** @type {any} */ _, /** @type {any} */ buffers) =>
      sent.push({ content, buffers }),
  });
  const client = createClient(
    comm,
    {
      onReply: (reply) => heard.push(reply.kind),
      onError: (of, message) => heard.push({ of, message }),
      onLost: () => heard.push("lost"),
    },
    0,
  );
  return {
    client,
    sent,
    heard,
    comm,
    say: (/** @type {any} */ content, buffers = []) => listener?.(content, buffers),
    isListening: () => listener !== null,
  };
}

const matches = (/** @type {number} */ id) => ({ kind: "matches", id, query: "q", matches: [], n_more: 0, arrays: [] });

const counts = {
  kind: "counts",
  seq: 1,
  selection_seq: 1,
  n_missing: 0,
  n_selected: 0,
  filter_seq: 1,
  arrays: ["counts", "passing"].map((name) => ({ name, dtype: "uint32", shape: [0] })),
};
const nothing = /** @type {any} */ ([0, 1].map(() => new DataView(new ArrayBuffer(0))));

test("a response goes to the caller of its request", async () => {
  const { client, sent, say } = start();
  const search = client.ask({ kind: "search", query: "a", limit: 1 });
  const hover = client.ask({ kind: "hover", x: 0, y: 0, radius: 1 });
  assert.deepEqual(
    sent.map(({ content }) => content.id),
    [1, 2],
  );
  say({ kind: "cell", id: 2, row: 3, arrays: [] });
  say(matches(1));
  assert.equal(/** @type {any} */ (await hover)?.[0].row, 3);
  assert.equal((await search)?.[0].kind, "matches");
});

test("the newest question of a kind wins", async () => {
  const { client, say, heard } = start();
  const older = client.ask({ kind: "search", query: "a", limit: 1 });
  const newer = client.ask({ kind: "search", query: "ab", limit: 1 });
  assert.equal(await older, null);
  say(matches(1));
  say(matches(2));
  assert.equal((await newer)?.[0].id, 2);
  assert.deepEqual(heard, ["matches", "matches"]);
});

test("questions of a kind about two panels leave each other alone", async () => {
  const { client, say } = start();
  const count = (/** @type {number} */ panel) => client.ask({ kind: "count", panel });
  const asked = [count(0), count(1), count(1)];
  assert.equal(await asked[1], null);
  for (const [id, panel] of [
    [1, 0],
    [3, 1],
  ])
    say({ ...counts, id, panel }, nothing);
  const answers = await Promise.all(asked);
  assert.deepEqual(
    answers.map((answer) => /** @type {any} */ (answer)?.[0].panel),
    [0, undefined, 1],
  );
});

test("an answer in parts is whole only with its last part", async () => {
  const { client, say } = start();
  const zoom = client.ask({ kind: "zoom", view: [0, 1, 0, 1] });
  const arrays = [
    { name: "index", dtype: "uint32", shape: [0] },
    { name: "xy", dtype: "uint16", shape: [0, 2] },
  ];
  const empty = [new DataView(new ArrayBuffer(0)), new DataView(new ArrayBuffer(0))];
  for (const part of [1, 0])
    say({ kind: "detail", id: 1, part, parts: 2, extent: [0, 1, 0, 1], arrays }, /** @type {any} */ (empty));
  assert.equal((await zoom)?.length, 2);
});

test("a failure is shown and ends the request", async () => {
  const { client, say, heard } = start();
  const lasso = client.ask({ kind: "lasso", polygon: [], mode: "add" });
  say({ kind: "error", id: 1, of: "lasso", type: "SelectionError", message: "no corners", arrays: [] });
  assert.equal(await lasso, null);
  assert.deepEqual(heard.at(-1), { of: "lasso", message: "no corners" });
});

test("a question whose place a newer one took, maybe of another page, ends without a word", async () => {
  const { client, say, heard } = start();
  const view = client.ask({ kind: "aggregate" });
  say({
    kind: "error",
    id: 1,
    of: "aggregate",
    type: "Overtaken",
    message: "a newer request took the place of this one.",
    arrays: [],
  });
  assert.equal(await view, null);
  assert.deepEqual(heard, []);
});

test("two pages of a kernel do not take each other's answers for their own", () => {
  /** @type {number[]} */
  const ids = [];
  const comm = /** @type {any} */ ({ on() {}, off() {}, send: (/** @type {any} */ { id }) => ids.push(id) });
  for (let page = 0; page < 2; page++) {
    createClient(comm, { onReply() {}, onError() {}, onLost() {} }).tell({ kind: "begun" });
  }
  assert.notEqual(ids[0], ids[1]);
  assert.ok(ids.every((id) => Number.isSafeInteger(id) && id > 0));
});

test("a broken message is reported in one sentence and later ones still work", async () => {
  const { client, say, heard } = start();
  const search = client.ask({ kind: "search", query: "a", limit: 1 });
  say(
    { kind: "selection", id: 0, arrays: [{ name: "bits", dtype: "uint8", shape: [2] }] },
    /** @type {any} */ ([new DataView(new ArrayBuffer(1))]),
  );
  assert.match(heard[0].message, /"bits" came with 1 bytes/);
  say(matches(1));
  assert.equal((await search)?.length, 1);
});

test("a timeout and a closed comm resolve to null, and only the latter is reported as lost", async () => {
  const { client, comm, heard } = start();
  assert.equal(await client.ask({ kind: "ready", version: 1 }, 5), null);
  assert.deepEqual(heard, []);
  comm.send = () => {
    throw new Error("closed");
  };
  assert.equal(await client.ask({ kind: "ready", version: 1 }), null);
  assert.deepEqual(heard, ["lost"]);
  client.tell({ kind: "begun" });
  assert.deepEqual(heard, ["lost", "lost"]);
});

test("closing removes the listener and ends open requests", async () => {
  const { client, isListening } = start();
  const open = client.ask({ kind: "clear" });
  client.close();
  assert.equal(await open, null);
  assert.equal(isListening(), false);
});

test("unanswered requests are sent again with new numbers, except those that would act twice", async () => {
  const { client, sent, say } = start();
  const question = client.ask({ kind: "search", query: "q" });
  const undone = client.ask({ kind: "undo", redo: false });
  client.repeat();
  assert.equal(await undone, null);
  assert.deepEqual(
    sent.map(({ content: { kind, id } }) => [kind, id]),
    [["search", 1], ["undo", 2], ["search", 3]], // biome-ignore format: a line each
  );
  say(matches(1)); // its other half may be lost
  say(matches(3));
  assert.equal((await question)?.[0].id, 3);
});

test("a lost connection is reported once, and again once when it is back", () => {
  /** @type {any} */
  let hear = null;
  const connectionStatusChanged = {
    connect: (/** @type {any} */ one) => (hear = one),
    disconnect: () => (hear = null),
  };
  /** @type {string[]} */
  const heard = [];
  const model = { widget_manager: { kernel: { connectionStatusChanged } } };
  const stop = watchConnection(model, { onCut: () => heard.push("cut"), onBack: () => heard.push("back") });
  for (const status of ["connected", "connecting", "disconnected", "connecting", "connected"]) hear(null, status);
  assert.deepEqual(heard, ["cut", "back"]);
  stop();
  assert.equal(hear, null);
  watchConnection({}, { onCut: () => heard.push("cut"), onBack: () => {} })();
});
