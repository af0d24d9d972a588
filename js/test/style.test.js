import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { contrast, parseHex } from "../src/style/color.js";
import { COLORMAPS } from "../src/style/colormaps.js";
import { automaticSize, colorTable, crowdedSize, ramp, stopsOf, styleOf } from "../src/style/point_style.js";
import { cornersOf } from "../src/words/legend_words.js";

const theme = { background: [255, 255, 255], foreground: [0, 0, 0], dark: false };
const coloring = (/** @type {any} */ more) =>
  /** @type {any} */ ({ scale: "categorical", categories: ["a", "b"], colors: ["#102030", "#ffffff"], ...more });

test("a category has its color at its code, and none when hidden", () => {
  const table = colorTable(coloring({}), { cmap: "viridis", hidden: ["b"] }, false);
  assert.equal(table.length, 1024);
  assert.deepEqual([...table.slice(0, 8)], [16, 32, 48, 255, 0, 0, 0, 0]);
});

test("more than 256 categories take more rows", () => {
  const categories = Array.from({ length: 1_101 }, (_, i) => `c${i}`);
  const colors = categories.map((_, i) => `#${i.toString(16).padStart(6, "0")}`);
  const table = colorTable(coloring({ categories, colors }), { cmap: "viridis", hidden: [] }, false);
  assert.equal(table.length, 1024 * 5);
  assert.deepEqual([...table.slice(4 * 1_100, 4 * 1_100 + 4)], [0, 4, 76, 255]);
});

test("a ramp begins and ends with its first and last stop", () => {
  for (const [name, stops] of Object.entries(COLORMAPS)) {
    const table = ramp(stops);
    const hex = (/** @type {number} */ at) =>
      `#${[...table.slice(at, at + 3)].map((one) => one.toString(16).padStart(2, "0")).join("")}`;
    assert.deepEqual([hex(0), hex(1020)], [stops[0], stops.at(-1)], name);
  }
});

test("on a dark page a colormap drops colors that are too dark, and none in between", () => {
  for (const [name, stops] of Object.entries(COLORMAPS)) {
    const seen = stopsOf(name, true);
    for (const stop of seen) assert.ok(contrast(parseHex(stop), [17, 17, 17]) >= 2, `${name} ${stop}`);
    const first = stops.indexOf(seen[0]);
    assert.deepEqual(seen, stops.slice(first, first + seen.length), name);
    assert.ok(seen.length >= 0.6 * stops.length, name);
    assert.equal(stopsOf(name, false), stops);
  }
});

test("a colormap is turned round by _r, and colors of one's own are as they came", () => {
  assert.deepEqual(stopsOf("viridis_r", false), [...COLORMAPS.viridis].reverse());
  assert.deepEqual(stopsOf("RdBu", false), [...COLORMAPS.RdBu_r].reverse());
  assert.deepEqual(stopsOf({ name: "own", stops: ["#000000", "#111111"] }, true), ["#000000", "#111111"]);
});

test("dimmed points can be seen on a dark page and on a light one and stand back behind all others", () => {
  const state = /** @type {any} */ ({
    color: coloring({}),
    traits: { hidden: [], opacity: 1 },
    selection: { n: 1 },
    highlighted: -1,
  });
  for (const page of [17, 255]) {
    const dark = page === 17;
    const { background, dimmed } = styleOf(
      state,
      { background: [page, page, page], foreground: [255 - page, 255 - page, 255 - page], dark },
      255,
    );
    for (const color of stopsOf("viridis", dark)) {
      const seen = /** @type {[number, number, number]} */ (
        parseHex(color).map((one, i) => dimmed * one + (1 - dimmed) * 255 * background[i])
      );
      const found = contrast(seen, [page, page, page]);
      assert.ok(found >= (dark ? 1.3 : 1.15) && found <= 2.1, `${color} ${found}`);
    }
  }
});

test("missing values are hidden by their label", () => {
  const state = (/** @type {string[]} */ hidden) =>
    /** @type {any} */ ({ color: coloring({}), traits: { hidden, opacity: 1 }, selection: { n: 0 }, highlighted: 1 });
  assert.equal(styleOf(state([]), theme, 255).missingColor[3], 1);
  assert.equal(styleOf(state(["(missing)"]), theme, 255).missingColor[3], 0);
  assert.equal(styleOf(state([]), theme, 255).highlighted, 1);
});

test("points are smaller the more there are, and grow with the zoom", () => {
  const plot = { width: 800, height: 600 };
  const sizes = [1, 2_638, 100_000, 1_000_000, 100_000_000].map((n) => automaticSize(n, plot, 1));
  assert.deepEqual(
    sizes,
    [...sizes].sort((a, b) => b - a),
  );
  assert.ok(sizes[0] <= 7 && sizes[4] >= 1);
  assert.ok(automaticSize(1_000_000, plot, 20) > automaticSize(1_000_000, plot, 1));
});

test("sizes are those the kernel draws with", () => {
  const { automatic, crowded } = JSON.parse(
    readFileSync(new URL("../../tests/point_sizes.json", import.meta.url), "utf8"),
  );
  assert.ok(automatic.length > 10 && crowded.length > 5);
  for (const { n, width, height, size } of crowded) {
    assert.ok(Math.abs(crowdedSize(n, width, height) - size) < 1e-5, `${n} cells in ${width} x ${height}`);
  }
  for (const { n, width, height, zoom, size } of automatic) {
    assert.ok(
      Math.abs(automaticSize(n, { width, height }, zoom) - size) < 1e-5,
      `${n} points, ${width} x ${height}, zoom ${zoom}`,
    );
  }
});

test("genes that have a hue each have other colors on a dark page, where those of a greater sum lie above too", () => {
  const corners = [["A", "0 to 2", 1]];
  const color = coloring({
    categories: [],
    colors: ["#102030", "#405060"],
    darkColors: ["#000001", "#aabbcc"],
    corners,
  });
  const traits = /** @type {any} */ ({ cmap: "viridis", hidden: [], opacity: 1 });
  assert.deepEqual([...colorTable(color, traits, false).slice(4, 8)], [64, 80, 96, 255]);
  assert.deepEqual([...colorTable(color, traits, true).slice(4, 8)], [170, 187, 204, 255]);
  assert.deepEqual(cornersOf(color, true), [["A", "0 to 2", "#aabbcc"]]);
  const state = /** @type {any} */ ({ color, traits, selection: { n: 0 }, highlighted: -1, crowd: { weight: 1 } });
  assert.equal(styleOf(state, theme, 255).ranked, true);
  assert.equal(styleOf({ ...state, color: coloring({}) }, theme, 255).ranked, false);
});
