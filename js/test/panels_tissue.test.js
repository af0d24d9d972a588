import assert from "node:assert/strict";
import { test } from "node:test";
import { barFor, lacks } from "../src/panels/overlays/tissue.js";
import { automaticSize, diameterOf, sizesOf } from "../src/style/point_style.js";

/** An image of 1,000 x 500 px, 10 units each, of which a part is at hand. @param {number[]} extent @param {number} perPx */
const part = (extent, perPx) => ({ extent, whole: [-5, 9_995, -5, 4_995], per_px: perPx });
const WHOLE = [-5, 9_995, -5, 4_995];

test("the whole image suffices for any view, until zooming in shows more of the stored one", () => {
  for (const view of [
    [-5, 9_995, 4_995, -5],
    [-50_000, 50_000, 50_000, -50_000],
    [20_000, 30_000, 30_000, 20_000],
  ]) {
    assert.equal(lacks(part(WHOLE, 4), view, 40, 250), false);
  }
  assert.equal(lacks(part(WHOLE, 4), [0, 100, 100, 0], 39, 250), true);
  assert.equal(lacks(part(WHOLE, 1), [0, 100, 100, 0], 0.01, 1_000), false); // there is nothing finer
});

test("an image that begins anywhere lacks finer px as one at 0 does", () => {
  for (const x0 of [-50_000, 0, 30_000]) {
    const whole = [x0, x0 + 10_000, x0, x0 + 5_000];
    const held = { extent: whole, whole, per_px: 4 };
    assert.equal(lacks(held, [x0 + 100, x0 + 200, x0 + 200, x0 + 100], 39, 250), true);
    assert.equal(lacks(held, [x0, x0 + 10_000, x0 + 5_000, x0], 40, 250), false);
  }
});

test("a part lacks the visible rest of the image, and not the area outside the image", () => {
  const held = part([1_995, 5_995, -5, 2_995], 1);
  assert.equal(lacks(held, [2_000, 5_000, 2_000, 0], 10, 400), false);
  assert.equal(lacks(held, [2_000, 5_000, 2_000, -900], 10, 400), false);
  assert.equal(lacks(held, [1_000, 5_000, 2_000, 0], 10, 400), true);
  assert.equal(lacks(held, [2_000, 6_000, 2_000, 0], 10, 400), true);
  assert.equal(lacks(held, [2_000, 5_000, 3_500, 0], 10, 400), true);
  assert.equal(lacks(held, [2_000, 5_000, 0, 3_500], 10, 400), true); // whichever way y points
});

test("a scale bar is the longest of 1, 2 and 5 that takes a quarter of the width", () => {
  assert.deepEqual(barFor(1, 800), [200, "200 µm"]);
  assert.deepEqual(barFor(0.999, 800), [100 / 0.999, "100 µm"]);
  assert.deepEqual(barFor(10, 800), [200, "2 mm"]);
  assert.deepEqual(barFor(0.0025, 800)[1], "0.5 µm");
});

test("points are as wide as spots if their width is known, not overridden, and drawable by a graphics card", () => {
  const camera = /** @type {any} */ ({ unitsPerPx: 10, width: 800, height: 600 });
  const of = (/** @type {number} */ spot, /** @type {number | null} */ size = null) =>
    diameterOf(/** @type {any} */ ({ traits: { point_size: size }, points: { spot, nPoints: 3_000 } }), camera, 1);
  assert.deepEqual([of(89.5), of(1), of(1e6), of(89.5, 4)], [8.95, 1, 100, 4]);
  assert.equal(of(0), automaticSize(3_000, camera, 1));
  const shown = (/** @type {string | null} */ tissue, spot = 50) =>
    diameterOf(
      /** @type {any} */ ({
        traits: { point_size: null, tissue },
        points: { spot: 89.5, nPoints: 3_000 },
        tissue: { name: "B/hires", spot },
      }),
      camera,
      1,
    );
  assert.deepEqual([shown("B/hires"), shown("A/hires"), shown(null)], [5, 8.95, 8.95]); // of its own library, once it is at hand
  assert.equal(shown("B/hires", 0), automaticSize(3_000, camera, 1));
});

test("cells with sizes of their own are in parts of a spot, within its limits, unless a size is set", () => {
  const camera = /** @type {any} */ ({ unitsPerPx: 10, width: 800, height: 600 });
  const of = (/** @type {number} */ spot, /** @type {number | null} */ size = null, ratio = 2) =>
    sizesOf(/** @type {any} */ ({ traits: { point_size: size }, points: { spot } }), camera, ratio);
  assert.deepEqual(of(512), [0.1, 2, 200]); // a spot of 51.2 CSS px has 1,024 parts
  assert.deepEqual(of(512, null, 0.5), [0.025, 1, 50]);
  assert.deepEqual([of(0), of(512, 4)], [null, null]);
});
