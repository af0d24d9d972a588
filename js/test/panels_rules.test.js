// Laws of the filters that the panels make: what passes by a rule, and the rule that lets those pass.
import assert from "node:assert/strict";
import { test } from "node:test";
import { brushedEnds, rounded, stepOf } from "../src/panels/columns/brush_gestures.js";
import { exampleOf } from "../src/panels/filters/active_filters.js";
import {
  columnOf,
  isKeeping,
  isOnlyOf,
  keeping,
  leavesOut,
  onlyOne,
  passesOf,
  ruleOf,
  shortest,
  toggled,
  within,
  without,
  withRule,
} from "../src/panels/filters/filter_rules.js";

const LABELS = ["a", "b", "c", "d", "(missing)"];

test("the rule of any kept labels passes exactly these labels", () => {
  for (let bits = 0; bits < 1 << LABELS.length; bits++) {
    const isKept = (label) => ((bits >> LABELS.indexOf(label)) & 1) === 1;
    const rule = keeping("obs:x", LABELS, isKept);
    assert.equal(rule === null, bits === (1 << LABELS.length) - 1);
    assert.deepEqual(LABELS.filter(passesOf(rule ?? undefined)), LABELS.filter(isKept));
    assert.doesNotMatch(JSON.stringify(rule), /missing/);
  }
});

test("a filter is described by the labels it keeps or excludes, whichever are fewer, and passes the same cells", () => {
  const color = /** @type {any} */ ({ spec: "obs:x", categories: LABELS.slice(0, -1), nMissing: 3 });
  for (let bits = 1; bits < (1 << LABELS.length) - 1; bits++) {
    const left = LABELS.filter((_, i) => ((bits >> i) & 1) === 1);
    const rule = { not: { obs: "x", in: left.map((label) => (label === "(missing)" ? null : label)) } };
    const told = shortest(rule, color);
    assert.equal("not" in told, left.length <= LABELS.length / 2);
    assert.deepEqual(LABELS.filter(passesOf(told)), LABELS.filter(passesOf(rule)));
    for (const other of [null, { ...color, spec: "obs:y" }]) assert.equal(shortest(rule, other), rule);
  }
  for (const rule of [{ obs: "x", in: ["a", "b", "c"] }, { not: { set: "x" } }, { query: "x > 0" }])
    assert.equal(shortest(rule, color), rule);
});

test("in a long list a label is excluded, included or kept alone without knowing the others", () => {
  const toggle = (/** @type {any} */ rule, /** @type {string} */ label) =>
    toggled("obs:x", rule ?? undefined, label, LABELS.length);
  for (let bits = 0; bits < 1 << LABELS.length; bits++) {
    const isKept = (/** @type {string} */ label) => ((bits >> LABELS.indexOf(label)) & 1) === 1;
    const rule = keeping("obs:x", LABELS, isKept) ?? undefined;
    for (const one of LABELS) {
      const after = toggle(rule, one) ?? undefined;
      assert.deepEqual(
        LABELS.filter(passesOf(after)),
        LABELS.filter((label) => isKept(label) !== (label === one)),
      );
      assert.doesNotMatch(JSON.stringify(after) ?? "", /missing/);
      assert.deepEqual(LABELS.filter(passesOf(toggle(after, one) ?? undefined)), LABELS.filter(isKept));
      assert.deepEqual(
        LABELS.filter(passesOf(onlyOne("obs:x", rule, one) ?? undefined)),
        isKept(one) && bits === 1 << LABELS.indexOf(one) ? LABELS : [one],
      );
    }
  }
  assert.equal(toggle({ not: { obs: "x", in: ["a"] } }, "a"), null);
  assert.deepEqual(toggle({ obs: "x", in: [3, true] }, "True"), { obs: "x", in: [3] });
});

test("values that Python keeps are the labels that the kernel sends, of yes and no and of numbers too", () => {
  for (const [value, label] of [
    [true, "True"],
    [false, "False"],
    [3, "3"],
    [1e21, "1000000000000000000000"],
    [0.5, "0.5"],
    [2.5e-7, "2.5e-07"],
    [1e-300, "1e-300"],
    [null, "(missing)"],
    ["a", "a"],
  ]) {
    assert.ok(passesOf({ obs: "x", in: [value] })(label), label);
    assert.ok(!passesOf({ not: { obs: "x", in: [value] } })(label), label);
  }
});

