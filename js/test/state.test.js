import assert from "node:assert/strict";
import { test } from "node:test";
import { asSeen, highlightOf } from "../src/state/state.js";

const state = (/** @type {object} */ parts) =>
  /** @type {any} */ ({ color: null, nextColor: null, seen: null, ...parts });
const [old, fresh, later] = [{ seq: 1 }, { seq: 2 }, { seq: 3 }];

test("a coloring that is not yet on the screen is still on its way for the panels", () => {
  assert.deepEqual(asSeen(state({ color: fresh, seen: old })), state({ color: old, nextColor: fresh, seen: old }));
  assert.deepEqual(asSeen(state({ color: fresh, nextColor: later, seen: old })).nextColor, later);
});

test("the panels show the state itself once it is on the screen, and before any picture", () => {
  for (const one of [state({ color: fresh, seen: fresh }), state({ color: fresh }), state({ seen: old })])
    assert.equal(asSeen(one), one);
});

test("new colors for the same categories need not wait", () => {
  const recolored = { seq: 2, colors: ["#000000"] };
  assert.equal(asSeen(state({ color: recolored, seen: fresh })).color, recolored);
});

test("a category that is hidden, or none of the coloring, is not highlighted; shown again it is", () => {
  const color = { scale: "categorical", categories: ["a", "b"] };
  const of = (/** @type {number} */ highlighted, /** @type {string[]} */ hidden) =>
    highlightOf(state({ color, highlighted, traits: { hidden } }));
  assert.deepEqual(
    [of(1, []), of(1, ["b"]), of(0, ["b"]), of(1, ["(missing)"]), of(-1, []), of(2, [])],
    [1, -1, 0, 1, -1, -1],
  );
  assert.equal(
    highlightOf(state({ color: { scale: "continuous", categories: [] }, highlighted: 0, traits: { hidden: [] } })),
    -1,
  );
});
