/**
 * Crowding: estimates how many cells share a pixel, the number that such a pixel shows, and suitable color limits.
 * The kernel uses the same rules, see draw/points/crowding.py and tests/crowding.json. The rules are pure; the
 * functions at the end apply them to a state.
 */
// Changes with cxg_widget/draw/points/crowding.py: numbers that cells share in a pixel, and limits that suit.

import { scales } from "../screen/camera.js";
import { clamp } from "../screen/clamp.js";
import { memo } from "../state/memo.js";
import { BASIS, BEHIND, COVER, ENDS, FINEST, SOLID_UP_TO, STEPS, WIDER } from "../wire/constants.js";
import { MISSING } from "../wire/protocol.js";
import { isBent, shownAt, tableOf, zeroCode } from "./levels.js";
import { crowdedSize } from "./point_style.js";
import { countsOf, tiledBy } from "./tile_order.js";

const LEVELS = MISSING - 1;

/**
 * @typedef {{xy: Uint16Array, codes: Uint16Array, flags?: Uint8Array | null, n: number, entries?: import("../state/scene.js").Entries | null}} Numbered the
 *   first n of some points; entries: all points whose code is not the fill
 * @typedef {import("../state/state.js").Crowd} Crowd
 * @typedef {[number, number]} Sides along x and y, in codes of positions
 */

/** Solidity of a view: 1 for at most `few` cells, falling to 0 for many more. @param {number} n cells in it
 * @param {number} few */
export function solidityOf(n, few) {
  return few <= 0 ? 0 : clamp(1 - Math.log(Math.max(n, 1) / few) / Math.log(SOLID_UP_TO), 0, 1);
}

/** The weight of the highest number of a pixel, and the minimum number of cells for a mean.
 * @param {number} n cells in the view @param {number} few @param {string} statistic */
export function lawOf(n, few, statistic) {
  const auto = Math.round(STEPS * solidityOf(SOLID_UP_TO ** 2 * n, few)) / STEPS;
  return {
    weight: statistic === "auto" ? auto : Number(statistic === "max"),
    behind: 1 + Math.round((BEHIND - 1) * (1 - solidityOf(SOLID_UP_TO * n, few))),
  };
}

/** Cached results by positions, because panels side by side share them.
 * @type {WeakMap<Uint16Array, Map<string, number>>} */
const COMPUTED = new WeakMap();

/** Mean number of the first n points in the field of a point, including the point; 0 if there are no points.
 * @param {Uint16Array} xy @param {number} n @param {number[]} used sides of the fields, codes @returns {number} */
function pointsAround(xy, n, used) {
  const key = String([n, used]);
  const computed = COMPUTED.get(xy) ?? new Map();
  if (computed.has(key)) return computed.get(key);
  const lines = Math.floor(MISSING / used[1]) + 1;
  const counts = new Uint32Array((Math.floor(MISSING / used[0]) + 1) * lines);
  let [sum, squares] = [0, 0];
  for (let i = 0; i < n; i++) {
    if (xy[2 * i] === MISSING || xy[2 * i + 1] === MISSING) continue;
    const before = counts[Math.floor(xy[2 * i] / used[0]) * lines + Math.floor(xy[2 * i + 1] / used[1])]++;
    // (k + 1) ** 2 - k ** 2 = 2 k + 1: sums the squares without a second pass over the fields.
    squares += 2 * before + 1;
    sum++;
  }
  if (computed.size > 8) computed.clear();
  COMPUTED.set(xy, computed.set(key, squares / Math.max(sum, 1)));
  return computed.get(key);
}

/** Number of cells in a view around a typical cell.
 * @param {Uint16Array} xy @param {number} n of the first points @param {Sides} sides of the view
 * @param {number} share cells that each point represents @param {number} [own] 0: without the cell itself */
export function typicalCells(xy, n, sides, share, own = 1) {
  const used = sides.map((side) => Math.max(side, LEVELS * FINEST));
  const around = Math.max(pointsAround(xy, n, used) + own - 1, 0);
  return share * (sides[0] / used[0]) * (sides[1] / used[1]) * around;
}

