import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { byteSize, share, shortCount, shortNumber } from "../src/words/format.js";
import { keyOf, linesOf } from "../src/words/legend_words.js";
import { summaryOf } from "../src/words/summary.js";

const { keys, summaries, numbers, counts, bytes, shares } = JSON.parse(
  readFileSync(new URL("../../tests/keys.json", import.meta.url), "utf8"),
);

/** What has been counted of the cells that pass. @param {any} told */
const passing = ({ passing: one = null, n_shown: n = null }) => ({
  filter: { seq: -1, n, nShown: n },
  counted: one && {
    seq: 1,
    selection: 1,
    filter: -1,
    nPassing: one.n_selected,
    passing: [...one.counts, one.n_missing],
  },
});

const counted = (/** @type {any} */ { n_missing, n_zero = 0, n_negative = 0 }) => {
  return { nMissing: n_missing, nZero: n_zero, nNegative: n_negative };
};

for (const told of keys) {
  test(`the key: ${told.law}`, () => {
    const { title, noun, n_obs: nObs, n_selected, hidden, vmin, vmax, center, scale, zero, cmap, color } = told;
    const quantiles = Float32Array.from({ length: 1001 }, (_, i) => i / 1000);
    const state = /** @type {any} */ ({
      dataset: { title, nObs, nouns: { obs: { one: noun[0], many: noun[1] } } },
      ...passing(told),
      selection: { n: n_selected, seq: 1 },
      traits: {
        hidden,
        filters: told.passing ? [{ query: "n > 1" }] : [],
        vmin,
        vmax,
        center: center ?? null,
        scale: scale ?? "linear",
        zero,
        cmap,
        filtered: told.filtered ?? "hide",
      },
      crowd: told.crowd ?? { weight: 1, behind: 1 },
      color: { ...color, ...counted(color), seq: 1, limits: told.limits ?? null, nObs, quantiles },
    });
    assert.deepEqual(keyOf(state, told.dark ?? false), told.key);
    assert.deepEqual(linesOf(keyOf(state)), told.lines);
  });
}

for (const one of summaries) {
  test(`the summary: ${one.law}`, () => {
    const { title, n_obs: nObs, n_selected, embedding, axes, axis_names: axisLabels, hidden, filters, color } = one;
    const state = /** @type {any} */ ({
      dataset: { title, nObs },
      points: { embedding, axes, axisLabels },
      ...passing(one),
      selection: { n: n_selected, seq: 1 },
      traits: {
        hidden,
        filters,
        filtered: one.filtered ?? "hide",
        labels: one.labels,
        contours: one.contours,
        vmin: one.vmin,
        vmax: one.vmax,
        cmap: one.cmap,
      },
      crowd: { weight: 1, behind: 1 },
      color: {
        ...color,
        seq: 1,
        colors: [],
        limits: null,
        nObs,
        nMissing: color.n_missing,
        quantiles: new Float32Array(),
      },
    });
    assert.deepEqual(summaryOf(state).split("\n"), one.summary);
  });
}

test("numbers are written as in the kernel", () => {
  for (const [value, text] of numbers) assert.equal(shortNumber(value), text);
  for (const [n, text] of counts) assert.equal(shortCount(n), text);
  for (const [n, text] of bytes) assert.equal(byteSize(n), text);
  for (const [n, total, text] of shares) assert.equal(share(n, total), text);
});

test("before data arrive there is no key", () => {
  const state = /** @type {any} */ ({
    dataset: null,
    selection: { n: 0 },
    filter: { seq: -1, n: null },
    traits: { hidden: [] },
    color: null,
  });
  assert.deepEqual(linesOf(keyOf(state)), []);
});

test("the key: cells without a set are in no set, or not in the one that colors them", () => {
  const color = {
    scale: "categorical",
    name: "sets",
    detail: "",
    categories: ["a"],
    counts: [3],
    colors: ["#112233"],
    nMissing: 2,
  };
  const rowsOf = (/** @type {string} */ spec) =>
    keyOf(
      /** @type {any} */ ({
        dataset: { title: "", nObs: 5, nouns: { obs: { one: "cell", many: "cells" } } },
        color: { ...color, spec },
        traits: { hidden: [] },
        selection: { n: 0 },
        filter: { seq: -1, n: null, nShown: null },
      }),
    ).rows.map(([label]) => label);
  assert.deepEqual(["sets:", "sets:a", "obs:sets"].map(rowsOf), [
    ["a", "in no set"],
    ["a", "not in the set"],
    ["a", "(missing)"],
  ]);
});
