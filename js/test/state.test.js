import assert from "node:assert/strict";
import { test } from "node:test";
import { asSeen } from "../src/state.js";

const state = (/** @type {object} */ parts) => /** @type {any} */ ({ color: null, nextColor: null, seen: null, ...parts });
const [old, fresh, later] = [{ seq: 1 }, { seq: 2 }, { seq: 3 }];

test("a colouring that is not yet on the screen is still on its way for the panels", () => {
  assert.deepEqual(asSeen(state({ color: fresh, seen: old })), state({ color: old, nextColor: fresh, seen: old }));
  assert.deepEqual(asSeen(state({ color: fresh, nextColor: later, seen: old })).nextColor, later);
});

test("the panels show the state itself once it is on the screen, and before any picture", () => {
  for (const one of [state({ color: fresh, seen: fresh }), state({ color: fresh }), state({ seen: old })]) assert.equal(asSeen(one), one);
});

test("new colours for the same categories need not wait", () => {
  const recoloured = { seq: 2, colors: ["#000000"] };
  assert.equal(asSeen(state({ color: recoloured, seen: fresh })).color, recoloured);
});