/** Mean number of other cells on the area that one cell covers.
 * @param {import("../state/scene.js").Scene} scene @param {import("../state/state.js").State} state
 * @param {number} width of the area, data units @param {number} height */
export function layersOf({ points }, { points: about }, width, height) {
  const n = Math.min(points?.loaded ?? 0, BASIS);
  if (!points || !about || n === 0) return 0;
  const [x0, x1, y0, y1] = about.extent;
  const sides = /** @type {Sides} */ ([(width * LEVELS) / (x1 - x0 || 1), (height * LEVELS) / (y1 - y0 || 1)]);
  return typicalCells(points.xy, n, sides, about.nObs / n, 0);
}

/** Rounds the width of a tile to the nearest half octave, so that zooming seldom creates new tiles, and keeps its
 * aspect ratio.
 * @param {Sides} tile @param {number} [level] half octaves @returns {Sides} */
export function stepped(tile, level = Math.floor(levelOf(tile) + 0.5)) {
  const width = 2 ** (level / 2);
  // `fround`: the ratio must be identical at each zoom step.
  return [Math.max(width, 2), Math.max(width * Math.fround(tile[1] / tile[0]), 1)];
}

/** @param {Sides} tile @returns {number} half octaves */
function levelOf([width]) {
  return 2 * Math.log2(width);
}

/** Sums of codes per tile over some points. Selected points have separate tiles.
 * @param {Numbered} basis @param {Sides} tile
 * @param {boolean} isAll whether the tile of no other point will be requested
 * @param {import("./levels.js").Levels} levels of the codes; with bent levels, numbers are summed instead
 * @param {number} [which] of the sizes of tiles that are kept, see `tiledBy` */
function sumsOf(basis, tile, isAll, levels, which) {
  const { codes, flags, n } = basis;
  const numbers = isBent(levels) ? tableOf(levels) : null;
  const [perX, perY] = tile.map((side) => 1 / side);
  const [columns, lines] = [perX, perY].map((per) => Math.floor(MISSING * per) + 1);
  // At least twice as many slots as points, so that runs of occupied slots stay short.
  const bits = 33 - Math.clz32(n);
  const isDense = 2 * columns * lines <= 2 ** bits;
  const tiled = isAll ? tiledBy(basis, [perX, perY], [columns, lines], which) : null;
  const tiles = tiled?.tiles ?? null;
  const size = tiled?.size ?? (isDense ? 2 * columns * lines : 2 ** bits);
  const keys = new Uint32Array(isDense || tiles ? 0 : size);
  const [sums, peaks] = [new Float64Array(size), new Uint16Array(size)];

  /** @param {number} at @param {number} code */
  function add(at, code) {
    sums[at] += numbers ? numbers[code] : code;
    if (code > peaks[at]) peaks[at] = code;
  }

  /** @param {Numbered} points @param {number} i @param {boolean} [isNew] @returns {number} */
  function tileAt({ xy, flags: of }, i, isNew) {
    if (tiles !== null) return tiles[i];
    const key =
      ((of ? of[i] & 1 : 0) * columns + Math.floor(xy[2 * i] * perX)) * lines + Math.floor(xy[2 * i + 1] * perY);
    if (isDense) return key;
    // Multiplicative hashing by the golden ratio (Knuth, TAOCP 3, 6.4). 0 marks an empty slot, hence key + 1.
    let at = Math.imul(key, 0x9e3779b1) >>> (32 - bits);
    while (keys[at] !== 0 && keys[at] !== key + 1) at = (at + 1) & (size - 1);
    if (isNew) keys[at] = key + 1; // a tile of no point stays empty
    return at;
  }

  const { entries = null } = basis;
  if (tiled !== null && entries?.fill === 0 && !numbers?.[0]) {
    // Of a gene that is zero in most cells only the others are read, per tile in the same order as below.
    const counts = countsOf(tiled, basis).slice();
    for (let k = 0; k < entries.index.length; k++) {
      const i = entries.index[k];
      if (flags && flags[i] & 2) continue;
      const [code, at] = [entries.codes[k], tiled.tiles[i]];
      if (code === MISSING) counts[at]--;
      else add(at, code);
    }
    return { tiles, tileAt, sums, counts, peaks };
  }
  const counts = new Uint32Array(size);
  for (let i = 0; i < n; i++) {
    const code = codes[i];
    if (code === MISSING || (flags && flags[i] & 2)) continue;
    const at = tiles === null ? tileAt(basis, i, true) : tiles[i];
    add(at, code);
    counts[at]++;
  }
  return { tiles, tileAt, sums, counts, peaks };
}

