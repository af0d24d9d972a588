import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { createSources } from "../src/draw/sources.js";
import {
  createShared,
  lawOf,
  layersOf,
  limitsOf,
  solidityOf,
  stepped,
  tilesOf,
  typicalCells,
} from "../src/style/crowding.js";
import { styleOf } from "../src/style/point_style.js";

const CASES = JSON.parse(readFileSync(new URL("../../tests/crowding.json", import.meta.url), "utf8"));
const near = (/** @type {any} */ a, /** @type {any} */ b) =>
  assert.ok(Math.abs(a - b) <= 1e-6 * Math.max(1, Math.abs(b)), `${a} is not ${b}`);
const pair = (/** @type {any} */ a, /** @type {any} */ b) => [0, 1].forEach((i) => near(a[i], b[i]));

const points = (/** @type {any} */ { xy, codes }, flags = null) => ({
  xy: Uint16Array.from(xy.flat()),
  codes: Uint16Array.from(codes),
  flags,
  n: codes.length,
  loaded: codes.length,
});

test("the kernel takes as many cells for few", () => {
  for (const { n, few, solidity, weight, behind } of CASES.solidity) {
    near(solidityOf(n, few), solidity);
    assert.deepEqual(lawOf(n, few, "auto"), { weight, behind });
  }
});

test("the kernel shows the same numbers between the same limits", () => {
  for (const one of CASES.shared) {
    const all = points(one);
    pair(stepped(one.tile), one.stepped);
    const shown = new Uint16Array(all.n);
    tilesOf(all, stepped(one.tile), true, -1, one.behind)(all, one.weight, shown, 0, all.n);
    assert.deepEqual([...shown], one.shown);
    pair(limitsOf(all, one.tile, one.weight, one.behind), one.limits);
    near(typicalCells(all.xy, all.n, one.sides, one.nCells / all.n), one.typical);
  }
});

test("the kernel finds as many cells on each other, and draws points as opaque", () => {
  for (const { xy, nCells, spot, layers } of CASES.layers) {
    const points = { xy: Uint16Array.from(xy.flat()), n: xy.length, loaded: xy.length };
    const state = /** @type {any} */ ({ points: { nObs: nCells, extent: [0, 65_534, 0, 65_534] } });
    const scene = (change = {}) => /** @type {any} */ ({ points: { ...points, ...change } });
    near(layersOf(scene(), state, spot[0], spot[1]), layers);
    assert.equal(layersOf(scene({ loaded: 0 }), state, spot[0], spot[1]), 0);
  }
  const theme = { background: [255, 255, 255], foreground: [0, 0, 0], dark: false };
  const color = { scale: "categorical", categories: ["a"], colors: ["#ff0000"] };
  const state = (change = {}, traits = {}) =>
    /** @type {any} */ ({
      color,
      traits: { hidden: [], filtered: "hide", opacity: null, ...traits },
      selection: { n: 0 },
      filter: { n: null },
      highlighted: -1,
      crowd: { weight: 1 },
      ...change,
    });
  for (const { layers, opacity } of CASES.opacity) {
    near(styleOf(state(), theme, 255, layers).opacity, opacity);
    near(styleOf(state({ color: null }), theme, 255, layers).opacity, opacity);
  }
  const grey = { filtered: "grey", hidden: ["a"] };
  for (const [change, traits] of [
    [{ selection: { n: 3 } }],
    [{ highlighted: 0 }],
    [{ color: { ...color, scale: "continuous" } }],
    [{ color: { ...color, corners: ["#000000"] } }],
    [{}, grey],
  ])
    assert.equal(styleOf(state(change, traits), theme, 255, 5).opacity, 1);
  assert.equal(styleOf(state({}, { opacity: 0.5 }), theme, 255, 5).opacity, 0.5);
});

