import assert from "node:assert/strict";
import { test } from "node:test";
import { createTurns } from "../src/draw/turns.js";
import { gridOf, HEAD_PX, placeOf, titleOf } from "../src/panels/linked/head.js";
import { leftOut, traitsOf } from "../src/panels/linked/look.js";
import { DEFAULTS } from "../src/wire/constants.js";

test("panels are laid out so that the largest square fits in each, with no row or column to spare", () => {
  for (let n = 1; n <= 12; n++) {
    for (const [width, height] of [
      [900, 500],
      [400, 900],
      [1600, 300],
      [300, 300],
    ]) {
      const { columns, rows } = gridOf(n, width, height);
      assert.ok(columns * rows >= n && (rows - 1) * columns < n);
      const side = (/** @type {number} */ wide) =>
        Math.min(width / wide, Math.max(height / Math.ceil(n / wide) - HEAD_PX, 1));
      const best = Math.max(...Array.from({ length: n }, (_, i) => side(i + 1)));
      assert.ok(side(columns) >= best - n, `${n} in ${width} x ${height}`);
    }
  }
  assert.deepEqual(gridOf(4, 900, 600), { columns: 2, rows: 2, side: 272 });
  assert.deepEqual([gridOf(3, 1200, 300).columns, gridOf(3, 300, 1200).columns], [3, 1]);
});

test("the places of panels tile the room, each with its head above", () => {
  const grid = { columns: 3, rows: 2 };
  assert.equal(placeOf(4, grid).head.left, `${100 / 3}%`);
  assert.equal(placeOf(4, grid).body.top, `calc(50% + ${HEAD_PX}px)`);
  assert.deepEqual(
    [0, 3, 4].map((at) => placeOf(at, grid).isFirst),
    [true, true, false],
  );
  const pxOf = (/** @type {string} */ calc) =>
    [...calc.matchAll(/([-+]?) ?([\d.]+)px/g)].map((one) => +(one[1] + one[2]));
  const [above, below] = [placeOf(0, grid, 40), placeOf(4, grid, 40)];
  assert.deepEqual(
    [pxOf(above.body.height), pxOf(below.body.top)],
    [
      [-20, -HEAD_PX],
      [-20, HEAD_PX],
    ],
  );
});

test("a panel has the settings of the widget but for its look, and no limit that was set for another color", () => {
  const traits = /** @type {any} */ ({
    ...DEFAULTS,
    color: "n_genes",
    vmin: 3,
    center: 1,
    hidden: ["a"],
    opacity: 0.5,
  });
  assert.equal(traitsOf(traits, { id: 2, within: {} }), traits);
  const own = traitsOf(traits, { id: 2, color: "CD3E", vmax: "p99" });
  assert.deepEqual([own.color, own.vmin, own.vmax, own.center, own.hidden], ["CD3E", null, "p99", null, []]);
  assert.deepEqual([own.opacity, own.cmap], [0.5, traits.cmap]);
  assert.equal(traitsOf({ ...traits, statistic: "std" }, { id: 2, color: "CD3E" }).statistic, "std");
});

test("points of other panels are left out, and selected ones stay selected", () => {
  const bits = Uint8Array.of(0b10100101, 0b1);
  const flags = Uint8Array.of(1, 0, 0, 0, 2, 0, 0, 1, 1);
  assert.deepEqual([...(leftOut(flags, bits, 9) ?? [])], [1, 2, 0, 2, 2, 0, 2, 1, 1]);
  assert.deepEqual([...(leftOut(null, bits, 9) ?? [])], [0, 2, 0, 2, 2, 0, 2, 0, 0]);
  assert.equal(leftOut(flags, null, 9), flags);
});

test("a panel is called by its color, its cells, or both", () => {
  const state = /** @type {any} */ ({ color: { name: "CD3E" }, dataset: null });
  const within = { obs: "donor", in: ["d1"] };
  assert.equal(titleOf(state, { id: 1 }), "CD3E");
  assert.equal(titleOf(state, { id: 1, within }), "d1");
  assert.equal(titleOf(state, { id: 1, within, color: "CD3E" }), "d1 · CD3E");
  assert.equal(titleOf(state, { id: 1, within: { obs: "leiden", in: ["3"] } }), "leiden 3");
  assert.equal(titleOf(state, { id: 1, within: { obs: "is_doublet", in: [true] } }), "is_doublet True");
});

test("moving panels share the point budget of one frame equally", () => {
  const drawn = [0, 0, 0];
  const turns = createTurns(() => {});
  drawn.forEach((_, i) => {
    turns.join({
      wants: () => "urgent",
      draw: (points) => ((drawn[i] += points), points),
      present: () => false,
      restored() {},
    });
  });
  turns.draw(/** @type {any} */ ({ points: () => 30_000 }));
  assert.deepEqual(drawn, [10_000, 10_000, 10_000]);
});
