import assert from "node:assert/strict";
import { test } from "node:test";
import { createBudget } from "../src/gl/budget.js";

for (const perMs of [200, 2_500, 1_000_000]) {
  test(`slices settle within the budget at ${perMs} points a millisecond`, () => {
    const budget = createBudget(30);
    for (let i = 0; i < 60; i++) budget.record(budget.points, 1 + budget.points / perMs);
    const ms = budget.points / perMs;
    assert.ok(ms <= 31 && (ms >= 20 || budget.points === 50_000_000), `${ms} ms`);
  });
}

test("short slices teach nothing about how much more would fit", () => {
  const budget = createBudget(30, 60_000);
  for (let i = 0; i < 60; i++) budget.record(100, 3);
  assert.equal(budget.points, 60_000);
});

test("a stall never brings the budget to nothing", () => {
  const budget = createBudget(30);
  for (let i = 0; i < 60; i++) budget.record(budget.points, 4_000);
  assert.ok(budget.points >= 1_000);
});
