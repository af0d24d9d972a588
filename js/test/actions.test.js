import assert from "node:assert/strict";
import { test } from "node:test";
import { createActions } from "../src/state/actions.js";
import { createScene } from "../src/state/scene.js";
import { createStore } from "../src/state/state.js";

test("work is canceled by its own request, and an image that nobody waits for is not requested again", () => {
  /** @type {any[]} */
  const done = [];
  const store = createStore(/** @type {any} */ ({ building: null }));
  const client = /** @type {any} */ ({ tell: (/** @type {any} */ { of }) => done.push(`cancel ${of}`) });
  const { stop } = createActions(
    createScene(),
    store,
    client,
    /** @type {any} */ ({}),
    () => {},
    () => done.push("given up"),
  );
  for (const ends_by of ["", "color", "aggregate"]) {
    store.set({ building: /** @type {any} */ ({ of: "index", done: 0, ends_by }) });
    stop();
  }
  assert.deepEqual(done, ["cancel color", "given up", "cancel aggregate"]);
});
