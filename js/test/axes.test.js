import assert from "node:assert/strict";
import { test } from "node:test";
import { layoutAxes } from "../src/axes.js";
import * as cameras from "../src/camera.js";

const NAMES = ["retention time (min)", "m/z"];
/** @type {[number, number, number, number][]} */
const VIEWS = [[-2.4, 62.4, 128, 2072], [12.5, 12.75, 445.1, 445.14], [-1e-3, 1e-3, -1e5, 9e5], [0, 1, 3e8, 5e8]];
/** @type {[number, number][]} */
const SIZES = [[611, 450], [170, 900], [900, 170], [1800, 1100]];

/** @param {(camera: cameras.Camera, names: string[]) => void} check */
function everywhere(check, names = NAMES) {
  for (const view of VIEWS) {
    for (const [width, height] of SIZES) for (const down of [false, true]) check(cameras.contain(view, width, height, down, false), names);
  }
}

/** What a mark takes: left, top, right, bottom, CSS px; characters are 6.2 px wide. @param {import("../src/axes.js").Mark} mark */
function boxOf({ axis, text, x, y, anchor }) {
  const width = 6.2 * text.length;
  const [before, after] = anchor === "end" ? [width, 0] : [width / 2, width / 2];
  return axis === "x" ? [x - before, y - 9, x + after, y + 2] : [x - 9, y - after, x + 2, y + before];
}

test("a number stands where the camera has its value", () => {
  everywhere((camera) => {
    const { numbers } = layoutAxes(camera, NAMES);
    const many = (/** @type {string} */ axis) => numbers.filter((one) => one.axis === axis).length;
    assert.ok(camera.width < 250 || many("x") >= 2, `${many("x")} along ${camera.width} px`);
    assert.ok(camera.height < 250 || many("y") >= 2, `${many("y")} along ${camera.height} px`);
    const [perX, perY] = cameras.scales(camera);
    for (const { axis, text, x, y } of numbers) {
      const value = Number(text.replaceAll(",", ""));
      const [px, py] = cameras.toPx(camera, value, value);
      const slack = 1e-6 + (axis === "x" ? 1e-9 / perX : 1e-9 / perY) * Math.abs(value);
      assert.ok(Math.abs(axis === "x" ? x - px : y - py) < slack, `${text} along ${axis}`);
    }
  });
});

test("each tick ends at the edge and points at a round number", () => {
  everywhere((camera) => {
    for (const [x0, y0, x1, y1] of layoutAxes(camera, NAMES).ticks) {
      assert.ok((x0 === x1 && y0 === camera.height && y1 < y0) || (y0 === y1 && x0 === 0 && x1 > 0));
    }
  });
});

test("nothing written lies on anything else, under the buttons or outside of the plot", () => {
  const buttons = [0, 0, 220, 40];
  everywhere((camera, names) => {
    const { names: said, numbers } = layoutAxes(camera, names);
    const boxes = [...said, ...numbers].map(boxOf);
    for (const box of boxes) assert.ok(box[0] >= 0 && box[1] >= 0 && box[2] <= camera.width && box[3] <= camera.height, String(box));
    boxes.push(buttons);
    boxes.forEach((a, i) => {
      for (const b of boxes.slice(i + 1)) assert.ok(a[2] <= b[0] || b[2] <= a[0] || a[3] <= b[1] || b[3] <= a[1], `${a} and ${b}`);
    });
  });
  everywhere((camera) => assert.ok(layoutAxes(camera, ["long ".repeat(60), "lang ".repeat(60)]).names.every(({ text }) => text.endsWith("…"))));
});

test("everything along an edge lies in the margin that the whole data leave", () => {
  const whole = cameras.fit([0, 60, 200, 2000], 611, 450, false, false);
  const [left, top] = cameras.toPx(whole, 0, 2000);
  const bottom = cameras.toPx(whole, 0, 200)[1];
  const { names, numbers } = layoutAxes(whole, NAMES);
  for (const mark of [...names, ...numbers]) {
    const [, y0, x1] = boxOf(mark);
    assert.ok(mark.axis === "x" ? y0 >= bottom - 1 : x1 <= left, `${mark.text} ${top}`);
  }
});

test("axes that share their units, small plots and no plot have nothing at their edges", () => {
  const nothing = { names: [], numbers: [], ticks: [] };
  const [view] = VIEWS;
  assert.deepEqual(layoutAxes(null, NAMES), nothing);
  assert.deepEqual(layoutAxes(cameras.contain(view, 600, 400, false), []), nothing);
  assert.deepEqual(layoutAxes(cameras.contain(view, 600, 149, false, false), NAMES), nothing);
  assert.deepEqual(layoutAxes(cameras.contain(view, 140, 400, false, false), NAMES), nothing);
});
