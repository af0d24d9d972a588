/** The tiles of points, numbered column by column. A hash table of a million points misses the processor's cache at
 * almost each of them, and a plain table of fine tiles is too large. Pure. */

/**
 * @param {{xy: Uint16Array, flags?: Uint8Array | null, n: number}} points
 * @param {[number, number]} per tiles per code along x and y
 * @param {[number, number]} grid columns and lines of tiles
 * @returns {{order: Uint32Array, tiles: Uint32Array}} order: the points, column by column; tiles: the number of each
 *   point's tile, 1..n; selected points have tiles of their own
 */
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
  return { order, tiles };
}