/** Keeps nothing. @type {typeof sumsOf} */
const newSumsOf = (basis, tile, isAll, levels) => sumsOf(basis, tile, isAll, levels);

/**
 * Computes what tiles of points show.
 * @param {Numbered} basis the points that the tiles summarize @param {Sides} tile
 * @param {boolean} isAll whether no other points will be requested
 * @param {number} [zero] the code of 0, which a tile shows only if its value is exactly 0; -1 = none
 * @param {number} [behind] minimum number of points for a mean: if a tile has fewer, a wider tile contributes
 * @param {import("./levels.js").Levels} [levels] of the codes
 * @param {typeof sumsOf} [find] a cache in front of `sumsOf`
 * @returns {(points: Numbered, weight: number, out: Uint16Array, from: number, to: number) => void} writes the number shown for each
 *   point from..to: the mean of its tile at weight 0, the maximum at weight 1; its own number if the tile is empty
 */
export function tilesOf(basis, tile, isAll, zero = -1, behind = 1, levels = [], find = newSumsOf) {
  const { tiles, tileAt, sums, counts, peaks } = find(basis, tile, isAll, levels);
  const meanOf = isBent(levels)
    ? (/** @type {number} */ mean) => shownAt(mean, levels, zero)
    : (/** @type {number} */ mean) => mean;
  const wide = behind > 1 ? find(basis, [WIDER * tile[0], WIDER * tile[1]], isAll, levels, 1) : null;

  /** The number that a tile shows, for the first of its points. @param {number} at @param {Numbered} points
   * @param {number} i @param {number} weight */
  function numberOf(at, points, i, weight) {
    const n = counts[at];
    let mean = meanOf(sums[at] / n);
    if (wide !== null && n < behind) {
      const around = wide.tileAt(points, i);
      mean += (1 - n / behind) * (meanOf(wide.sums[around] / wide.counts[around]) - mean);
    }
    const exact = mean + weight * (peaks[at] - mean);
    const rounded = Math.floor(exact + 0.5);
    return rounded === zero ? zero + Math.sign(exact - zero) : rounded;
  }

  /** Number of each tile, computed for its first point; MISSING = not yet. @type {{of: number, numbers: Uint16Array}} */
  let made = { of: Number.NaN, numbers: new Uint16Array(0) };
  return (points, weight, out, from, to) => {
    if (made.of !== weight) made = { of: weight, numbers: new Uint16Array(counts.length).fill(MISSING) };
    const { numbers } = made;
    const { codes } = points;
    for (let i = from; i < to; i++) {
      const code = codes[i];
      out[i] = code;
      if (code === MISSING) continue;
      const at = tiles === null ? tileAt(points, i) : tiles[i];
      if (numbers[at] === MISSING && counts[at] > 0) numbers[at] = numberOf(at, points, i, weight);
      if (numbers[at] !== MISSING) out[i] = numbers[at];
    }
  };
}

/** Codes of the two color limits, between which most points lie. The upper limit ignores points with the lowest
 * number, which most cells may have, as with a gene. Null if all points have that number.
 * @param {Numbered} basis @param {Sides} tile @param {number} weight @param {number} [behind] @param {ReturnType<typeof createEnds>} [ends]
 * @param {import("./levels.js").Levels} [levels] of the codes, as in `tilesOf`
 * @returns {[number, number] | null} */
