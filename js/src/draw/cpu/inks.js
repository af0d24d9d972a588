/** Lookup tables of the color and the rank of each code, so that drawing a point takes two look-ups. Pure. */
// Changes with cxg_widget/draw/points/inks.py and js/src/draw/gl/shaders.js: which point lies on top, in which color.
import { MISSING } from "../../wire/protocol.js";

/**
 * @typedef {object} Inks two entries per code: normal points first, then dimmed points; and one last entry for points
 *   that the filters exclude
 * @property {number} size codes; the entries of dimmed points begin here
 * @property {Uint32Array} rgba as four bytes in memory, opaque; 0 = not drawn
 * @property {Uint32Array} rank higher ranks lie on top; at least LOWEST, except for excluded points
 */

/** Lowest ranks, above 0 for an empty pixel: soft edges, points that the filters exclude, and the first of all
 * others. */
export const [EDGE, LEFT_OUT, LOWEST] = [1, 2, 3];
const DIMMED_SPAN = MISSING + 3;

/**
 * @param {import("../../style/point_style.js").Style} style
 * @param {Uint8Array} colors RGBA of categories or of numbers; alpha 0 = hidden
 * @param {number} size 256 or 65,536 codes
 * @returns {Inks}
 */
export function inksOf(style, colors, size) {
  const rgba = new Uint32Array(2 * size + 1);
  const rank = new Uint32Array(2 * size + 1).fill(LEFT_OUT);
  const pure = new Uint32Array(colors.buffer, colors.byteOffset, colors.length / 4);
  const [plain, missing, leftOut] = [pack(style.plain), pack(style.missingColor), pack(style.leftOut)];
  const { mode, ranked, grey, highlighted, selecting } = style;
  for (let code = 0; code < size; code++) {
    const isMissing = mode !== 0 && code === style.missing;
    let color = plain;
    if (isMissing) color = missing;
    else if (mode !== 0) color = code < pure.length ? pure[code] : 0;
    if (color === 0) {
      rgba[code] = rgba[size + code] = leftOut; // hidden in the legend
      continue;
    }
    const isDimmed = highlighted >= 0 && code !== highlighted;
    const isGrey = mode === 2 && code >= grey[0] && code <= grey[1];
    const height = isMissing ? 0 : isGrey ? 1 : ranked ? 2 + code : 2;
    const below = selecting || isDimmed ? dim(color, style) : 0;
    rgba[code] = isDimmed ? below : color;
    rgba[size + code] = below;
    // Every dimmed point lies below every other point, whatever their values.
    rank[code] = LOWEST + height + (isDimmed ? 0 : DIMMED_SPAN);
    rank[size + code] = LOWEST + height;
  }
  rgba[2 * size] = leftOut;
  return { size, rgba, rank };
}

/** @param {import("../../style/point_style.js").Rgba} color 0..1 @returns {number} 0 = hidden */
function pack([red, green, blue, alpha]) {
  return alpha === 0 ? 0 : bytes(red * 255, green * 255, blue * 255);
}

/** Mixes a color with the background. @param {number} color
 * @param {import("../../style/point_style.js").Style} style */
function dim(color, { background, dimmed }) {
  if (color === 0) return 0;
  const mixed = background.map((channel, i) => channel * 255 * (1 - dimmed) + ((color >>> (8 * i)) & 255) * dimmed);
  return bytes(mixed[0], mixed[1], mixed[2]);
}

/** @param {number} red 0..255 @param {number} green @param {number} blue */
function bytes(red, green, blue) {
  return (Math.round(red) | (Math.round(green) << 8) | (Math.round(blue) << 16) | 0xff000000) >>> 0;
}
