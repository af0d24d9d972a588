/**
 * The pixels that points cover. Opaque points of whole pixels cover the same ones whatever their colors: a gene that is zero in
 * most cells is then the picture at hand in the color of zero, and on it the cells where it is not. Pure.
 */

import { SQUARE_PX } from "../wire/constants.js";

/**
 * @typedef {object} Coverage
 * @property {import("../state/scene.js").Positions} points all of them
 * @property {string} place where they are and how large, device px
 */

/** With more entries than this share of the points, drawing all is no slower. */
const FEW = 0.5;

/** What all points of a scene cover; null where that depends on more than their places.
 * @param {import("../state/scene.js").Scene} scene @param {import("../draw/painter.js").PointOptions} options @param {{width: number, height: number, ratio: number}} size
 * @param {boolean} isHiding some are not drawn @returns {Coverage | null} */
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

/** The points that have to be drawn anew where all others have the least value; null if that is not how the cells are colored.
 * @param {import("../state/scene.js").Scene} scene @param {import("../style/point_style.js").Style} style @returns {import("../state/scene.js").Entries | null} */
export function entriesAbove({ color }, { mode, selecting, hasMissing }) {
  if (color === null || color.entries === null || mode !== 2 || selecting || hasMissing) return null;
  const { entries, n } = color;
  return entries.fill === 0 && entries.index.length < FEW * n ? entries : null;
}
