/** The tiles of points, numbered. A hash table of a million points misses the processor's cache at almost each of them,
 * and a plain table of fine tiles is too large. */
import { memo } from "../state/memo.js";

/** @typedef {{xy: Uint16Array, flags?: Uint8Array | null, n: number}} Points
 * @typedef {{order: Uint32Array | null, tiles: Uint32Array, size: number}} Tiled order: in which to take the points, null
 *   = any; tiles: the number of each point's tile, below size; selected points have tiles of their own */

/** By positions, tiles of two sizes: a recolor finds those of the coloring before, and panels share them.
 * @type {WeakMap<Uint16Array, ReturnType<typeof memo<Tiled>>[]>} */
const KEPT = new WeakMap();

/**
 * @param {Points} points
 * @param {[number, number]} per tiles per code along x and y
 * @param {[number, number]} grid columns and lines of tiles
 * @param {boolean} isDense whether there are few tiles, so that their place in the grid is their number
 * @param {number} [which] of the two sizes to keep; undefined = neither @returns {Tiled}
 */
export function tiledBy(points, per, grid, isDense, which) {
  const { xy, flags, n } = points;
  const make = () => (isDense ? gridOfTiles : orderOfTiles)(points, per, grid);
  if (which === undefined) return make();
  const kept = KEPT.get(xy) ?? [memo(), memo()];
  KEPT.set(xy, kept);
  return kept[which]([flags, n, ...per, isDense], make);
}

/** By their place in the grid. @param {Points} points @param {[number, number]} per @param {[number, number]} grid
 * @returns {Tiled} */
function gridOfTiles({ xy, flags, n }, [perX, perY], [columns, lines]) {
  const tiles = new Uint32Array(n);
  for (let i = 0; i < n; i++)
    tiles[i] = ((flags ? flags[i] & 1 : 0) * columns + ((xy[2 * i] * perX) | 0)) * lines + ((xy[2 * i + 1] * perY) | 0);
  return { order: null, tiles, size: 2 * columns * lines };
}

/** 1..n, column by column. Pure. @param {Points} points @param {[number, number]} per @param {[number, number]} grid
 * @returns {{order: Uint32Array, tiles: Uint32Array, size: number}} */
export function orderOfTiles({ xy, flags, n }, [perX, perY], [columns, lines]) {
  const starts = new Uint32Array(columns + 1);
  for (let i = 0; i < n; i++) starts[Math.floor(xy[2 * i] * perX) + 1]++;
  for (let column = 1; column < columns; column++) starts[column] += starts[column - 1];
  const order = new Uint32Array(n);
  for (let i = 0; i < n; i++) order[starts[Math.floor(xy[2 * i] * perX)]++] = i;
  // From here on, each start is the end of its column.
  const tiles = new Uint32Array(n);
  const latest = new Uint32Array(2 * lines); // per line: the number of its latest tile
  let [last, at] = [0, 0];
  for (let column = 0; column < columns; column++) {
    const before = last; // numbers up to this one belong to earlier columns
    for (; at < starts[column]; at++) {
      const i = order[at];
      const line = (flags ? flags[i] & 1 : 0) * lines + Math.floor(xy[2 * i + 1] * perY);
      if (latest[line] <= before) latest[line] = ++last;
      tiles[i] = latest[line];
    }
  }
  return { order, tiles, size: n + 1 };
}
