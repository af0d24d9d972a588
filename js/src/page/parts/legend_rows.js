/** Rows of the legend: the listed categories, their order, and the rows to draw at a scroll position. Pure. */

/** Height of one row, CSS px. */
export const ROW_PX = 24;
const SPARE_ROWS = 6;

/**
 * Indices of the categories to list.
 * @param {string[]} categories @param {number[]} counts empty = not known yet @param {string} filter
 * @param {boolean} byCount largest first; else in the original order
 * @returns {number[]}
 */
export function listed(categories, counts, filter, byCount) {
  const wanted = filter.trim().toLowerCase();
  const rows = [];
  for (let i = 0; i < categories.length; i++) {
    if (wanted === "" || categories[i].toLowerCase().includes(wanted)) rows.push(i);
  }
  return byCount && counts.length > 0 ? rows.sort((a, b) => counts[b] - counts[a] || a - b) : rows;
}

/**
 * The rows to draw: the visible rows and a few more on each side.
 * @param {number} nRows @param {number} scrollPx @param {number} heightPx @returns {{start: number, stop: number}}
 */
export function windowOf(nRows, scrollPx, heightPx) {
  const first = Math.floor(scrollPx / ROW_PX);
  const inSight = Math.ceil(heightPx / ROW_PX) + 1;
  const stop = Math.min(nRows, Math.max(0, first) + inSight + SPARE_ROWS);
  return { start: Math.max(0, Math.min(first - SPARE_ROWS, stop - inSight)), stop };
}

/** Scroll position at which a row is visible. @param {number} row @param {number} scrollPx @param {number} heightPx
 * @returns {number} */
export function scrollTo(row, scrollPx, heightPx) {
  const top = row * ROW_PX;
  if (top < scrollPx) return top;
  return Math.max(scrollPx, top + ROW_PX - heightPx);
}

/**
 * The row to which a key moves; null for other keys.
 * @param {string} key @param {number} row -1 = none yet @param {number} nRows @param {number} page rows per page @returns {number | null}
 */
export function rowAfterKey(key, row, nRows, page = 10) {
  const last = nRows - 1;
  /** @type {Record<string, number>} */
  const targets = {
    ArrowDown: row + 1,
    ArrowUp: row < 0 ? last : row - 1,
    PageDown: row + page,
    PageUp: row - page,
    Home: 0,
    End: last,
  };
  return key in targets ? Math.max(0, Math.min(last, targets[key])) : null;
}
