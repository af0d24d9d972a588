import assert from "node:assert/strict";
import { test } from "node:test";
import { takeColumn } from "../src/panels/columns/merge_counts.js";
import { createReceiver } from "../src/state/receive.js";
import { createScene, drawable } from "../src/state/scene.js";
import { createStore } from "../src/state/state.js";

function start() {
  const scene = createScene();
  const store = createStore(
    /** @type {any} */ ({
      points: null,
      color: null,
      nextColor: null,
      selection: { seq: -1, n: 0 },
      filter: { seq: -1, n: null },
    }),
  );
  return { scene, store, receive: /** @type {(reply: any) => void} */ (createReceiver(scene, store)) };
}

const N = 4;
const points = (seq = 1, from = 0, to = N) => ({
  kind: "points",
  seq,
  embedding: "umap",
  axes: [0, 1],
  start: from,
  stop: to,
  n_points: N,
  n_obs: N,
  aggregated: false,
  extent: [0, 1, 0, 1],
  n_missing: 0,
  y_down: false,
  equal_units: true,
  axis_labels: [],
  few: 400_000,
  arrays: { xy: new Uint16Array(2 * (to - from)).fill(seq) },
});
const color = (seq = 1, scale = "categorical") => ({
  kind: "color",
  seq,
  spec: "obs:a",
  name: `c${seq}`,
  detail: "",
  scale,
  n_points: N,
  n_obs: N,
  n_missing: 0,
  categories: ["a"],
  counts: [4],
  colors: ["#ff0000"],
  lo: 0,
  hi: 0,
  arrays: { histogram: new Uint32Array(0), quantiles: new Float32Array(0) },
});
const codes = (seq = 1, from = 0, to = N) => ({
  kind: "codes",
  seq,
  start: from,
  stop: to,
  n_points: N,
  arrays: { codes: new Uint8Array(to - from).fill(seq) },
});

test("the first coloring is displayed at once, chunk by chunk", () => {
  const { scene, store, receive } = start();
  receive(color());
  receive(points(1, 0, 2));
  assert.equal(drawable(scene), 0);
  receive(codes(1, 0, 2));
  assert.equal(drawable(scene), 2);
  assert.equal(store.get().color?.loaded, 2);
});

test("the old coloring stays until the new one is complete", () => {
  const { scene, store, receive } = start();
  for (const message of [color(), points(), codes()]) receive(message);
  receive(color(2));
  receive(codes(2, 0, 2));
  assert.equal(store.get().color?.name, "c1");
  assert.equal(store.get().nextColor?.loaded, 2);
  assert.deepEqual(scene.color?.codes, new Uint8Array(N).fill(1));
  receive(codes(2, 2, 4));
  assert.equal(store.get().color?.name, "c2");
  assert.equal(store.get().nextColor, null);
  assert.deepEqual(scene.color?.codes, new Uint8Array(N).fill(2));
});

test("no color is complete at once", () => {
  const { store, receive } = start();
  for (const message of [color(), points(), codes(), color(2, "none")]) receive(message);
  assert.equal(store.get().color?.scale, "none");
  assert.equal(store.get().color?.loaded, N);
});

test("a coloring that was cut off does not block the next", () => {
  const { scene, store, receive } = start();
  for (const message of [color(), points(), codes(1, 0, 2), color(2), codes(2, 0, 1)]) receive(message);
  assert.equal(store.get().color?.name, "c1");
  receive(codes(2, 1, 3));
  assert.equal(store.get().color?.name, "c2");
  assert.equal(drawable(scene), 3);
});

test("older streams are ignored", () => {
  const { scene, store, receive } = start();
  for (const message of [color(5), points(5), codes(5)]) receive(message);
  for (const message of [color(4), points(4), codes(4)]) receive(message);
  assert.equal(store.get().points?.seq, 5);
  assert.equal(store.get().nextColor, null);
  assert.equal(scene.points?.xy[0], 5);
  receive({ kind: "selection", seq: 3, n_selected: 1, n_points: N, arrays: { bits: Uint8Array.of(1) } });
  receive({ kind: "selection", seq: 2, n_selected: 0, n_points: N, arrays: { bits: new Uint8Array(0) } });
  assert.deepEqual(scene.flags, Uint8Array.of(1, 0, 0, 0));
});

test("after a failure the incomplete stream is dropped and the picture stays", () => {
  const { scene, store, receive } = start();
  for (const message of [color(), points(), codes(), color(2), codes(2, 0, 1)]) receive(message);
  receive({ kind: "error", of: "color", type: "E", message: "no" });
  assert.equal(store.get().nextColor, null);
  assert.equal(store.get().color?.name, "c1");
  assert.equal(drawable(scene), N);
});

