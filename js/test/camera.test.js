import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import * as cameras from "../src/screen/camera.js";

const near = (/** @type {number[]} */ a, /** @type {number[]} */ b, within = 1e-9) =>
  a.forEach((value, i) => assert.ok(Math.abs(value - b[i]) <= within, `${a} is not ${b}`));

/** @type {[number, number, number, number]} */
const extent = [-3, 7, 100, 140];
for (const [yDown, equalUnits] of [
  [false, true],
  [true, true],
  [false, false],
  [true, false],
]) {
  const camera = cameras.fit(extent, 640, 480, yDown, equalUnits);
  const word = `${yDown ? "down" : "up"}, ${equalUnits ? "equal units" : "units of their own"}`;

  test(`pixels to data and back is the identity, y ${word}`, () => {
    for (const [px, py] of [
      [0, 0],
      [640, 480],
      [17.5, 301],
    ])
      near(cameras.toPx(camera, ...cameras.toData(camera, px, py)), [px, py]);
  });

  test(`the visible view gives the same camera again, y ${word}`, () => {
    const again = cameras.contain(cameras.visible(camera), 640, 480, yDown, equalUnits);
    near([again.x, again.y, ...cameras.scales(again)], [camera.x, camera.y, ...cameras.scales(camera)]);
    assert.equal(again.up, camera.up);
  });

  test(`zooming keeps the place under the cursor, y ${word}`, () => {
    const before = cameras.toData(camera, 100, 50);
    const zoomed = cameras.zoomAt(camera, 3.7, 100, 50);
    near(cameras.toData(zoomed, 100, 50), before);
    near(
      cameras.scales(zoomed).map((units) => units * 3.7),
      cameras.scales(camera),
    );
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

test("a picture shows all of an extent in its middle and a margin around it, as the kernel's does", () => {
  const { cases } = JSON.parse(readFileSync(new URL("../../tests/views.json", import.meta.url), "utf8"));
  for (const {
    extent: of,
    size: [width, height],
    y_down,
    equal_units,
    ...wanted
  } of cases) {
    near(cameras.visible(cameras.contain(of, width, height, y_down, equal_units)), wanted.contain);
    near(cameras.visible(cameras.fit(of, width, height, y_down, equal_units)), wanted.fit);
  }
});

test("y grows upwards unless it is an image", () => {
  const [, , bottom, top] = cameras.visible(cameras.fit(extent, 640, 480, false));
  assert.ok(top > bottom);
  const [, , low, high] = cameras.visible(cameras.fit(extent, 640, 480, true));
  assert.ok(high < low);
});

test("a given view is seen as a whole, whatever the shape of the plot", () => {
  for (const [width, height] of [
    [640, 480],
    [200, 900],
    [900, 200],
  ]) {
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
  assert.equal(camera.stretch, 1);
});

test("one point and no point at all have a camera", () => {
  for (const one of [
    [2, 2, 3, 3],
    [0, 0, 0, 0],
  ]) {
    const camera = cameras.fit(/** @type {any} */ (one), 300, 200, false);
    assert.ok(camera.unitsPerPx > 0 && Number.isFinite(camera.unitsPerPx));
    const { scale, offset } = cameras.codesToClip(camera, one);
    assert.deepEqual([...scale, ...offset], [0, 0, 0, 0]);
  }
});

/** Numbers 0..1, the same each time. @param {number} seed */
function chance(seed) {
  let state = seed;
  return () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
}

test("pixels to data and back is the identity at any stretch, zoom and place", () => {
  const next = chance(7);
  for (let i = 0; i < 500; i++) {
    const camera = /** @type {cameras.Camera} */ ({
      x: (next() - 0.5) * 10 ** (next() * 4),
      y: (next() - 0.5) * 10 ** (next() * 4),
      unitsPerPx: 10 ** (next() * 6 - 3),
      stretch: 10 ** (next() * 12 - 6),
      width: 50 + next() * 2000,
      height: 50 + next() * 2000,
      up: next() < 0.5 ? 1 : -1,
    });
    const [px, py] = [next() * camera.width, next() * camera.height];
    near(cameras.toPx(camera, ...cameras.toData(camera, px, py)), [px, py], 1e-3);
    const [left, right, bottom, top] = cameras.visible(camera);
    const inPlot = [left + (px / camera.width) * (right - left), top + (py / camera.height) * (bottom - top)];
    cameras.toData(camera, px, py).forEach((at, axis) => near([at / inPlot[axis]], [1], 1e-6));
  }
});

test("with units of their own the axes show exactly a view, whatever the shape of the plot", () => {
  for (const view of [
    [0, 60, 200, 2000],
    [12.5, 12.75, 445.1, 445.14],
    [-1e-3, 1e-3, -1e5, 9e5],
  ]) {
    for (const [width, height] of [
      [640, 480],
      [200, 900],
      [900, 200],
      [333.3, 217.7],
    ]) {
      const seen = cameras.visible(cameras.contain(view, width, height, false, false));
      seen.forEach((edge, i) => near([edge], [view[i]], 1e-12 * Math.max(...view.map(Math.abs))));
      const down = cameras.visible(cameras.contain(view, width, height, true, false));
      down.forEach((edge, i) =>
        near([edge], [[view[0], view[1], view[3], view[2]][i]], 1e-12 * Math.max(...view.map(Math.abs))),
      );
    }
  }
});

test("with units of their own everything fills the plot both ways, with a margin of 4 %", () => {
  for (const [width, height] of [
    [640, 480],
    [200, 900],
  ]) {
    near(cameras.visible(cameras.fit([0, 60, 200, 2000], width, height, false, false)), [-2.4, 62.4, 128, 2072]);
  }
});

test("with units of their own zooming out ends where the data is small along each axis, and the whole view's shape is back", () => {
  const whole = cameras.fit([0, 60, 200, 2000], 640, 480, false, false);
  const range = cameras.zoomRange([0, 60, 200, 2000], 640, 480, 1, false);
  let camera = cameras.contain([10, 50, 500, 500.5], 640, 480, false, false);
  const before = camera.stretch;
  for (let i = 0; i < 3; i++) camera = cameras.zoomAt(camera, 1 / 1.5, 100, 200, range);
  near([camera.stretch], [before]);
  for (let i = 0; i < 60; i++) camera = cameras.zoomAt(camera, 1 / 1.5, 100, 200, range);
  near(
    cameras.scales(camera),
    cameras.scales(whole).map((units) => units * 5),
    1e-9,
  );
});

test("with units of their own zooming in keeps the shape until neither axis has more to tell", () => {
  for (const extent of /** @type {[number, number, number, number][]} */ ([
    [44_000, 44_001, 0, 1e5],
    [0, 1, 1e6, 1e6 + 1],
  ])) {
    const range = cameras.zoomRange(extent, 640, 480, 1, false);
    const whole = cameras.fit(extent, 640, 480, false, false);
    let camera = whole;
    for (let i = 0; i < 100; i++) camera = cameras.zoomAt(camera, 2, 3, 4, range);
    near([camera.stretch / whole.stretch], [1]);
    const [stepX, stepY] = [extent[1] * 2 ** -23, extent[3] * 2 ** -23];
    const [perX, perY] = cameras.scales(camera);
    assert.ok(Math.abs(perX / stepX - 1) < 1e-9 || Math.abs(perY / stepY - 1) < 1e-9, "one axis is at its end");
    assert.ok(perX <= stepX * (1 + 1e-9) && perY <= stepY * (1 + 1e-9), "both have been told in full");
  }
});

test("a code is as large as along the axis where it is larger", () => {
  const camera = cameras.contain([0, 6.5534, 0, 65_534], 1000, 500, false, false);
  near([cameras.cellSizePx(camera, [0, 6.5534, 0, 65_534], 65_534, 65_534)], [1000 / 65_534]);
  near([cameras.cellSizePx(camera, [0, 6.5534, 0, 4 * 65_534], 65_534, 65_534)], [2000 / 65_534]);
});

test("positions are coarse from half a device pixel a code", () => {
  const camera = cameras.contain([0, 6.5534, 0, 65_534], 1000, 500, false, false);
  const halfAt = 65_534 / 2000; // the ratio at which a code takes half a pixel
  assert.equal(cameras.isCoarse({ camera, ratio: 0.99 * halfAt }, [0, 6.5534, 0, 65_534]), false);
  assert.equal(cameras.isCoarse({ camera, ratio: 1.01 * halfAt }, [0, 6.5534, 0, 65_534]), true);
});

test("points grow by the zoom of both axes together", () => {
  const whole = cameras.contain([0, 60, 0, 2000], 640, 480, false, false);
  near([cameras.zoomOver(cameras.contain([0, 15, 0, 500], 640, 480, false, false), whole)], [4]);
  near([cameras.zoomOver(cameras.contain([0, 60, 0, 2000 / 9], 640, 480, false, false), whole)], [3]);
  const even = cameras.fit([0, 10, 0, 4], 640, 480, false);
  assert.equal(cameras.zoomOver({ ...even, unitsPerPx: even.unitsPerPx / 4 }, even), 4);
});

test("data without any breadth along one axis have a camera that fills the other", () => {
  for (const [extent, filled] of /** @type {[[number, number, number, number], number][]} */ ([
    [[5, 5, 0, 100], 1],
    [[0, 100, 5, 5], 0],
    [[5, 5, 7, 7], -1],
  ])) {
    const camera = cameras.fit(extent, 300, 200, false, false);
    const [perX, perY] = cameras.scales(camera);
    assert.ok(perX > 0 && perY > 0 && Number.isFinite(perX) && Number.isFinite(perY));
    if (filled >= 0) near([[perX * 300, perY * 200][filled]], [108]);
    const range = cameras.zoomRange(extent, 300, 200, 1, false);
    assert.ok([...range.least, ...range.most].every((units) => units > 0 && Number.isFinite(units)));
  }
});

test("points that all lie at one place, however far out, have a view that is none of width zero", () => {
  for (const at of [0, 1e16, -1e16, 3.4e38]) {
    for (const equalUnits of [true, false]) {
      const camera = cameras.fit([at, at, at, at], 300, 200, false, equalUnits);
      const [left, right, bottom, top] = cameras.visible(camera);
      assert.ok(left < at && at < right && bottom < at && at < top);
      assert.ok([...cameras.codesToClip(camera, [at, at, at, at]).offset].every(Number.isFinite));
    }
  }
});
