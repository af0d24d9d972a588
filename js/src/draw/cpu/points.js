/**
 * Loops that draw points into pixels in memory, 20 times as fast as software GL. A square covers a pixel if it
 * contains its center; squares include their left and upper edge. Pure.
 */
// Changes with cxg_widget/draw/points/discs.py: which pixels a point covers.
import { SQUARE_PX } from "../../wire/constants.js";
import { EDGE, LEFT_OUT } from "./inks.js";

/** Mask of every second of the four channels of a color, and one half in each channel to round their products. */
const [PAIR, HALVES] = [0xff00ff, 0x800080];

/**
 * @typedef {object} Raster
 * @property {number} width px
 * @property {number} height
 * @property {Uint32Array} pixels width * height, RGBA in memory, premultiplied
 * @property {Uint32Array} ranks of the points on top, per pixel; 0: empty
 *
 * @typedef {object} Brush
 * @property {import("./inks.js").Inks} inks
 * @property {boolean} selecting points without a flag are dimmed
 * @property {boolean} isRanked ranks, not the order of points alone, decide which lies on top
 * @property {[number, number, number, number]} place px = code * place[0] + place[1] from the left,
 *   code * place[2] + place[3] from the top
 * @property {number} diameter px
 * @property {[number, number, number] | null} sizes see `PointOptions`; null: all have this diameter
 * @property {boolean} isRound some points are discs
 * @property {number} opacity
 * @property {number} leftOutOpacity of points that the filters exclude
 */

/** Draws the points from first to last, last excluded. @param {Raster} raster
 * @param {import("../sources.js").PointArrays} points @param {Brush} brush
 * @param {number} first @param {number} last */
export function drawPoints(raster, points, brush, first, last) {
  // Three plain loops, chosen once per slice: a million squares take 16 to 23 ms, or 37 ms with ranks (decision 22).
  if (brush.isRound || (brush.isRanked && brush.opacity < 1)) drawSoft(raster, points, brush, first, last);
  else if (brush.isRanked) drawRanked(raster, points, brush, first, last);
  else drawSquares(raster, points, brush, first, last);
}

/** Draws squares, later ones on top. @type {typeof drawPoints} */
function drawSquares(
  { width, height, pixels },
  { xy, codes, flags },
  { inks: { rgba }, place, diameter, opacity },
  first,
  last,
) {
  const [scaleX, shiftX, scaleY, shiftY] = cornered(place, diameter);
  const share = (opacity * 256 + 0.5) | 0;
  const one = rgba[0];
  for (let i = first; i < last; i++) {
    const a = xy[2 * i];
    const b = xy[2 * i + 1];
    const x = a * scaleX + shiftX;
    const y = b * scaleY + shiftY;
    const right = x + diameter;
    const bottom = y + diameter;
    if (!(right > 0 && x < width && bottom > 0 && y < height) || a === 65_535 || b === 65_535) continue;
    const color = codes === null ? one : rgba[codes[i]];
    if (color === 0 || (flags !== null && (flags[i] & 2) !== 0)) continue;
    // For numbers from 0 on, truncation equals the floor and is faster than Math.floor.
    const x0 = x < 0 ? 0 : x | 0;
    const x1 = right > width ? width : right | 0;
    const end = (bottom > height ? height : bottom | 0) * width;
    for (let line = (y < 0 ? 0 : y | 0) * width; line < end; line += width) {
      for (let at = line + x0; at < line + x1; at++) pixels[at] = share > 255 ? color : blend(pixels[at], color, share);
    }
  }
}

/** Draws opaque squares, higher ranks on top. @type {typeof drawPoints} */
function drawRanked(
  { width, height, pixels, ranks },
  { xy, codes, flags },
  { inks, selecting, place, diameter },
  first,
  last,
) {
  const [scaleX, shiftX, scaleY, shiftY] = cornered(place, diameter);
  const { rgba, rank: rankOf, size } = inks;
  for (let i = first; i < last; i++) {
    const a = xy[2 * i];
    const b = xy[2 * i + 1];
    const x = a * scaleX + shiftX;
    const y = b * scaleY + shiftY;
    const right = x + diameter;
    const bottom = y + diameter;
    if (!(right > 0 && x < width && bottom > 0 && y < height) || a === 65_535 || b === 65_535) continue;
    const flag = flags === null ? 0 : flags[i];
    let code = codes === null ? 0 : codes[i];
    if ((flag & 2) !== 0) code = 2 * size;
    else if (selecting && (flag & 1) === 0) code += size;
    const color = rgba[code];
    if (color === 0) continue;
    const rank = rankOf[code];
    const x0 = x < 0 ? 0 : x | 0;
    const x1 = right > width ? width : right | 0;
    const end = (bottom > height ? height : bottom | 0) * width;
    for (let line = (y < 0 ? 0 : y | 0) * width; line < end; line += width) {
      for (let at = line + x0; at < line + x1; at++) {
        if (ranks[at] > rank) continue;
        ranks[at] = rank;
        pixels[at] = color;
      }
    }
  }
}

