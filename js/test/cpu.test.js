import assert from "node:assert/strict";
import test from "node:test";
import { shade } from "../src/draw/cpu/image.js";
import { inksOf } from "../src/draw/cpu/inks.js";
import { drawPoints } from "../src/draw/cpu/points.js";
import { memo } from "../src/state/memo.js";
import { colorTable } from "../src/style/point_style.js";

const WHITE = [1, 1, 1];
const STYLE = {
  mode: /** @type {const} */ (1),
  missing: 255,
  hasMissing: false,
  highlighted: -1,
  selecting: false,
  grey: [0, -1],
  plain: [0, 0, 1, 1],
  missingColor: [0.8, 0.8, 0.8, 1],
  leftOut: [0.9, 0.9, 0.9, 0],
  background: WHITE,
  dimmed: 0.16,
  opacity: 1,
};
const COLORS = new Uint8Array(1024);
for (let i = 0; i < 256; i++) COLORS.set([i, 255 - i, 7, 255], 4 * i);
/** Colors of numbers whose range is that of their codes, between limits. */
const numbersTable = (/** @type {any} */ rule) => {
  const cmap = {
    name: "own",
    stops: Array.from(
      { length: 256 },
      (_, i) => `#${[i, 255 - i, 7].map((one) => one.toString(16).padStart(2, "0")).join("")}`,
    ),
  };
  const coloring = { scale: "continuous", lo: 0, hi: 65_534, least: 1, limits: null, quantiles: [] };
  const traits = { cmap, hidden: [], vmin: null, vmax: null, center: null, scale: "linear", zero: "color", ...rule };
  return colorTable(/** @type {any} */ (coloring), traits, false);
};
const bytes = (color) => [color & 255, (color >>> 8) & 255, (color >>> 16) & 255, color >>> 24];

function random(seed) {
  let state = seed >>> 0;
  return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
}

function pageOf(width, height) {
  return { width, height, pixels: new Uint32Array(width * height), ranks: new Uint32Array(width * height) };
}

function scatter(n, seed, Codes, k) {
  const next = random(seed);
  return {
    n,
    loaded: n,
    xy: Uint16Array.from({ length: 2 * n }, () => (next() < 0.02 ? 65_535 : Math.floor(next() * 65_535))),
    codes: Codes.from({ length: n }, () => Math.floor(next() * k)),
    flags: Uint8Array.from({ length: n }, () => Math.floor(4 * next())),
  };
}

function brushOf(style, size, width, height, diameter, more = {}) {
  // The view holds a part of the codes only, so that points lie beyond every edge.
  const place = [(1.5 * width) / 65_534, -0.2 * width, (1.3 * height) / 65_534, -0.1 * height];
  return {
    inks: inksOf(style, COLORS, size),
    selecting: style.selecting,
    isRanked: false,
    place,
    diameter,
    isRound: false,
    opacity: 1,
    leftOutOpacity: style.leftOut[3],
    ...more,
  };
}

/** Every pixel asks every point whether it covers the pixel's middle. */
function expected({ width, height }, { n, xy, codes, flags }, { inks, selecting, isRanked, place, diameter }) {
  const found = new Uint32Array(width * height);
  const ranks = new Uint32Array(width * height);
  for (let i = 0; i < n; i++) {
    if (xy[2 * i] === 65_535 || xy[2 * i + 1] === 65_535) continue;
    const [x, y] = [xy[2 * i] * place[0] + place[1], xy[2 * i + 1] * place[2] + place[3]];
    const entry = flags[i] & 2 ? 2 * inks.size : codes[i] + (selecting && !(flags[i] & 1) ? inks.size : 0);
    for (let at = 0; at < found.length; at++) {
      const [dx, dy] = [(at % width) + 0.5 - x, Math.floor(at / width) + 0.5 - y];
      if (
        inks.rgba[entry] === 0 ||
        dx < -diameter / 2 ||
        dx >= diameter / 2 ||
        dy < -diameter / 2 ||
        dy >= diameter / 2
      )
        continue;
      if (isRanked && ranks[at] > inks.rank[entry]) continue;
      [found[at], ranks[at]] = [inks.rgba[entry], inks.rank[entry]];
    }
  }
  return found;
}

for (const diameter of [1, 1.4, 2, 3]) {
  test(`a pixel has the color of the last square of ${diameter} px that covers its middle`, () => {
    const [points, page] = [scatter(400, 1, Uint8Array, 9), pageOf(40, 30)];
    const brush = brushOf(STYLE, 256, 40, 30, diameter);
    drawPoints(page, points, brush, 0, 150);
    drawPoints(page, points, brush, 150, 400);
    assert.deepEqual(page.pixels, expected(page, points, brush));
    assert.ok(page.pixels.some((color) => color !== 0) && page.pixels.some((color) => color === 0));
  });

  test(`a pixel has the color of the highest rank, of the last of these, whatever the order, at ${diameter} px`, () => {
    const points = scatter(400, 2, Uint16Array, 65_535);
    const style = { ...STYLE, mode: 2, missing: 65_535, selecting: true };
    const brush = brushOf(style, 65_536, 40, 30, diameter, { isRanked: true });
    const page = pageOf(40, 30);
    drawPoints(page, points, brush, 0, 400);
    assert.deepEqual(page.pixels, expected(page, points, brush));
  });
}

