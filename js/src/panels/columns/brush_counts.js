/** Counts under a moving brush, from running sums over its bins: one subtraction per part of a bar. Pure. */
// Changes with cxg_widget/counts/brush.py: counts while a brush moves.

/**
 * @typedef {import("../../wire/protocol.js").ColumnCounts} Counts
 * @typedef {import("../../wire/protocol.js").BrushSums} Sums
 * @typedef {readonly [number | null, number | null]} Ends of a range of numbers, both included; null = open
 * @typedef {readonly [number, number]} Bins the first bin inside, and the first bin after it that is outside
 */

/** The bins of a range, with its ends moved to the nearest edges. An open range includes one more bin: missing values.
 * @param {Ends} ends @param {number[]} edges @param {boolean} isInteger @returns {Bins} */
export function binsOf([low, high], edges, isInteger) {
  const n = edges.length - 1;
  if (low === null && high === null) return [0, n + 1];
  const above = high !== null && isInteger ? high + 1 : high; // an integer covers the range up to the next one
  return [low === null ? 0 : nearest(edges, low), above === null ? n : nearest(edges, above)];
}

/** @param {number[]} edges ascending @param {number} value @returns {number} index of the nearest edge */
function nearest(edges, value) {
  let [low, high] = [0, edges.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (edges[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low > 0 && value - edges[low - 1] < edges[low] - value ? low - 1 : low;
}

/** The counts of a column under a brush over another column. Rows without sums do not change.
 * @param {Counts} counts @param {Sums} found @param {Bins} bins @param {number} nBins of the brush @returns {Counts} */
export function movedCounts(counts, { rows, groups, width, arrays: { sums } }, [from, to], nBins) {
  if (sums.length === 0) return counts;
  const nParts = groups.length > 0 ? groups.length + 2 : 1;
  const size = (rows.length > 0 ? rows.length : counts.arrays.all.length) * nParts;
  const last = Math.ceil(nBins / width);
  const step = (/** @type {number} */ bin) =>
    bin > nBins ? last + 1 : bin === nBins ? last : Math.min(Math.round(bin / width), last);
  const [low, high] = [size * step(from), size * step(to)];
  const isGrouped = groups.length > 0 && String(groups) === String(counts.groups);
  const filtered = counts.arrays.filtered.slice();
  const grouped = isGrouped ? counts.arrays.grouped.slice() : new Uint32Array();
  for (let at = 0, row = 0; at < size; at += nParts, row++) {
    const code = rows[row] ?? row;
    let sum = 0;
    for (let part = 0; part < nParts; part++) {
      const count = sums[high + at + part] - sums[low + at + part];
      sum += count;
      if (isGrouped) grouped[code * nParts + part] = count;
    }
    filtered[code] = sum;
  }
  return { ...counts, groups: isGrouped ? groups : [], arrays: { ...counts.arrays, filtered, grouped } };
}

/** Number of cells that pass all filters under a brush.
 * @param {Counts} counts of its own column @param {Bins} bins @returns {number} */
export function nPassing({ arrays: { filtered } }, [from, to]) {
  return filtered.subarray(from, to).reduce((sum, count) => sum + count, 0);
}