/** Draws discs with a soft edge, and transparent points. With ranks, edges lie at the back: otherwise they would hide
 * lower points that are drawn later. @type {typeof drawPoints} */
function drawSoft(raster, points, brush, first, last) {
  const { width, height, pixels, ranks } = raster;
  const { xy, codes, flags } = points;
  const { inks, selecting, isRanked, place, opacity, leftOutOpacity } = brush;
  const [scaleX, shiftX, scaleY, shiftY] = place;
  const sizes = brush.sizes && points.sizes;
  const [part, least, most] = brush.sizes ?? [0, 0, 0];
  let { diameter } = brush;
  for (let i = first; i < last; i++) {
    if (sizes) diameter = Math.min(Math.max(sizes[i] * part, least), most);
    const isRound = diameter > SQUARE_PX;
    const radius = isRound ? (diameter + 1) / 2 : diameter / 2;
    const a = xy[2 * i];
    const b = xy[2 * i + 1];
    const x = a * scaleX + shiftX;
    const y = b * scaleY + shiftY;
    if (
      !(x + radius > 0 && x - radius < width && y + radius > 0 && y - radius < height) ||
      a === 65_535 ||
      b === 65_535
    )
      continue;
    const flag = flags === null ? 0 : flags[i];
    let code = codes === null ? 0 : codes[i];
    if ((flag & 2) !== 0) code = 2 * inks.size;
    else if (selecting && (flag & 1) === 0) code += inks.size;
    const color = inks.rgba[code];
    if (color === 0) continue;
    const rank = inks.rank[code];
    const solid = rank === LEFT_OUT ? leftOutOpacity : opacity;
    const x0 = Math.max(Math.floor(x - radius + 0.5), 0);
    const x1 = Math.min(Math.floor(x + radius + 0.5), width);
    const y0 = Math.max(Math.floor(y - radius + 0.5), 0);
    const y1 = Math.min(Math.floor(y + radius + 0.5), height);
    for (let line = y0; line < y1; line++) {
      for (let column = x0; column < x1; column++) {
        const coverage = isRound ? coverageAt(column + 0.5 - x, line + 0.5 - y, radius) : 1;
        if (coverage === 0) continue;
        const at = line * width + column;
        if (isRanked) {
          const height_ = coverage < 1 ? EDGE : rank;
          if (ranks[at] > height_) continue;
          ranks[at] = height_;
        }
        pixels[at] = coverage * solid === 1 ? color : blend(pixels[at], color, (coverage * solid * 256 + 0.5) | 0);
      }
    }
  }
}

/** Fraction of a pixel that a disc covers. @param {number} dx px from the center of the disc to that of the pixel
 * @param {number} dy @param {number} radius */
function coverageAt(dx, dy, radius) {
  const square = dx * dx + dy * dy;
  if (square >= radius * radius) return 0;
  if (square <= (radius - 1) * (radius - 1) && radius > 1) return 1;
  return Math.min(radius - Math.sqrt(square), 1);
}

/** Blends two colors, two channels at a time: their products fit side by side in 32 bits.
 * @param {number} below premultiplied @param {number} above opaque @param {number} share of the upper color, 0..256
 * @returns {number} premultiplied */
function blend(below, above, share) {
  const rest = 256 - share;
  const even = Math.imul(above & PAIR, share) + Math.imul(below & PAIR, rest) + HALVES;
  const odd = Math.imul((above >>> 8) & PAIR, share) + Math.imul((below >>> 8) & PAIR, rest) + HALVES;
  return (((even >>> 8) & PAIR) | (odd & ~PAIR)) >>> 0;
}

/** Transform from codes to the first pixel of a square, before truncation.
 * @param {Brush["place"]} place @param {number} side px @returns {Brush["place"]} */
function cornered([scaleX, shiftX, scaleY, shiftY], side) {
  return [scaleX, shiftX - side / 2 + 0.5, scaleY, shiftY - side / 2 + 0.5];
}
