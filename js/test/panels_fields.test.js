// Laws of the fields of two or three genes: how they are numbered, describeField and gone through, and when they are asked for.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  createFields,
  describeField,
  fieldAfterKey,
  fieldAt,
  listed,
  mixAt,
  partsOf,
} from "../src/panels/genes/blend_fields.js";

const of = (/** @type {string[]} */ names, /** @type {string[]} */ words, /** @type {number} */ levels = 3) => {
  const filtered = Uint32Array.from({ length: words.length ** names.length }, (_, i) => 1000 * i + 1);
  const mixes = Uint16Array.from({ length: levels ** names.length }, (_, i) => 7 * i);
  const arrays = { filtered, selected: filtered.map((n, i) => (i === 2 ? n : 0)), mixes };
  return /** @type {any} */ ({ names, words, levels, limits: [], arrays });
};
const two = of(["A", "B"], ["low", "middle", "high"]);
const three = of(["A", "B", "C"], ["low", "high"]);

test("fields are numbered with the first gene slowest, and so are mixes", () => {
  assert.deepEqual(partsOf(two, 7), [2, 1]);
  assert.deepEqual(partsOf(three, 3), [0, 1, 1]);
  for (let i = 0; i < 9; i++) assert.equal(fieldAt(two, partsOf(two, i)), i);
  assert.equal(mixAt(two, [1, 0]), 7 * 6);
  assert.equal(mixAt(three, [0.5, 0, 1]), 7 * (9 + 2));
});

test("a field tells each gene, its cells and those selected", () => {
  const noun = { one: "cell", many: "cells" };
  assert.equal(describeField(two, 0, noun), "A low, B low: 1 cell");
  assert.equal(describeField(two, 7, noun), "A high, B middle: 7,001 cells");
  assert.equal(describeField(two, 2, noun), "A low, B high: 2,001 cells, 2,001 selected");
});

test("arrows lead to the neighbour in a square, to the next in a list, and stop at the edge", () => {
  const go = (/** @type {any} */ fields, /** @type {number} */ from, /** @type {string[]} */ ...keys) =>
    keys.reduce((i, key) => fieldAfterKey(fields, key, i) ?? -1, from);
  assert.deepEqual(partsOf(two, go(two, 0, "ArrowRight", "ArrowRight", "ArrowRight", "ArrowUp")), [2, 1]);
  assert.deepEqual(partsOf(two, go(two, 4, "End", "ArrowDown", "ArrowDown", "Home")), [0, 0]);
  assert.deepEqual(listed(three), [4, 2, 1, 6, 5, 3, 7, 0]);
  assert.equal(go(three, 4, "ArrowUp"), 4);
  assert.equal(go(three, 4, "ArrowDown", "ArrowDown", "ArrowDown"), 6);
  assert.equal(go(three, 4, "End"), 0);
  assert.equal(fieldAfterKey(two, "a", 0), null);
});

test("fields are requested once for all views, again after a change, and not for other colors", async () => {
  /** @type {any[]} */
  const asked = [];
  const client = /** @type {any} */ ({ ask: async (/** @type {any} */ one) => (asked.push(one.kind), [two]) });
  let drawn = 0;
  const views = [0, 1].map(() => createFields(client, () => drawn++));
  const corners = ["A", "B", "A + B", "none"].map((name, i) => [name, "", i]);
  const state = /** @type {any} */ ({
    link: "live",
    nextColor: null,
    color: { seq: 1, spec: "blend:A,B", corners },
    filter: { seq: 0 },
    selection: { seq: 0 },
  });
  for (const view of views) assert.equal(view(state), null);
  await new Promise((done) => setTimeout(done));
  assert.deepEqual([asked.length, drawn], [1, 2]);
  for (const view of views) assert.equal(view(state), two);
  assert.equal(views[0]({ ...state, selection: { seq: 1 } }), two); // what was known, till the answer comes
  assert.equal(views[0]({ ...state, color: { ...state.color, corners: undefined } }), null);
  assert.equal(views[0]({ ...state, link: "lost", filter: { seq: 5 } }), two);
  assert.deepEqual(asked, ["fields", "fields"]);
});
