import assert from "node:assert/strict";
import { test } from "node:test";
import { createBudget } from "../src/gl/budget.js";

for (const perMs of [1_200, 2_500, 1_000_000]) {
  test(`slices settle within the budget at ${perMs} points a millisecond`, () => {
    const budget = createBudget();
    for (let i = 0; i < 60; i++) budget.record(budget.points(true), 1 + budget.points(true) / perMs);
    const ms = budget.points(true) / perMs;
    assert.ok(ms <= 31 && ms >= 20, `${ms} ms`);
    assert.ok(budget.points(false) > budget.points(true));
  });
}

test("short slices teach nothing about how much more would fit", () => {
  const budget = createBudget();
  const before = budget.points(true);
  for (let i = 0; i < 60; i++) budget.record(100, 3);
  assert.equal(budget.points(true), before);
});

test("a stall does not bring the budget to nothing, and is forgotten", () => {
  const budget = createBudget();
  const before = budget.points(true);
  for (let i = 0; i < 60; i++) budget.record(budget.points(true), 4_000);
  assert.ok(budget.points(true) >= 20_000);
  for (let i = 0; i < 60; i++) budget.record(budget.points(true), 1 + budget.points(true) / 2_000);
  assert.ok(budget.points(true) > 0.8 * before);
});