test("values are excluded and included one by one, and that replaces a filter that keeps some", () => {
  for (const before of [undefined, { obs: "x", in: ["a", null] }, { obs: "x", range: [0, 1] }]) {
    const first = without(before, "obs:x", null);
    assert.deepEqual(first, { not: { obs: "x", in: [null] } });
    const both = without(first ?? undefined, "obs:x", "(missing)");
    assert.deepEqual(both, { not: { obs: "x", in: [null, "(missing)"] } });
    assert.ok([null, "(missing)"].every((value) => leavesOut(both ?? undefined, value)));
    assert.deepEqual(without(both ?? undefined, "obs:x", null), { not: { obs: "x", in: ["(missing)"] } });
    assert.equal(without(first ?? undefined, "obs:x", null), null);
  }
  assert.ok(isOnlyOf({ obs: "x", in: [null] }, null));
  for (const rule of [undefined, { obs: "x", in: [null, "a"] }, { not: { obs: "x", in: [null] } }, { query: "x > 0" }])
    assert.ok(!isOnlyOf(rule, null) && (rule === undefined || !("in" in rule) || !leavesOut(rule, null)));
});

test("a set counts as kept by its filter, not by one that excludes it", () => {
  assert.ok(isKeeping([{ set: "x", of: "y" }], "set:x"));
  assert.ok(!isKeeping([{ not: { set: "x" } }], "set:x"));
  assert.ok(!isKeeping([{ set: "x" }], "set:y"));
});

test("a rule that cannot be a filter is an error, as is one without a form", () => {
  assert.throws(() => columnOf({ polygon: [], embedding: "umap" }), /no filter/);
  assert.throws(() => columnOf({ obs: "x", top: 5 }), /no form of a rule/);
});

test("a rule takes the place of that of its column, and null takes it away", () => {
  const rules = [{ obs: "x", range: [1, 2] }, { query: "x > 1" }, { not: { obs: "y", in: ["a"] } }];
  assert.deepEqual(rules.map(columnOf), ["obs:x", "query", "obs:y"]);
  assert.deepEqual(withRule(rules, "obs:y", null), rules.slice(0, 2));
  assert.deepEqual(withRule(rules, "obs:x", { obs: "x", range: [0, 1] })[0], { obs: "x", range: [0, 1] });
  assert.equal(withRule(rules, "var:x", { var: "x", range: [0, 1] }).length, 4);
  assert.equal(ruleOf(rules, "var:x"), undefined);
});

test("a range without ends is no filter, and a gene's tells its layer", () => {
  assert.equal(within("obs:x", [null, null], null), null);
  assert.deepEqual(within("obs:var:x", [1, null], "raw"), { obs: "var:x", range: [1, null] });
  assert.deepEqual(within("var:x", [null, 2], "raw"), { var: "x", layer: "raw", range: [null, 2] });
});

test("ends are rounded to far less than a bin, to numbers that can be read", () => {
  const edges = (lo, hi) => Array.from({ length: 65 }, (_, i) => lo + (i / 64) * (hi - lo));
  assert.equal(rounded(123.4567, stepOf(edges(0, 640), false)), 123);
  assert.equal(rounded(0.123456, stepOf(edges(0, 1), false)), 0.123);
  assert.equal(rounded(7.4, stepOf([0, 1, 2], true)), 7);
  for (const [lo, hi] of [
    [0, 1],
    [-1e300, 1e300],
    [5, 5],
    [1e-300, 2e-300],
    [0, 1e-320],
  ]) {
    const step = stepOf(edges(lo, hi), false);
    assert.ok(step <= (hi / 64 - lo / 64) / 4);
    assert.ok(Math.abs(rounded(hi, step) - hi) <= step);
  }
});

test("the example of a query names a column of numbers that the dataset has", () => {
  const of = (...columns) => exampleOf({ columns: columns.map(([name, kind]) => ({ name, kind })) });
  assert.equal(of(["ms_level", "categorical"], ["retention_time", "float"]), "e.g. retention_time > 0");
  assert.equal(of(["total counts", "int"]), "e.g. `total counts` > 0");
  assert.equal(of(["kind", "string"]), "Query");
});

test("a brush over some bars keeps the numbers of these bars, and of no bar beside them", () => {
  const edges = [0, 10, 20, 30];
  for (const places of /** @type {[number, number][]} */ ([
    [10, 20],
    [20, 10],
    [9.6, 20.4],
  ]))
    assert.deepEqual(brushedEnds(places, edges, true), [10, 19]);
  assert.deepEqual(brushedEnds([0, 20], edges, true), [null, 19]);
  assert.deepEqual(brushedEnds([20, 30], edges, true), [20, null]);
  assert.deepEqual(brushedEnds([12, 12.3], edges, true), [12, 12]);
  assert.deepEqual(brushedEnds([10, 20], edges, false), [10, 20]);
});
