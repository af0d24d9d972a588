import assert from "node:assert/strict";
import { test } from "node:test";
import { inViewOf } from "../src/picture/report.js";
import { fit, visible } from "../src/screen/camera.js";

const EXTENT = /** @type {[number, number, number, number]} */ ([0, 1, 0, 1]);
const MISSING = 65_535;
const at = (/** @type {number[][]} */ places) =>
  Uint16Array.from(places.flat(), (one) => (Number.isNaN(one) ? MISSING : Math.round(one * 65_534)));
const look = (/** @type {number[]} */ view) => ({
  camera: fit([view[0], view[1], view[2], view[3]], 100, 100, false),
  view,
  ratio: 1,
});
const state = (/** @type {any} */ change = {}) =>
  /** @type {any} */ ({
    points: { seq: 1, aggregated: false, extent: EXTENT, nPoints: 3, loaded: 3 },
    color: { seq: 2, scale: "categorical", categories: ["a", "b"] },
    selection: { seq: 3 },
    filter: { seq: -1, n: null },
    traits: { hidden: [] },
    ...change,
  });
const scene = (/** @type {any} */ change = {}) =>
  /** @type {any} */ ({
    points: {
      xy: at([
        [0.1, 0.1],
        [0.9, 0.9],
        [NaN, 0.5],
      ]),
    },
    color: { codes: Uint8Array.of(0, 255, 1) },
    image: null,
    cells: null,
    flags: null,
    ...change,
  });
const lacks = (/** @type {number[]} */ view, /** @type {any} */ change = {}, /** @type {any} */ arrays = {}) =>
  inViewOf(scene(arrays), state(change), look(view))?.lacks;

test("a view with a point is not empty, one without is, and every point has a position", () => {
  assert.equal(lacks([0, 1, 0, 1]), "");
  assert.equal(lacks([0, 1, 1, 0]), "");
  assert.equal(lacks([0.2, 0.8, 0.2, 0.8]), "nothing");
  assert.equal(lacks([0.4, 2, 0.4, 0.6]), "nothing");
  assert.equal(inViewOf(scene(), state(), look([0, 1, 0, 1]))?.as, "points");
});

test("a view whose points are all of hidden categories says so, the missing one counting as one", () => {
  const hidden = (/** @type {string[]} */ ...labels) => ({ traits: { hidden: labels } });
  assert.equal(lacks([0, 0.5, 0, 0.5], hidden("a")), "hidden");
  assert.equal(lacks([0, 0.5, 0, 0.5], hidden("b")), "");
  assert.equal(lacks([0.5, 1, 0.5, 1], hidden("a")), "");
  assert.equal(lacks([0.5, 1, 0.5, 1], hidden("(missing)")), "hidden");
});

test("a view shows filtered-out points if these are grey", () => {
  const grey = (/** @type {any} */ change) => ({ traits: { hidden: [], filtered: "grey", ...change } });
  const flags = Uint8Array.of(2, 0, 0);
  assert.equal(lacks([0, 0.5, 0, 0.5], { ...grey({}), filter: { n: 2 } }, { flags }), "");
  assert.equal(lacks([0, 0.5, 0, 0.5], grey({ hidden: ["a"] })), "");
  assert.equal(lacks([0.2, 0.8, 0.2, 0.8], grey({ hidden: ["a"] })), "nothing");
});

test("a view with only filtered-out points shows nothing", () => {
  assert.equal(lacks([0, 0.5, 0, 0.5], {}, { flags: Uint8Array.of(2, 0, 0) }), "hidden");
  assert.equal(lacks([0, 1, 0, 1], {}, { flags: Uint8Array.of(2, 1, 0) }), "");
});

test("no view is reported as empty before all points have arrived, nor between two codes", () => {
  assert.equal(lacks([0.2, 0.8, 0.2, 0.8], { points: { ...state().points, loaded: 2 } }), "");
  const [x] = [6_553 / 65_534];
  assert.equal(
    lacks([x + 4e-6, x + 5e-6, x + 4e-6, x + 5e-6], {}, { points: { xy: Uint16Array.of(6_553, 6_553) } }),
    "",
  );
});

test("for an image it reports the count of the kernel, and for cells of a view these cells", () => {
  const points = { ...state().points, aggregated: true };
  const view = visible(fit(EXTENT, 100, 100, false));
  const shown = (/** @type {any} */ arrays) =>
    inViewOf(scene(arrays), state({ points }), { camera: fit(EXTENT, 100, 100, false), view, ratio: 1 });
  const image = { pointsSeq: 1, seq: 2, view, nInside: 0 };
  assert.deepEqual(shown({ image }), { as: "image", lacks: "nothing" });
  assert.deepEqual(shown({ image: { ...image, nInside: 4 } }), { as: "image", lacks: "" });
  assert.deepEqual(shown({ image: { ...image, view: [0.4, 0.6, 0.4, 0.6] } }), { as: "image", lacks: "" });
  assert.deepEqual(shown({}), { as: "sample", lacks: "" });
  const cells = { key: "1 2 3 -1", extent: [-1, 2, -1, 2], xy: new Uint16Array(), codes: null };
  assert.deepEqual(shown({ image, cells }), { as: "cells", lacks: "nothing" });
});