test("too many tiles to cache are distinguished too", () => {
  const xy = Array.from({ length: 2_000 }, (_, i) => [(i * 7_919) % 65_535, (i * 104_729) % 65_535]);
  const codes = xy.map((_, i) => (i * 31) % 65_000);
  const all = points({ xy: [...xy, ...xy], codes: [...codes, ...codes.map((code) => code + 100)] });
  const shown = new Uint16Array(all.n);
  tilesOf(all, [2, 1], true)(all, 0, shown, 0, all.n);
  assert.deepEqual(
    [...shown.subarray(0, 2_000)],
    codes.map((code) => code + 50),
  );
});

test("tiles of some points contain only these, whichever points are requested", () => {
  const place = (/** @type {number} */ i, /** @type {number} */ by) => Math.floor(((i * by) % 4_096) / 5) * 5;
  const all = points({
    xy: Array.from({ length: 3_000 }, (_, i) => [place(i, 7_919), place(i, 104_729)]),
    codes: Array.from({ length: 3_000 }, (_, i) => (i * 37) % 60_000),
  });
  const n = 600;
  for (const isAll of [false, true]) {
    /** @type {Map<string, number[]>} */
    const found = new Map();
    const tileOf = (/** @type {number} */ i) => `${all.xy[2 * i] >> 4} ${all.xy[2 * i + 1] >> 3}`;
    const last = isAll ? all.n : n;
    for (let i = 0; i < last; i++) found.set(tileOf(i), [...(found.get(tileOf(i)) ?? []), all.codes[i]]);
    const shown = new Uint16Array(all.n);
    tilesOf({ ...all, n: last }, [16, 8], isAll)(all, 0, shown, 0, all.n);
    const expected = Array.from(all.codes, (code, i) => {
      const inside = found.get(tileOf(i));
      return inside ? Math.floor(inside.reduce((sum, one) => sum + one, 0) / inside.length + 0.5) : code;
    });
    assert.deepEqual([...shown], expected);
  }
});

test("selected points share their numbers among themselves", () => {
  const flags = Uint8Array.of(1, 0, 1, 0);
  const all = points(
    {
      xy: [
        [10, 10],
        [10, 10],
        [11, 11],
        [11, 11],
      ],
      codes: [0, 100, 50, 300],
    },
    /** @type {any} */ (flags),
  );
  for (const tile of /** @type {[number, number][]} */ ([
    [32, 32],
    [4_096, 4_096],
  ])) {
    const shown = new Uint16Array(4);
    tilesOf(all, tile, true)(all, 0, shown, 0, 4);
    assert.deepEqual([...shown], [25, 200, 25, 200]);
  }
});

test("results are cached while nothing changes, and extended as points arrive", () => {
  const shared = createShared();
  const crowd = { solidity: 0, weight: 0, behind: 1, tile: /** @type {[number, number]} */ ([64, 64]) };
  const all = points({
    xy: [
      [1, 1],
      [2, 2],
      [500, 500],
    ],
    codes: [10, 20, 40],
  });
  const first = shared(all, crowd, 3);
  assert.deepEqual([...first], [15, 15, 40]);
  assert.equal(shared(all, crowd, 3), first);
  assert.notEqual(shared(all, { ...crowd, weight: 0.5 }, 3), first);
  assert.deepEqual([...shared(all, { ...crowd, weight: 1 }, 3)], [20, 20, 40]);
});

test("a moving frame computes only the numbers of the points it draws, a frame at rest all of them", () => {
  const [n, few] = [1_000, 30];
  const codes = Uint16Array.from({ length: n }, (_, i) => i);
  const xy = Uint16Array.from({ length: 2 * n }, (_, i) => (i * 7919) % 65_000);
  const scene = {
    points: { n, loaded: n, xy },
    color: { codes, loaded: n, n, lo: 0, hi: 1 },
    flags: null,
    cells: null,
    detail: null,
  };
  const crowd = { solidity: 0, weight: 0, behind: 1, tile: [2_000, 2_000] };
  const state = { crowd, color: scene.color, points: { nObs: n, nPoints: n } };
  const sources = createSources(/** @type {any} */ (scene), () => /** @type {any} */ (state));
  const moving = sources.of("base", few);
  assert.deepEqual([moving.loaded, moving.codes?.length], [few, few]);
  const whole = sources.of("base");
  assert.deepEqual([whole.loaded, whole.codes?.length], [n, n]);
  assert.notDeepEqual([...(whole.codes ?? [])], [...codes]);
});

