/** Laws of the list of sets: each stands below the one it was made in, with its own counts, and edits are asked for once. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createSetList, inOrder } from "../src/panels/sets/set_requests.js";

const TOLD = {
  kind: "sets",
  sets: [
    { name: "a", within: "", fault: "", is_rule: true, of: "1" },
    { name: "b", within: "", fault: "", is_rule: false, of: "2" },
    { name: "a1", within: "a", fault: "", is_rule: true, of: "3" },
    { name: "a2", within: "a1", fault: "", is_rule: true, of: "4" },
  ],
  arrays: { counts: Uint32Array.of(9, 8, 7, 7, 6, 5, 4, 3, 3, 2, 1, 0, 0, 0, 0, 0) },
};

/** @param {number} n @param {number} filter */
const state = (n, filter) =>
  /** @type {any} */ ({
    link: "live",
    error: null,
    filter: { seq: filter },
    selection: { seq: 0 },
    traits: { steps: { n } },
  });

test("each set is listed below its parent, with its own counts", () => {
  const found = inOrder(/** @type {any} */ (TOLD));
  assert.deepEqual(
    found.map(({ name, depth, n, nFiltered, nSelected, above }) => [name, depth, n, nFiltered, nSelected, above?.n]),
    [
      ["a", 0, 9, 8, 7, undefined],
      ["a1", 1, 3, 2, 1, 9],
      ["a2", 2, 0, 0, 0, 3],
      ["b", 0, 6, 5, 4, undefined],
    ],
  );
});

test("sets are requested once per step and filter, and again when the panel opens again", async () => {
  /** @type {any[]} */
  const asked = [];
  const client = /** @type {any} */ ({ ask: async (/** @type {any} */ request) => (asked.push(request), [TOLD]) });
  const list = createSetList(client, () => {});
  assert.equal(list.follow(state(1, 1)), null);
  await Promise.resolve();
  await Promise.resolve();
  assert.equal(list.follow(state(1, 1))?.length, 4);
  list.follow(state(2, 1));
  list.follow(state(2, 2));
  list.follow(null);
  list.follow(state(2, 2));
  list.edit({ op: "delete", name: "a" });
  assert.deepEqual(
    asked.map(({ kind }) => kind),
    ["sets", "sets", "sets", "sets", "set"],
  );
});

test("a failure is shown until an edit succeeds, and an edit returns whether it did", async () => {
  const answers = [[TOLD], null, [TOLD], null];
  const client = /** @type {any} */ ({ ask: async () => answers.shift() });
  const list = createSetList(client, () => {});
  const failed = { ...state(1, 1), error: { of: "set", message: "that name is taken" } };
  list.follow(state(1, 1));
  assert.equal(await list.edit({ op: "add", name: "a" }), null);
  list.follow(failed);
  assert.equal(list.fault(), "that name is taken");
  assert.notEqual(await list.edit({ op: "add", name: "b" }), null);
  list.follow(failed);
  assert.equal(list.fault(), "");
  assert.equal(await list.edit({ op: "add", name: "a" }), null);
  list.follow({ ...failed, error: { of: "set", message: "that name is taken" } });
  assert.equal(list.fault(), "that name is taken");
});

test("a question that failed leaves the sets as they were", async () => {
  const answers = [[TOLD], null];
  const client = /** @type {any} */ ({ ask: async () => answers.shift() });
  const list = createSetList(client, () => {});
  list.follow(state(1, 1));
  await new Promise((resolve) => setTimeout(resolve));
  list.follow(state(2, 1));
  await new Promise((resolve) => setTimeout(resolve));
  assert.equal(list.follow(state(2, 1))?.length, 4);
});
