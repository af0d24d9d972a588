/** The tiles of points, numbered by their first points: who takes the points in order finds new tiles side by side in the
 * processor's cache. A hash table of a million points misses it at almost each, and a table of fine tiles is too large. */
import { memo } from "../state/memo.js";

/** @typedef {{xy: Uint16Array, flags?: Uint8Array | null, n: number}} Points
 * @typedef {{tiles: Uint32Array, size: number, counts?: Uint32Array}} Tiled tiles: the number of each point's tile, below
 *   size; selected points have tiles of their own; counts: see `countsOf` */

/** By positions, tiles of some sizes: a recolor finds those of the coloring before, and panels share them.
 * @type {WeakMap<Uint16Array, ReturnType<typeof memo<Tiled>>[]>} */
const KEPT = new WeakMap();
/** Most places in a grid per point, up to which a table of it is faster. */
const PLACES = 4;

/**
 * @param {Points} points
 * @param {[number, number]} per tiles per code along x and y
 * @param {[number, number]} grid columns and lines of tiles
 * @param {number} [which] of the sizes to keep: 0, 1 of the picture, 2 to 5 of its limits; undefined = none
 * @returns {Tiled}
 */
export function tiledBy(points, per, grid, which) {
  const { xy, flags, n } = points;
  const isDense = grid[0] * grid[1] <= PLACES * n;
  const make = () => (isDense ? gridOfTiles : firstsOfTiles)(points, per, grid);
  if (which === undefined) return make();
  const kept = KEPT.get(xy) ?? [];
  KEPT.set(xy, kept);
  kept[which] ??= memo();
  return kept[which]([flags, n, ...per], make);
}

/** Number of points per tile that the filters do not exclude; kept with the tiles. @param {Tiled} tiled
 * @param {Points} points */
export function countsOf(tiled, { flags, n }) {
  if (tiled.counts) return tiled.counts;
  const counts = new Uint32Array(tiled.size);
  for (let i = 0; i < n; i++) if (!flags || (flags[i] & 2) === 0) counts[tiled.tiles[i]]++;
  tiled.counts = counts;
  return counts;
}

/** 0, 1, ... by a table of the grid.
 * @param {Points} points @param {[number, number]} per @param {[number, number]} grid @returns {Tiled} */
function gridOfTiles({ xy, flags, n }, [perX, perY], [columns, lines]) {
  const tiles = new Uint32Array(n);
  const numbers = new Uint32Array((flags ? 2 : 1) * columns * lines); // by place in the grid, from 1 on; 0 = none yet
  let size = 0;
  for (let i = 0; i < n; i++) {
    const at = ((flags ? flags[i] & 1 : 0) * columns + ((xy[2 * i] * perX) | 0)) * lines + ((xy[2 * i + 1] * perY) | 0);
    tiles[i] = (numbers[at] ||= ++size) - 1;
  }
  return { tiles, size };
}

/** The first point of each tile, found column by column without a table of the grid. Pure. @param {Points} points
 * @param {[number, number]} per @param {[number, number]} grid @returns {Tiled} */
export function firstsOfTiles({ xy, flags, n }, [perX, perY], [columns, lines]) {
  const starts = new Uint32Array(columns + 1);
  for (let i = 0; i < n; i++) starts[((xy[2 * i] * perX) | 0) + 1]++;
  for (let column = 1; column < columns; column++) starts[column] += starts[column - 1];
  const order = new Uint32Array(n);
  for (let i = 0; i < n; i++) order[starts[(xy[2 * i] * perX) | 0]++] = i;
  // From here on, each start is the end of its column.
  const tiles = new Uint32Array(n);
  const firsts = new Uint32Array(2 * lines); // per line: the first point of its latest tile
  const latest = new Int32Array(2 * lines).fill(-1); // per line: the column of its latest tile
  let at = 0;
  for (let column = 0; column < columns; column++) {
    for (; at < starts[column]; at++) {
      const i = order[at];
      const line = (flags ? flags[i] & 1 : 0) * lines + ((xy[2 * i + 1] * perY) | 0);
      if (latest[line] !== column) [latest[line], firsts[line]] = [column, i];
      tiles[i] = firsts[line];
    }
  }
  return { tiles, size: n };
}
