import assert from "node:assert/strict";
import { test } from "node:test";
import { createSharedView } from "../src/state/shared_view.js";

const rest = () => new Promise((resolve) => setTimeout(resolve, 200));

test("a view is saved once, after the hand has let go", async () => {
  /** @type {any[]} */
  const saved = [];
  const view = createSharedView(null, (one) => saved.push(one));
  let moves = 0;
  view.subscribe(() => moves++);
  view.move([0, 1, 0, 1]);
  view.move([0, 2, 0, 2]);
  assert.equal(moves, 2);
  view.settle();
  assert.deepEqual(saved, []);
  await rest();
  assert.deepEqual(saved, [[0, 2, 0, 2]]);
  view.reset();
  assert.equal(view.get(), null);
  await rest();
  assert.deepEqual(saved, [[0, 2, 0, 2], null]);
});

test("a view set elsewhere replaces one that was not yet saved", async () => {
  /** @type {any[]} */
  const saved = [];
  const view = createSharedView(null, (one) => saved.push(one));
  view.move([0, 1, 0, 1]);
  view.settle();
  view.take([5, 6, 5, 6]);
  await rest();
  assert.deepEqual(saved, []);
  assert.deepEqual(view.get(), [5, 6, 5, 6]);
});