export function limitsOf(basis, tile, weight, behind = 1, ends = createEnds(), levels = []) {
  const exact = levelOf(tile);
  const level = Math.floor(exact);
  const [below, above] = [level, level + 1].map((one) =>
    ends(basis, stepped(tile, one), [weight, behind], one, levels),
  );
  const [low, high] = below.map((end, i) => end + (exact - level) * (above[i] - end));
  return low < high ? [low, high] : null;
}

/** Caches the ends of two adjacent levels, which a zoom needs at each step.
 * @returns {(basis: Numbered, tile: Sides, law: [number, number], level: number, levels: import("./levels.js").Levels) => number[]} */
function createEnds() {
  // One cache for even and one for odd levels, because a zoom needs two neighbors at each step (decision 53).
  const kept = [0, 1].map(() => /** @type {ReturnType<typeof memo<number[]>>} */ (memo()));
  return (basis, tile, [weight, behind], level, levels) =>
    kept[level & 1]([basis.xy, basis.codes, basis.n, weight, behind, levels, ...tile], () => {
      const shown = new Uint16Array(basis.n);
      /** @type {typeof sumsOf} */
      const find = (one, sides, isAll, of, which = 0) => sumsOf(one, sides, isAll, of, 2 + 2 * (level & 1) + which);
      tilesOf(basis, tile, true, -1, behind, levels, find)(basis, weight, shown, 0, basis.n);
      return endsOf(shown);
    });
}

/** @param {Uint16Array} codes @returns {number[]} codes of the lower and the upper end */
function endsOf(codes) {
  const counts = new Uint32Array(MISSING);
  let n = 0;
  for (const code of codes) if (code !== MISSING) counts[code]++, n++;
  if (n === 0) return [0, 0];
  const least = counts.findIndex((count) => count > 0);
  const ranked = (/** @type {number} */ rank, /** @type {number} */ from) => {
    let code = from;
    for (let left = rank; left >= counts[code]; code++) left -= counts[code];
    return code;
  };
  const nAbove = n - counts[least];
  const low = ranked(Math.floor(ENDS[0] * (n - 1)), least);
  return [low, nAbove === 0 ? least : ranked(Math.floor(ENDS[1] * (nAbove - 1)), least + 1)];
}

/** @type {Crowd} */
export const ROOMY = { solidity: 1, weight: 1, behind: 1, tile: [1, 1] };

/** Keeps `crowd` of a state and the limits of its coloring up to date.
 * @param {import("../state/scene.js").Scene} scene @param {import("../state/state.js").Store} store */
