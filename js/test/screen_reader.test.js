import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { createAnnouncer } from "../src/page/screen_reader.js";

const dataset = { title: "Atlas", nObs: 100_000, nouns: { obs: { one: "cell", many: "cells" } } };
const START = /** @type {any} */ ({
  dataset,
  color: null,
  traits: { hidden: [] },
  selection: { seq: 0, n: 0 },
  filter: { seq: 0, n: null, nShown: null },
});

/** A live region that hears of states one after the other, and what it says in the end. @param {...any} changes */
function said(...changes) {
  mock.timers.enable({ apis: ["setTimeout"] });
  const [heard, texts] = [{ textContent: "" }, /** @type {string[]} */ ([])];
  const announcer = createAnnouncer(
    /** @type {any} */ ({
      get textContent() {
        return heard.textContent;
      },
      set textContent(text) {
        heard.textContent = text;
        texts.push(text);
      },
    }),
  );
  let state = START;
  for (const change of changes) {
    if (change === "rest") mock.timers.tick(10_000);
    else {
      const next = { ...state, ...change };
      announcer.follow(next, state);
      state = next;
    }
  }
  mock.timers.tick(10_000);
  mock.timers.reset();
  return texts;
}

const selected = (/** @type {number} */ n, more = {}) => ({ selection: { seq: 1, n, ...more } });
const passing = (/** @type {number | null} */ n) => ({ filter: { seq: 1, n, nShown: n } });

test("a selection is announced with the number of cells that pass", () => {
  assert.deepEqual(
    said(passing(80_123), "rest", selected(1_204)).at(-1),
    "1,204 of 100,000 cells selected; 80,123 pass the filters",
  );
});

test("changes in quick succession are announced once, in their final state", () => {
  const all = said(passing(80_123), passing(70_000), selected(3), passing(60_000));
  assert.deepEqual(all, ["3 of 100,000 cells selected; 60,000 pass the filters"]);
});

test("filters are announced without a selection, and when they are removed", () => {
  const all = said(passing(4), "rest", passing(null));
  assert.deepEqual(all, ["4 of 100,000 cells pass the filters", "All 100,000 cells pass the filters"]);
});

test("a removed selection is announced", () => {
  assert.deepEqual(said(selected(5), "rest", selected(0)).at(-1), "0 of 100,000 cells selected");
});

test("changes that leave all counts equal are not announced", () => {
  assert.deepEqual(said({ highlighted: 2 }, { cell: {} }, passing(null)), []);
});

test("a repeated sentence is announced again", () => {
  const all = said(selected(5), "rest", selected(5, { missed: true }), "rest", selected(5, { missed: true }));
  assert.equal(all.length, 3);
  assert.ok(all.slice(1).every((one) => one.trim() === "5 of 100,000 cells selected, unchanged"));
  assert.notEqual(all[1], all[2]);
});

test("categories hidden by hand are announced as cells that pass", () => {
  const color = { scale: "categorical", categories: ["a", "b"], counts: [40_000, 60_000], nMissing: 0 };
  const all = said({ color }, { color, traits: { hidden: ["a"] } });
  assert.deepEqual(all, ["60,000 of 100,000 cells pass the filters"]);
});

test("sets hidden in the legend are announced as not shown, since this is no filter", () => {
  const color = { spec: "sets:", scale: "categorical", categories: ["a"], counts: [40_000], nMissing: 60_000 };
  const hidden = { traits: { hidden: ["a"] } };
  const all = said(
    { color },
    { ...hidden },
    "rest",
    { filter: { seq: 1, n: 50_000, nShown: 30_000 } },
    "rest",
    passing(null),
    {
      traits: { hidden: [] },
    },
  );
  assert.deepEqual(all, ["60,000 of 100,000 cells shown", "30,000 of 100,000 cells shown", "All 100,000 cells shown"]);
});
