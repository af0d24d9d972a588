/** Where panels lie beside each other: as near to squares as the room lets them be. Pure. */
// Changes with cxg_widget/draw/pages/page.py: the grid of panels.

/** Of the line above each panel. */
export const HEAD_PX = 28;

/** @param {number} n panels @param {number} width px @param {number} height @returns {{columns: number, rows: number}} */
export function gridOf(n, width, height) {
  const all = Array.from({ length: n }, (_, i) => {
    const columns = i + 1;
    const rows = Math.ceil(n / columns);
    const [wide, high] = [width / columns, Math.max(height / rows - HEAD_PX, 1)];
    // What counts is how large a square fits; of two alike the one with fewer empty places.
    return { columns, rows, side: Math.min(wide, high) - (columns * rows - n) };
  });
  return all.reduce((best, one) => (one.side > best.side ? one : best));
}

/** Where a panel lies, as styles of its head and of its plot. @param {number} at its place in the list @param {{columns: number, rows: number}} grid
 * @param {number} [foot] px below them all */
export function placeOf(at, { columns, rows }, foot = 0) {
  const [column, row] = [at % columns, Math.floor(at / columns)];
  const down = (/** @type {number} */ part) => `${100 * part}%${foot > 0 ? ` - ${part * foot}px` : ""}`;
  const [left, top] = [`${(100 * column) / columns}%`, down(row / rows)];
  const [width, height] = [`${100 / columns}%`, down(1 / rows)];
  return {
    head: { left, top: `calc(${top})`, width, height: `${HEAD_PX}px` },
    body: { left, top: `calc(${top} + ${HEAD_PX}px)`, width, height: `calc(${height} - ${HEAD_PX}px)` },
    isFirst: column === 0,
    isLower: row > 0,
  };
}
