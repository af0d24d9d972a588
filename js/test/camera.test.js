import assert from "node:assert/strict";
import { test } from "node:test";
import * as cameras from "../src/camera.js";

const near = (/** @type {number[]} */ a, /** @type {number[]} */ b, within = 1e-9) =>
  a.forEach((value, i) => assert.ok(Math.abs(value - b[i]) <= within, `${a} is not ${b}`));

/** @type {[number, number, number, number]} */
const extent = [-3, 7, 100, 140];
for (const yDown of [false, true]) {
  const camera = cameras.fit(extent, 640, 480, yDown);
  const word = yDown ? "down" : "up";

  test(`pixels to data and back is the identity, y ${word}`, () => {
    for (const [px, py] of [[0, 0], [640, 480], [17.5, 301]]) near(cameras.toPx(camera, ...cameras.toData(camera, px, py)), [px, py]);
  });

  test(`the visible view gives the same camera again, y ${word}`, () => {
    const again = cameras.contain(cameras.visible(camera), 640, 480, yDown);
    near([again.x, again.y, again.unitsPerPx], [camera.x, camera.y, camera.unitsPerPx]);
    assert.equal(again.up, camera.up);
  });

  test(`zooming keeps the place under the cursor, y ${word}`, () => {
    const before = cameras.toData(camera, 100, 50);
    const zoomed = cameras.zoomAt(camera, 3.7, 100, 50);
    near(cameras.toData(zoomed, 100, 50), before);
    near([zoomed.unitsPerPx * 3.7], [camera.unitsPerPx]);
  });

  test(`panning moves the data with the hand, y ${word}`, () => {
    const [px, py] = cameras.toPx(cameras.pan(camera, 30, -20), 0, 120);
    near([px, py], [cameras.toPx(camera, 0, 120)[0] + 30, cameras.toPx(camera, 0, 120)[1] - 20]);
  });

  test(`codes to clip space agrees with data to pixels, y ${word}`, () => {
    const { scale, offset } = cameras.codesToClip(camera, extent);
    const [fx, fy] = [12_345, 54_321];
    const data = /** @type {const} */ ([extent[0] + (fx / 65_534) * 10, extent[2] + (fy / 65_534) * 40]);
    const [px, py] = cameras.toPx(camera, ...data);
    near([fx * scale[0] + offset[0], fy * scale[1] + offset[1]], [(px / 640) * 2 - 1, 1 - (py / 480) * 2]);
  });
}

test("y grows upwards unless it is an image", () => {
  const [, , bottom, top] = cameras.visible(cameras.fit(extent, 640, 480, false));
  assert.ok(top > bottom);
  const [, , low, high] = cameras.visible(cameras.fit(extent, 640, 480, true));
  assert.ok(high < low);
});

test("a given view is seen as a whole, whatever the shape of the plot", () => {
  for (const [width, height] of [[640, 480], [200, 900], [900, 200]]) {
    const seen = cameras.visible(cameras.contain([0, 4, 10, 20], width, height, false));
    assert.ok(cameras.covers(seen, [0, 4, 10, 20]));
    near([(seen[1] - seen[0]) / width], [(seen[3] - seen[2]) / height]);
  }
});

test("everything fits with a margin of about 4 %", () => {
  const seen = cameras.visible(cameras.fit([0, 100, 0, 100], 500, 500, false));
  near(seen, [-4, 104, -4, 104]);
});

test("zoom stops where float32 has no more to tell, and before the data is lost", () => {
  const range = cameras.zoomRange([1000, 1010, 0, 1], 500, 500, 2);
  let camera = cameras.fit([1000, 1010, 0, 1], 500, 500, false);
  for (let i = 0; i < 200; i++) camera = cameras.zoomAt(camera, 2, 3, 4, range);
  assert.ok(camera.unitsPerPx / 2 >= 1010 * 2 ** -23);
  for (let i = 0; i < 200; i++) camera = cameras.zoomAt(camera, 0.5, 3, 4, range);
  assert.ok(camera.unitsPerPx * 500 <= 10 * 1.08 * 5.01);
});

test("one point and no point at all have a camera", () => {
  for (const one of [[2, 2, 3, 3], [0, 0, 0, 0]]) {
    const camera = cameras.fit(/** @type {any} */ (one), 300, 200, false);
    assert.ok(camera.unitsPerPx > 0 && Number.isFinite(camera.unitsPerPx));
    const { scale, offset } = cameras.codesToClip(camera, one);
    assert.deepEqual([...scale, ...offset], [0, 0, 0, 0]);
  }
});
