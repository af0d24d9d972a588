import assert from "node:assert/strict";
import { test } from "node:test";
import { createBudget } from "../src/gl/budget.js";

for (const [perMs, fixedMs] of [
  [1_200, 1],
  [2_500, 12],
  [5_000, 20],
  [1_000_000, 1],
]) {
  test(`slices settle near the budget at ${perMs} points a millisecond and ${fixedMs} ms for each slice`, () => {
    const cost = (/** @type {number} */ points) => fixedMs + points / perMs;
    const budget = createBudget();
    for (let i = 0; i < 60; i++) budget.record(budget.points(i % 8 > 0), cost(budget.points(i % 8 > 0)));
    const ms = cost(budget.points(true));
    assert.ok(ms <= 36 && ms >= 18, `${ms} ms`);
    assert.ok(budget.points(false) > budget.points(true));
  });
}

test("what every slice costs is not charged to its points", () => {
  const budget = createBudget();
  for (let i = 0; i < 60; i++) budget.record(i % 3 ? 20_000 : 400_000, 15 + (i % 3 ? 20_000 : 400_000) / 4_000);
  const free = (30 - 15) * 4_000;
  assert.ok(budget.points(true) > 0.6 * free && budget.points(true) < 1.5 * free, `${budget.points(true)}`);
});

test("a stall does not bring the budget to nothing, and is forgotten", () => {
  const budget = createBudget();
  for (let i = 0; i < 60; i++) budget.record(budget.points(true), 4_000);
  assert.ok(budget.points(true) >= 20_000);
  for (let i = 0; i < 60; i++) budget.record(budget.points(i % 8 > 0), 1 + budget.points(i % 8 > 0) / 2_000);
  assert.ok(budget.points(true) > 40_000, `${budget.points(true)}`);
});

test("a slice of nothing teaches nothing", () => {
  const budget = createBudget();
  const before = budget.points(true);
  for (let i = 0; i < 60; i++) budget.record(0, 3);
  assert.equal(budget.points(true), before);
});