export function createCrowding(scene, store) {
  /** @type {import("../screen/camera.js").Viewport | null} */
  let viewport = null;
  let made = "";
  const ends = createEnds();

  function check() {
    const { points, color, traits } = store.get();
    if (viewport === null || points === null) return;
    const { camera, ratio, diameter, whole } = viewport;
    const n = Math.min(points.loaded, BASIS);
    const isNumbered = color?.scale === "continuous";
    const known = isNumbered && !color.isStated ? Math.min(n, color.loaded) : 0;
    const far = (traits.limits === "follow" ? null : whole) ?? viewport;
    const { width, height } = camera;
    const looks = [scales(camera), diameter, scales(far.camera), far.diameter];
    const key = JSON.stringify([
      points.seq,
      n,
      known,
      isNumbered && color.seq,
      looks,
      width,
      height,
      ratio,
      traits.statistic,
    ]);
    if (key === made) return;
    made = key;
    const [x0, x1, y0, y1] = points.extent;
    const { nObs, few } = points;
    const share = nObs / Math.max(n, 1);
    const isSmall = nObs <= few;
    const xy = scene.points?.xy ?? new Uint16Array(0);

    /** The crowd of a view. @param {{camera: import("../screen/camera.js").Camera, diameter: number}} look */
    function lookOf({ camera: at, diameter: px }) {
      const units = scales(at);
      const codes = [(units[0] * LEVELS) / (x1 - x0 || 1), (units[1] * LEVELS) / (y1 - y0 || 1)]; // codes per CSS px
      const view = /** @type {Sides} */ ([codes[0] * width, codes[1] * height]);
      const nInside = isSmall
        ? 0
        : n === 0
          ? nObs * view.reduce((part, side) => part * Math.min(side / LEVELS, 1), 1)
          : typicalCells(xy, n, view, share);
      const { weight, behind } = lawOf(nInside, few, traits.statistic);
      const side = Math.max(Math.min(px, crowdedSize(nInside, width * ratio, height * ratio)), 1) / ratio;
      const tile = /** @type {Sides} */ (codes.map((per) => COVER * per * side));
      return { solidity: solidityOf(nInside, few), weight, behind, tile };
    }

    const found = lookOf(viewport);
    const values = /** @type {Uint16Array | null} */ (scene.color?.codes ?? null);
    /** @type {[number, number] | null} */
    let limits = null;
    if (!isSmall && known > 0 && values !== null) {
      const { tile, weight, behind } = lookOf(far);
      const grown = /** @type {Sides} */ (tile.map((one) => one * Math.sqrt(share)));
      limits = limitsOf({ xy, codes: values, n: known }, grown, weight, behind, ends, color?.levels);
    }
    const next = { ...found, tile: isSmall && found.weight === 1 ? ROOMY.tile : found.tile };
    const { crowd: before } = store.get(); // the crowd of the points on the screen
    const crowd = JSON.stringify(next) === JSON.stringify(before) ? before : next;
    store.set({ crowd, ...(isNumbered && !color.statistic ? { color: { ...color, limits } } : {}) });
  }

  const unsubscribe = store.subscribe(check);
  return {
    /** @param {import("../screen/camera.js").Viewport} seen */
    see(seen) {
      viewport = seen;
      check();
    },
    destroy: unsubscribe,
  };
}

/** Caches the sums of the two sizes of tiles: a zoom changes weights at each step, and tiles seldom.
 * @returns {typeof sumsOf} */
function createSums() {
  const kept = [0, 1].map(() => /** @type {ReturnType<typeof memo<ReturnType<typeof sumsOf>>>} */ (memo()));
  return (basis, tile, isAll, levels, which = 0) =>
    kept[which]([basis.xy, basis.codes, basis.flags, basis.n, levels, ...tile], () =>
      sumsOf(basis, tile, isAll, levels, which),
    );
}

/** Caches the numbers that points show where they share pixels; recomputes them when an input changes. */
export function createShared() {
  const shown =
    /** @type {ReturnType<typeof memo<{write: ReturnType<typeof tilesOf>, out: Uint16Array, filled: number}>>} */ (
      memo()
    );
  const sums = createSums();

  /** @param {Numbered & {loaded: number}} points @param {Crowd} crowd
   * @param {number} nCells number of cells that the points represent
   * @param {import("./levels.js").Levels} [levels] of the codes
   * @param {number[]} zoom size of a code relative to one of the crowd */
  return ({ xy, codes, flags, n, loaded, entries }, { weight, behind, tile }, nCells, levels, zoom = [1, 1]) => {
    const basis = loaded < n ? { xy, codes, flags, n: Math.min(loaded, BASIS) } : { xy, codes, flags, n, entries };
    const grown = Math.sqrt(nCells / Math.max(basis.n, 1));
    const sides = stepped([(tile[0] * grown) / zoom[0], (tile[1] * grown) / zoom[1]]);
    const made = shown([xy, codes, flags, basis.n, weight, behind, String(levels), ...sides], () => {
      return {
        write: tilesOf(basis, sides, basis.n === n, levels && zeroCode(levels), behind, levels, sums),
        out: new Uint16Array(n),
        filled: 0,
      };
    });
    made.write({ xy, codes, flags, n }, weight, made.out, made.filled, loaded);
    made.filled = loaded;
    return made.out;
  };
}
