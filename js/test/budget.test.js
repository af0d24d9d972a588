import assert from "node:assert/strict";
import { test } from "node:test";
import { createBudget } from "../src/draw/budget.js";

for (const [perMs, fixedMs] of [
  [1_200, 1],
  [2_500, 12],
  [5_000, 20],
  [1_000_000, 1],
]) {
  test(`slices settle near the budget at ${perMs} points a millisecond and ${fixedMs} ms for each slice`, () => {
    const cost = (/** @type {number} */ points) => fixedMs + points / perMs;
    const budget = createBudget();
    for (let i = 0; i < 60; i++)
      budget.record(budget.points(i % 8 > 0 ? "urgent" : "soon"), cost(budget.points(i % 8 > 0 ? "urgent" : "soon")));
    const ms = cost(budget.points("urgent"));
    assert.ok(ms <= 36 && ms >= 18, `${ms} ms`);
    assert.ok(budget.points("soon") > budget.points("urgent"));
    assert.ok(budget.points("rest") > budget.points("soon"));
  });
}

test("the fixed cost of a slice is not charged to its points", () => {
  const budget = createBudget();
  for (let i = 0; i < 60; i++) budget.record(i % 3 ? 20_000 : 400_000, 15 + (i % 3 ? 20_000 : 400_000) / 4_000);
  const free = (30 - 15) * 4_000;
  assert.ok(budget.points("urgent") > 0.6 * free && budget.points("urgent") < 1.5 * free, `${budget.points("urgent")}`);
});

test("a stall does not reduce the budget to zero, and is forgotten", () => {
  const budget = createBudget();
  for (let i = 0; i < 60; i++) budget.record(budget.points("urgent"), 4_000);
  assert.ok(budget.points("urgent") >= 20_000);
  for (let i = 0; i < 60; i++)
    budget.record(
      budget.points(i % 8 > 0 ? "urgent" : "soon"),
      1 + budget.points(i % 8 > 0 ? "urgent" : "soon") / 2_000,
    );
  assert.ok(budget.points("urgent") > 40_000, `${budget.points("urgent")}`);
});

test("an empty slice does not change the budget", () => {
  const budget = createBudget();
  const before = budget.points("urgent");
  for (let i = 0; i < 60; i++) budget.record(0, 3);
  assert.equal(budget.points("urgent"), before);
});
