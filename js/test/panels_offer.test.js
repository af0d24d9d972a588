import assert from "node:assert/strict";
import { test } from "node:test";
import { from, partsOf } from "../src/panels/offer.js";

const GENES = { obs: { one: "cell", many: "cells" }, var: { one: "gene", many: "genes" }, set: null };
const NONE = { sets: 0, labels: 0, annotations: 0, gene_sets: 0, pins: 0, filters: 0, panels: 0 };
const kept = (counts, unsaved = 0) => ({ name: "a", at: 0, notebook: "", counts: { ...NONE, ...counts }, unsaved });

test("an offer counts only the parts that exist", () => {
  assert.deepEqual(partsOf(kept({ sets: 4, labels: 12_651, annotations: 1, filters: 1 }), GENES), [
    "4 sets",
    "12,651 labels",
    "1 filter",
  ]);
  assert.deepEqual(partsOf(kept({ annotations: 1, pins: 2 }), GENES), ["1 annotation", "2 pinned genes"]);
});

test("labels are unsaved where no annotation is in a file", () => {
  assert.deepEqual(partsOf(kept({ labels: 5, annotations: 2 }, 2), GENES), ["5 unsaved labels"]);
  assert.deepEqual(partsOf(kept({ labels: 1, annotations: 2 }, 1), GENES), ["1 label"]);
});

test("an offer states when it was saved, the day if not today, and another notebook's name", () => {
  const at = new Date(2026, 2, 9, 14, 2).getTime();
  const of = (notebook = "") => ({ ...kept({}), at: at / 1000, notebook });
  assert.equal(from(of(), at + 60_000), "from 14:02");
  assert.equal(from(of(), new Date(2026, 2, 10, 9).getTime()), "from 9 Mar, 14:02");
  assert.equal(from(of("trial.ipynb"), at), "from 14:02 in trial.ipynb");
});