test("a failure is shown until the same request succeeds", () => {
  const selected = { kind: "selection", seq: 1, n_selected: 1, n_points: N, arrays: { bits: Uint8Array.of(1) } };
  for (const [of, others, mend] of /** @type {[string, any[], any][]} */ ([
    ["color", [points(2), color(2), selected], { ...color(3), spec: "obs:b" }],
    ["color", [points(2), color(2), selected], { ...color(3), detail: "layer raw" }],
    ["points", [points(2), color(2), selected], { ...points(3), embedding: "pca" }],
    ["points", [points(2), color(2), selected], { ...points(3), axes: [0, 2] }],
    ["selection", [points(2), color(2)], selected],
  ])) {
    const { store, receive } = start();
    for (const message of [color(), points(), codes()]) receive(message);
    const error = { of, message: "no" };
    store.set({ error });
    for (const message of others) receive(message);
    assert.equal(store.get().error, error);
    receive(mend);
    assert.equal(store.get().error, null);
  }
});

test("a palette changes only colors", () => {
  const { scene, store, receive } = start();
  for (const message of [color(), points(), codes()]) receive(message);
  const held = scene.color?.codes;
  receive({ kind: "palette", seq: 1, colors: ["#00ff00"] });
  assert.deepEqual(store.get().color?.colors, ["#00ff00"]);
  assert.equal(scene.color?.codes, held);
});

test("a new embedding replaces the positions and forgets the detail", () => {
  const { scene, store, receive } = start();
  for (const message of [color(), points(), codes()]) receive(message);
  scene.detail = { index: new Uint32Array(0), xy: new Uint16Array(0), extent: [0, 1, 0, 1] };
  receive(points(2, 0, 2));
  assert.equal(scene.detail, null);
  assert.equal(drawable(scene), 2);
  assert.equal(store.get().points?.loaded, 2);
});

test("colors and flags of one set of points are not applied to another", () => {
  for (const change of [{ n_points: 2 }, { aggregated: true }]) {
    const { scene, store, receive } = start();
    for (const message of [color(), points(), codes()]) receive(message);
    receive({ kind: "selection", seq: 1, n_selected: 1, n_points: N, arrays: { bits: Uint8Array.of(1) } });
    receive({ ...color(2), n_points: change.n_points ?? N });
    const n = change.n_points ?? N;
    receive({ ...points(2, 0, n), ...change });
    assert.equal(drawable(scene), 0);
    assert.equal(scene.flags, null);
    assert.equal(store.get().color?.name, "c2");
    receive({ ...codes(2, 0, n), n_points: n });
    assert.equal(drawable(scene), n);
    assert.equal(store.get().nextColor, null);
  }
});

test("filter bits of new points arrive before them, and do not apply to the displayed points", () => {
  const { scene, receive } = start();
  for (const message of [color(), points(), codes()]) receive(message);
  receive({ kind: "filter", seq: 1, n_passing: 5, n_points: 9, arrays: { bits: Uint8Array.of(0b1010, 1) } });
  assert.equal(scene.flags, null);
  receive({ ...color(2), n_points: 9 });
  receive({ ...points(2, 0, N), n_points: 9 });
  assert.deepEqual([...(scene.flags ?? [])], [2, 0, 2, 0, 2, 2, 2, 2, 0]);
});

test("no color stays no color when other points come", () => {
  const { scene, store, receive } = start();
  for (const message of [color(1, "none"), points()]) receive(message);
  for (const message of [color(2, "none"), { ...points(2), aggregated: true }]) receive(message);
  assert.equal(store.get().color?.seq, 2);
  assert.equal(drawable(scene), N);
});

test("a failure ends the work in progress", () => {
  const { store, receive } = start();
  receive({ kind: "progress", of: "index", done: 0.4, ends_by: "aggregate" });
  assert.deepEqual(store.get().building?.done, 0.4);
  receive({ kind: "error", of: "aggregate", type: "E", message: "no" });
  assert.equal(store.get().building, null);
});

test("the end of one work does not hide another in progress", () => {
  const { store, receive } = start();
  const tell = (/** @type {string} */ of, /** @type {number} */ done) =>
    receive({ kind: "progress", of, done, ends_by: "" });
  tell("reading", 0.2);
  tell("index", 0.4);
  tell("reading", 1);
  assert.deepEqual(store.get().building?.of, "index");
  tell("index", 1);
  assert.equal(store.get().building, null);
});

test("points that arrive twice are used once", () => {
  const { scene, store, receive } = start();
  const part = (/** @type {number} */ start) => ({
    kind: "nonzeros",
    seq: 1,
    start,
    stop: start + 2,
    n_points: N,
    fill: 0,
    arrays: { counts: new Uint32Array([1]), offsets: new Uint16Array([1]), values: new Uint16Array([7]) },
  });
  for (const message of [color(1, "continuous"), points(1, 0, 2), part(0)]) receive(message);
  const before = store.get();
  for (const message of [color(1, "continuous"), points(1, 0, 2), part(0)]) receive(message);
  assert.equal(store.get(), before);
  assert.deepEqual([...(scene.color?.entries?.index ?? [])], [1]);
  for (const message of [points(1, 2, 4), part(2)]) receive(message);
  assert.deepEqual([...(scene.color?.entries?.index ?? [])], [1, 3]);
  assert.equal(drawable(scene), N);
});