test("filtered-out points and hidden categories are grey below all others, or not drawn", () => {
  const [points, hidden] = [scatter(400, 3, Uint8Array, 9), new Uint8Array(COLORS)];
  hidden.set([0, 0, 0, 0], 4 * 5);
  const grey = { ...STYLE, leftOut: [0.9, 0.9, 0.9, 1] };
  const draw = (/** @type {any} */ style, /** @type {any} */ { codes, flags }, isRanked = true) => {
    const page = pageOf(40, 30);
    const brush = brushOf(style, 256, 40, 30, 2, { isRanked, inks: inksOf(style, hidden, 256) });
    drawPoints(page, { ...points, codes, flags }, brush, 0, 400);
    return page.pixels;
  };
  const [found, alone] = [draw(grey, points), draw(STYLE, points, false)];
  const all = draw(STYLE, { codes: new Uint8Array(400), flags: null });
  assert.deepEqual(
    found.map((color) => Number(color !== 0)),
    all.map((color) => Number(color !== 0)),
  );
  found.forEach((color, i) => alone[i] !== 0 && assert.equal(color, alone[i]));
  const beside = found.filter((color, i) => color !== 0 && alone[i] === 0);
  assert.ok(beside.length > 0);
  for (const color of beside) assert.deepEqual(bytes(color), [230, 230, 230, 255]);
});

test("how opaque grey points are says their own color, that of the others is theirs", () => {
  const page = pageOf(3, 3);
  const points = { n: 1, loaded: 1, xy: new Uint16Array(2), codes: Uint8Array.of(0), flags: Uint8Array.of(2) };
  const style = { ...STYLE, leftOut: [0.9, 0.9, 0.9, 1] };
  drawPoints(
    page,
    points,
    brushOf(style, 256, 3, 3, 1, { place: [0, 1.5, 0, 1.5], opacity: 0.25, isRanked: true }),
    0,
    1,
  );
  assert.deepEqual(bytes(page.pixels[4]), [230, 230, 230, 255]);
});

test("without hidden points each point covers all pixels of its square", () => {
  const page = pageOf(40, 30);
  const points = { n: 1, loaded: 1, xy: Uint16Array.of(100, 100), codes: null, flags: null };
  drawPoints(page, points, brushOf({ ...STYLE, mode: 0 }, 256, 40, 30, 4, { place: [0, 20, 0, 15] }), 0, 1);
  assert.equal(page.pixels.filter((color) => color !== 0).length, 16);
  assert.deepEqual(bytes(page.pixels[15 * 40 + 20]), [0, 0, 255, 255]);
});

test("a disc covers as much as its area, and its color is weighed by it", () => {
  const page = pageOf(60, 60);
  const points = { n: 1, loaded: 1, xy: Uint16Array.of(0, 0), codes: null, flags: null };
  drawPoints(
    page,
    points,
    brushOf({ ...STYLE, mode: 0 }, 256, 60, 60, 20, { place: [0, 30.3, 0, 29.6], isRound: true }),
    0,
    1,
  );
  const ink = page.pixels.reduce((sum, color) => sum + (color >>> 24) / 255, 0);
  assert.ok(Math.abs(ink - Math.PI * 10 ** 2) < 3, String(ink));
  for (const color of page.pixels) assert.equal(bytes(color)[2], color >>> 24); // blue times its opacity
});

for (const [isRanked, opacity] of /** @type {const} */ ([
  [false, 1],
  [true, 1],
  [false, 0.4],
])) {
  const how = `${isRanked ? "by rank" : "in order"}, ${opacity} opaque`;
  test(`points with sizes of their own are drawn as each alone would be, within the limits, ${how}`, () => {
    const [points, next] = [scatter(200, 8, Uint8Array, 9), random(5)];
    const sizes = Uint16Array.from({ length: 200 }, () => Math.floor(next() ** 3 * 65_535)).fill(0, 0, 9);
    const [part, least, most] = [9 / 20_000, 1, 17];
    const [together, apart] = [pageOf(40, 30), pageOf(40, 30)];
    const brush = brushOf(STYLE, 256, 40, 30, 5, { isRanked, opacity, isRound: true, sizes: [part, least, most] });
    drawPoints(together, { ...points, sizes }, brush, 0, 120);
    drawPoints(together, { ...points, sizes }, brush, 120, 200);
    sizes.forEach((size, i) => {
      const diameter = Math.min(Math.max(size * part, least), most);
      const alone = { ...brush, sizes: null, diameter, isRound: diameter > 3 };
      drawPoints(apart, { ...points, sizes: null }, alone, i, i + 1);
    });
    assert.ok([least, most].every((limit) => sizes.some((size) => (size * part - limit) * (limit - 9) > 0)));
    assert.deepEqual(together.pixels, apart.pixels);
  });
}

