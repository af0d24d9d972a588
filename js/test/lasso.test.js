import assert from "node:assert/strict";
import { test } from "node:test";
import { createShape, modeOf } from "../src/plot/lasso.js";

const none = { shift: false, alt: false };
const at = (/** @type {number} */ x, /** @type {number} */ y) => /** @type {[number, number]} */ ([x / 10, -y / 10]);

/** @param {"lasso" | "rectangle"} kind @param {[number, number][]} places */
function draw(kind, places) {
  const shape = createShape(kind);
  for (const [x, y] of places) shape.add(x, y, at(x, y));
  return shape;
}

test("every place of the pointer is a corner, repeated ones once", () => {
  const shape = draw("lasso", [
    [0, 0],
    [0, 0],
    [10, 0],
    [10, 0.5],
    [10, 0.5],
    [300, 400],
  ]);
  assert.deepEqual(shape.finish(), [0, -0, 1, -0, 1, -0.05, 30, -40]);
});

test("an end far from the start closes all the same", () => {
  assert.equal(
    draw("lasso", [
      [0, 0],
      [500, 0],
      [500, 500],
    ]).finish()?.length,
    6,
  );
});

test("a click and a line of two points select no cells", () => {
  assert.equal(
    draw("lasso", [
      [5, 5],
      [5, 5],
    ]).finish(),
    null,
  );
  assert.equal(
    draw("lasso", [
      [5, 5],
      [9, 9],
      [9, 9],
    ]).finish(),
    null,
  );
  assert.equal(
    draw("rectangle", [
      [5, 5],
      [5, 5],
    ]).finish(),
    null,
  );
  assert.equal(
    draw("rectangle", [
      [5, 5],
      [80, 6],
    ]).finish(),
    null,
  );
  assert.equal(createShape("lasso").finish(), null);
});

test("a rectangle has four corners, between the first and the last place", () => {
  assert.deepEqual(
    draw("rectangle", [
      [10, 20],
      [99, 1],
      [30, 60],
    ]).finish(),
    [1, -2, 3, -2, 3, -6, 1, -6],
  );
});

test("keys count at the start or at the end", () => {
  assert.equal(modeOf(none, none), "replace");
  assert.equal(modeOf({ ...none, shift: true }, none), "add");
  assert.equal(modeOf(none, { ...none, alt: true }), "subtract");
  assert.equal(modeOf({ ...none, shift: true }, { ...none, alt: true }), "intersect");
});
