/**
 * The pixels that points cover. Opaque square points cover the same pixels whatever their colors. For a gene that is
 * zero in most cells, the current picture is then filled with the color of zero, and only the nonzero cells are
 * redrawn. Pure.
 */

import { SQUARE_PX } from "../wire/constants.js";

/**
 * @typedef {object} Coverage
 * @property {import("../state/scene.js").Positions} points all points
 * @property {string} place identifies their transform and size, device px
 */

/** With more entries than this fraction of the points, drawing all points is not slower. */
const FEW = 0.5;

/** Coverage of all points of a scene; null if it depends on more than their places.
 * @param {import("../state/scene.js").Scene} scene @param {import("../draw/painter.js").PointOptions} options @param {{width: number, height: number, ratio: number}} size
 * @param {boolean} isHiding some points are not drawn @returns {Coverage | null} */
export function coverageOf(
  { points, bits, brush },
  { style, scale, offset, sizePx, sizes },
  { width, height, ratio },
  isHiding,
) {
  const isFiltered = bits.passing !== null || brush !== null;
  if (points === null || isFiltered || isHiding || style.opacity < 1 || sizePx > SQUARE_PX || sizes) return null;
  return { points, place: [width, height, ratio, ...scale, ...offset, sizePx].join(" ") };
}

/** @param {Coverage | null} a @param {Coverage | null} b */
export function isSameCoverage(a, b) {
  return a !== null && b !== null && a.points === b.points && a.place === b.place;
}

/** The points to redraw if all others have the lowest value; null if the coloring is of another kind.
 * @param {import("../state/scene.js").Scene} scene @param {import("../style/point_style.js").Style} style @returns {import("../state/scene.js").Entries | null} */
export function entriesAbove({ color }, { mode, selecting, hasMissing }) {
  if (color === null || color.entries === null || mode !== 2 || selecting || hasMissing) return null;
  const { entries, n } = color;
  return entries.fill === 0 && entries.index.length < FEW * n ? entries : null;
}
