import assert from "node:assert/strict";
import { test } from "node:test";
import { layoutAxes, marginOf } from "../src/plot/axes.js";
import * as cameras from "../src/screen/camera.js";

/** Left of the plot and beneath it. */
const MARGIN = marginOf(["x", "y"], 600, 400);
const NAMES = ["retention time (min)", "m/z"];
/** @type {[number, number, number, number][]} */
const VIEWS = [
  [-2.4, 62.4, 128, 2072],
  [12.5, 12.75, 445.1, 445.14],
  [-1e-3, 1e-3, -1e5, 9e5],
  [0, 1, 3e8, 5e8],
];
/** @type {[number, number][]} */
const SIZES = [
  [611, 450],
  [170, 900],
  [900, 170],
  [1800, 1100],
];

/** @param {(camera: cameras.Camera, names: string[]) => void} check */
function everywhere(check, names = NAMES) {
  for (const view of VIEWS) {
    for (const [width, height] of SIZES)
      for (const down of [false, true]) check(cameras.contain(view, width, height, down, false), names);
  }
}

/** What a mark takes: left, top, right, bottom, CSS px; characters are 6.2 px wide. @param {import("../src/plot/axes.js").Mark} mark */
function boxOf({ axis, text, x, y }) {
  const half = 3.1 * text.length;
  return axis === "x" ? [x - half, y - 9, x + half, y + 2] : [x - 9, y - half, x + 2, y + half];
}

test("a number is placed where the camera has its value", () => {
  everywhere((camera) => {
    const { numbers } = layoutAxes(camera, NAMES, MARGIN);
    const many = (/** @type {string} */ axis) => numbers.filter((one) => one.axis === axis).length;
    assert.ok(camera.width < 250 || many("x") >= 2, `${many("x")} along ${camera.width} px`);
    assert.ok(camera.height < 250 || many("y") >= 2, `${many("y")} along ${camera.height} px`);
    const [perX, perY] = cameras.scales(camera);
    for (const { axis, text, x, y } of numbers) {
      const value = Number(text.replaceAll(",", ""));
      const [px, py] = cameras.toPx(camera, value, value);
      const slack = 1e-6 + (axis === "x" ? 1e-9 / perX : 1e-9 / perY) * Math.abs(value);
      assert.ok(Math.abs(axis === "x" ? x - MARGIN - px : y - py) < slack, `${text} along ${axis}`);
    }
  });
});

test("each axis has a line as long as the plot and ticks that point away from it", () => {
  everywhere((camera) => {
    const { lines } = layoutAxes(camera, NAMES, MARGIN);
    const long = lines.filter(
      ([x0, y0, x1, y1]) => Math.abs(x1 - x0) === camera.width || Math.abs(y1 - y0) === camera.height,
    );
    assert.equal(long.length, 2);
    for (const [x0, y0, x1, y1] of lines.filter((one) => !long.includes(one))) {
      assert.ok((x0 === x1 && y0 === camera.height && y1 > y0) || (y0 === y1 && x0 === MARGIN && x1 < x0));
    }
  });
});

test("no text overlaps the plot or other text, or leaves the margin", () => {
  for (const names of [NAMES, ["long ".repeat(60), "lang ".repeat(60)]]) {
    everywhere((camera) => {
      const { names: said, numbers, lines } = layoutAxes(camera, names, MARGIN);
      const { width, height } = camera;
      const boxes = [...said, ...numbers].map(boxOf);
      for (const box of boxes)
        assert.ok(
          box[0] >= 0 && box[1] >= -1e-9 && box[2] <= MARGIN + width + 1e-9 && box[3] <= height + MARGIN,
          String(box),
        );
      boxes.push([MARGIN, 0, MARGIN + width, height]);
      boxes.push(
        ...lines
          .map(([x0, y0, x1, y1]) => [Math.min(x0, x1), Math.min(y0, y1), Math.max(x0, x1), Math.max(y0, y1)])
          .slice(1),
      );
      boxes.slice(0, said.length + numbers.length).forEach((a, i) => {
        for (const b of boxes.slice(i + 1))
          assert.ok(a[2] <= b[0] || b[2] <= a[0] || a[3] <= b[1] || b[3] <= a[1], `${a} and ${b}`);
      });
    }, names);
  }
});

test("a name that is too long for its axis is shortened", () => {
  everywhere((camera) =>
    assert.ok(
      layoutAxes(camera, ["long ".repeat(60), "lang ".repeat(60)], MARGIN).names.every(({ text }) =>
        text.endsWith("…"),
      ),
    ),
  );
});

test("axes without names and small plots have no margin and no text", () => {
  const nothing = { names: [], numbers: [], lines: [] };
  const [view] = VIEWS;
  assert.ok(MARGIN > 0);
  assert.deepEqual([marginOf([], 600, 400), marginOf(NAMES, 600, 149), marginOf(NAMES, 140, 400)], [0, 0, 0]);
  assert.deepEqual(layoutAxes(null, NAMES, MARGIN), nothing);
  assert.deepEqual(layoutAxes(cameras.contain(view, 600, 400, false), [], 0), nothing);
});
