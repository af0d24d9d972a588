/** The place of the tooltip. Pure. */

const GAP_PX = 14;
const EDGE_PX = 6;

/**
 * The tooltip's left and top: below and right of the pointer, on the other side where it would leave the plot; never under the pointer.
 * @param {{x: number, y: number}} pointer @param {{width: number, height: number}} tip @param {{width: number, height: number}} plot
 * @returns {{left: number, top: number}} CSS px, whole
 */
export function placeTooltip(pointer, tip, plot) {
  const left = side(pointer.x, tip.width, plot.width);
  const top = side(pointer.y, tip.height, plot.height);
  const covers = pointer.x > left && pointer.x < left + tip.width && pointer.y > top && pointer.y < top + tip.height;
  return { left: Math.round(left), top: Math.round(covers ? pointer.y - tip.height - GAP_PX : top) };
}

/** @param {number} at @param {number} size @param {number} room @returns {number} */
function side(at, size, room) {
  if (at + GAP_PX + size + EDGE_PX <= room) return at + GAP_PX;
  if (at - GAP_PX - size >= EDGE_PX) return at - GAP_PX - size;
  return Math.max(EDGE_PX, Math.min(room - size - EDGE_PX, at - size / 2));
}