test("the dataset states the nouns of its observations, vars and sets of vars", () => {
  const { store, receive } = start();
  const about = {
    kind: "dataset",
    title: "run",
    n_obs: 1,
    n_var: 0,
    embeddings: [],
    columns: [],
    colormaps: [],
    notes: [],
  };
  receive({ ...about, obs_noun: ["spectrum", "spectra"], var_noun: ["m/z window", "m/z windows"], set_noun: [] });
  assert.deepEqual(store.get().dataset?.nouns, {
    obs: { one: "spectrum", many: "spectra" },
    var: { one: "m/z window", many: "m/z windows" },
    set: null,
  });
  receive({ ...about, obs_noun: ["cell", "cells"], var_noun: ["gene", "genes"], set_noun: ["gene set", "gene sets"] });
  assert.deepEqual(store.get().dataset?.nouns.set, { one: "gene set", many: "gene sets" });
});

test("points are flagged as selected and as filtered out, each by the last message", () => {
  const { scene, store, receive } = start();
  for (const one of [points(), color(), codes()]) receive(one);
  const filter = (/** @type {number} */ seq, /** @type {number[]} */ bits, /** @type {number} */ n) =>
    receive({ kind: "filter", seq, n_passing: n, n_shown: n, n_points: N, arrays: { bits: Uint8Array.from(bits) } });
  filter(1, [0b0011], 2);
  assert.deepEqual([...(scene.flags ?? [])], [0, 0, 2, 2]);
  receive({ kind: "selection", seq: 1, n_selected: 2, n_points: N, arrays: { bits: Uint8Array.of(0b0110) } });
  assert.deepEqual([...(scene.flags ?? [])], [0, 1, 3, 2]);
  filter(0, [0b1111], 4); // older
  filter(2, [], N);
  assert.deepEqual([[...(scene.flags ?? [])], store.get().filter], [[0, 1, 1, 0], { seq: 2, n: null, nShown: null }]);
});

test("where some rows of a long list were counted the others, the labels and all that is made of them stay", () => {
  const { store, receive } = start();
  store.set({ columns: {}, takeColumn });
  const about = { kind: "column", part: 0, parts: 1, column: "obs:x", scale: "categorical", edges: [], groups: [] };
  const unselected = {
    chosen: new Uint32Array(),
    held: new Uint32Array(),
    odds: new Float32Array(),
    log10_p: new Float32Array(),
  };
  const none = { error: "", layer: "", n_zeros: 0, about: [] };
  const counts = (/** @type {number[]} */ ...values) => Uint32Array.from(values);
  const some = { all: counts(6, 0), filtered: counts(1, 0), selected: counts(2, 0), grouped: counts(), ...unselected };
  receive({ ...about, ...none, categories: ["b", "(missing)"], rows: [1, 3], arrays: some });
  assert.deepEqual(store.get().columns, {}); // of labels that are no more
  const first = { all: counts(5, 6, 7, 0), filtered: counts(5), selected: counts(0), grouped: counts(), ...unselected };
  receive({ ...about, ...none, categories: ["a"], rows: [0], arrays: first });
  const before = store.get().columns["obs:x"];
  assert.deepEqual([before.categories.length, before.categories[0], before.categories[1]], [3, "a", undefined]);
  receive({ ...about, ...none, categories: ["b", "(missing)"], rows: [1, 3], arrays: some });
  const found = store.get().columns["obs:x"];
  assert.equal(found.arrays.all, first.all);
  assert.deepEqual([...found.categories], ["a", "b", undefined]);
  assert.deepEqual([...found.arrays.filtered], [5, 1, 0, 0]);
  assert.deepEqual([...found.arrays.selected], [0, 2, 0, 0]);
  assert.deepEqual(found.rows, [1, 3]);
  assert.deepEqual([...before.arrays.filtered], [5, 0, 0, 0]);
});

test("codes that follow from those before are shown at once; those that follow from others are not", () => {
  const { scene, store, receive } = start();
  receive(points());
  receive(color());
  receive({ ...codes(), arrays: { codes: Uint8Array.of(0, 1, 255, 1) } });
  const arrays = { table: Uint8Array.of(2, 0, 255), bits: Uint8Array.of(0b1100), codes: Uint8Array.of(1, 3) };
  receive(color(2));
  receive({ kind: "recoded", seq: 2, of: 0, n_points: N, arrays });
  assert.equal(scene.color?.seq, 1);
  receive({ kind: "recoded", seq: 2, of: 1, n_points: N, arrays });
  assert.deepEqual([scene.color?.seq, store.get().nextColor, store.get().color?.loaded], [2, null, N]);
  assert.deepEqual([...(scene.color?.codes ?? [])], [2, 0, 1, 3]);
  receive(color(3));
  receive({
    ...color(3),
    kind: "recoded",
    of: 2,
    arrays: { table: Uint16Array.of(0, 0, 300, 7, 65535), bits: Uint8Array.of(1), codes: Uint16Array.of(9) },
  });
  assert.deepEqual([...(scene.color?.codes ?? [])], [9, 0, 0, 7]);
});