test("transparent points lie over each other as light does", () => {
  const page = pageOf(3, 3);
  const points = { n: 2, loaded: 2, xy: new Uint16Array(4), codes: Uint8Array.of(0, 255), flags: null };
  drawPoints(page, points, brushOf(STYLE, 256, 3, 3, 1, { place: [0, 1.5, 0, 1.5], opacity: 0.5 }), 0, 2);
  const [red, green, blue, alpha] = bytes(page.pixels[4]);
  const grey = 0.8 * 255;
  const near = (a, b) => assert.ok(Math.abs(a - b) <= 1, `${a} ${b}`);
  near(alpha, 255 * 0.75);
  near(red, grey * 0.5 + 0 * 0.25);
  near(green, grey * 0.5 + 255 * 0.25);
  near(blue, grey * 0.5 + 7 * 0.25);
});

test("draw order: dimmed, missing, values, highlighted on top", () => {
  const numbers = inksOf(
    { ...STYLE, mode: 2, ranked: true, missing: 65_535, selecting: true },
    numbersTable({}),
    65_536,
  );
  assert.ok(numbers.rank[65_535] < numbers.rank[0] && numbers.rank[0] < numbers.rank[65_534]);
  assert.ok(Math.max(...[0, 65_534, 65_535].map((code) => numbers.rank[65_536 + code])) < numbers.rank[65_535]);
  const categories = inksOf({ ...STYLE, highlighted: 3 }, COLORS, 256);
  assert.ok(categories.rank[3] > categories.rank[4] && categories.rank[4] > categories.rank[255]);
  assert.deepEqual(bytes(categories.rgba[3]), [3, 252, 7, 255]);
  assert.deepEqual(
    bytes(categories.rgba[4]),
    [4, 251, 7].map((one) => Math.round(255 * 0.84 + one * 0.16)).concat(255),
  );
});

test("numbers beyond the limits have the colors of the ends, hidden categories none", () => {
  const { rgba } = inksOf({ ...STYLE, mode: 2, missing: 65_535 }, numbersTable({ vmin: 1000, vmax: 2000 }), 65_536);
  assert.deepEqual(
    [0, 1000, 1500, 2000, 60_000].map((code) => bytes(rgba[code])[0]),
    [0, 0, 128, 255, 255],
  );
  const hidden = new Uint8Array(COLORS);
  hidden.set([0, 0, 0, 0], 8);
  assert.equal(inksOf({ ...STYLE, missingColor: [1, 1, 1, 0] }, hidden, 256).rgba[2], 0);
  assert.equal(inksOf({ ...STYLE, missingColor: [1, 1, 1, 0] }, hidden, 256).rgba[255], 0);
});

test("with equal limits higher numbers have the highest color, all others the lowest", () => {
  const { rgba } = inksOf({ ...STYLE, mode: 2, missing: 65_535 }, numbersTable({ vmin: 1000, vmax: 1000 }), 65_536);
  assert.deepEqual(
    [0, 1000, 1001, 65_534].map((code) => bytes(rgba[code])[0]),
    [0, 0, 255, 255],
  );
});

test("grey zeros lie above missing values and under all others, and have the grey in images too", () => {
  const style = { ...STYLE, mode: 2, ranked: true, missing: 65_535, grey: [0, 0], missingColor: [1, 0, 0, 1] };
  const inks = inksOf(style, numbersTable({ zero: "grey" }), 65_536);
  assert.ok(inks.rank[65_535] < inks.rank[0] && inks.rank[0] < inks.rank[1]);
  const [red, green, blue] = bytes(inks.rgba[0]);
  assert.ok(red === green && green === blue && red > 205, "paler than what is missing on a light page");
  assert.deepEqual([...shade(Uint8ClampedArray.of(0, 0, 255, 255), inks)], [red, green, blue, 255]);
  assert.ok(bytes(inks.rgba[1])[2] === 7);
});

test("an image of numbers gets its colors by code and its opacity from the third channel", () => {
  const inks = inksOf({ ...STYLE, mode: 2, missing: 65_535 }, numbersTable({}), 65_536);
  const found = shade(Uint8ClampedArray.of(0, 0, 100, 255, 255, 254, 255, 255, 255, 255, 50, 255, 0, 0, 0, 255), inks);
  assert.deepEqual([...found], [0, 255, 7, 100, 255, 0, 7, 255, 204, 204, 204, 50, 0, 255, 7, 0]);
  const numbers = Uint8ClampedArray.of(255, 255, 1, 255);
  assert.deepEqual([...shade(numbers, inks)], [0, 0, 0, 0]);
  const grey = inksOf({ ...STYLE, mode: 2, missing: 65_535, leftOut: [0.9, 0.9, 0.9, 0.5] }, COLORS, 65_536);
  assert.deepEqual([...shade(numbers, grey)], [230, 230, 230, 255]);
});

test("cached results are recomputed only for other inputs", () => {
  const keep = memo();
  let made = 0;
  const [a, b] = [{}, {}];
  for (const from of [
    [a, 1],
    [a, 1],
    [b, 1],
    [b, 2],
    [b, 2],
  ])
    keep(from, () => ++made);
  assert.equal(made, 3);
});