test("a tile shows zero only if all that is in it comes to zero", () => {
  const xy = [
    [0, 0],
    [0, 1],
    [0, 2],
    [0, 3],
    [900, 0],
    [900, 1],
  ];
  for (const [other, shown] of [
    [11, 11],
    [9, 9],
  ]) {
    const all = points({ xy, codes: [10, 10, 10, other, 10, 10] });
    const out = new Uint16Array(all.n);
    tilesOf(all, [100, 100], true, 10)(all, 0, out, 0, all.n);
    assert.deepEqual([...out], [shown, shown, shown, shown, 10, 10]);
  }
});

test("a recolor finds the tiles of the coloring before, unless other points are selected", () => {
  const n = 5_000;
  const xy = Uint16Array.from({ length: 2 * n }, (_, i) => (i * 7_919) % 60_000);
  const coloring = (/** @type {number} */ of, flags = null) => ({
    xy,
    codes: Uint16Array.from({ length: n }, (_, i) => (i * of) % 1_000),
    flags,
    n,
    loaded: n,
  });
  const crowd = { solidity: 0, weight: 0, behind: 20, tile: /** @type {[number, number]} */ ([2_000, 3_000]) };
  const selected = /** @type {any} */ (Uint8Array.from({ length: n }, (_, i) => i & 1));
  const [truth, ofSelected] = [coloring(11), coloring(11, selected)].map((one) =>
    createShared()({ ...one, xy: xy.slice() }, crowd, n).slice(),
  );
  const shared = createShared();
  shared(coloring(3), crowd, n);
  const places = xy.slice();
  xy.fill(0); // nobody reads them again
  assert.deepEqual(shared(coloring(11), crowd, n), truth);
  xy.set(places);
  assert.deepEqual(shared(coloring(11, selected), crowd, n), ofSelected);
  assert.notDeepEqual(ofSelected, truth);
});

test("a sparse gene shows the same numbers as one whose zeros are sent, selected, filtered and missing cells included", () => {
  const n = 6_000;
  const xy = Uint16Array.from({ length: 2 * n }, (_, i) => (i * 7_919) % 60_000);
  const index = Uint32Array.from({ length: n / 8 }, (_, k) => 8 * k + (k % 5));
  const values = Uint16Array.from(index, (i) => (i % 97 === 0 ? 65_535 : 1 + ((i * 31) % 60_000)));
  const codes = new Uint16Array(n);
  index.forEach((i, k) => (codes[i] = values[k]));
  const some = Uint8Array.from({ length: n }, (_, i) => ((i * 13) % 7 === 0 ? 1 : 0) | ((i * 5) % 11 === 0 ? 2 : 0));
  for (const flags of [null, some])
    for (const [side, weight, behind] of [
      [64, 0, 1],
      [2_000, 0.5, 20],
      [9_000, 1, 36],
    ]) {
      const own = { xy: xy.slice(), codes, flags, n, loaded: n };
      const crowd = { solidity: 0, weight, behind, tile: /** @type {[number, number]} */ ([side, 1.5 * side]) };
      for (const levels of [
        [0, 5],
        [0, 5, 0, 0.1],
      ]) {
        const whole = createShared()(own, crowd, n, levels).slice();
        const sparse = createShared()({ ...own, entries: { fill: 0, index, codes: values } }, crowd, n, levels);
        assert.deepEqual(sparse, whole);
      }
    }
});
