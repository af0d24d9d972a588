/** Converts images of all cells to a source that a canvas draws; images of numbers get their colors here. */
// Changes with cxg_widget/session/pictures/portrait.py: colors of an image of numbers.
import { memo } from "../../state/memo.js";
import { isDimming } from "../../style/point_style.js";
import { LEFT_OUT_ALPHA, MISSING } from "../../wire/protocol.js";

/** @typedef {import("../../state/scene.js").CellImage} Image */

export function createShades() {
  /** @type {(from: unknown[], make: () => Uint8ClampedArray) => Uint8ClampedArray} */
  const pixels = memo();
  /** @type {(from: unknown[], make: () => HTMLCanvasElement) => HTMLCanvasElement} */
  const shaded = memo();

  return {
    /** @param {Image} image @param {import("./inks.js").Inks} inks of all codes @param {import("../../style/point_style.js").Style} style
     * @returns {CanvasImageSource} */
    of({ bitmap, content }, inks, style) {
      const isColored = content === "colors";
      if (isColored && !isDimming(style)) return bitmap;
      return shaded([bitmap, inks], () => {
        const canvas = sheet(bitmap);
        const read = pixels([bitmap], () => pixelsOf(bitmap));
        const made = isColored ? grounded(read, style.background) : shade(read, inks);
        canvas.getContext("2d")?.putImageData(new ImageData(made, bitmap.width, bitmap.height), 0, 0);
        return canvas;
      });
    },
  };
}

/** Converts codes (red and green) with an opacity (blue) to colors; dimmed pixels get the colors of dimmed points.
 * @param {Uint8ClampedArray} numbers RGBA @param {import("./inks.js").Inks} inks
 * @returns {Uint8ClampedArray<ArrayBuffer>} RGBA, straight alpha */
export function shade(numbers, { size, rgba }) {
  // One element per pixel: bytes lie in memory as RGBA, so alpha is the highest byte.
  const pixels = new Uint32Array(numbers.length / 4);
  for (let i = 0, at = 0; i < pixels.length; i++, at += 4) {
    const code = Math.min((numbers[at] << 8) | numbers[at + 1], MISSING);
    const alpha = numbers[at + 2];
    const dimmed = alpha > 0 && alpha < 255 ? rgba[size + code] : 0;
    if (alpha === LEFT_OUT_ALPHA) pixels[i] = rgba[2 * size];
    else pixels[i] = dimmed || (rgba[code] & 0x00ffffff) | (alpha << 24);
  }
  return new Uint8ClampedArray(pixels.buffer);
}

/** Puts a background color behind all drawn pixels. @param {Uint8ClampedArray} pixels RGBA, straight alpha
 * @param {number[]} ground 0..1
 * @returns {Uint8ClampedArray<ArrayBuffer>} */
export function grounded(pixels, ground) {
  const out = new Uint8ClampedArray(pixels);
  for (let at = 0; at < out.length; at += 4) {
    const share = pixels[at + 3] / 255;
    if (share === 0) continue;
    for (let i = 0; i < 3; i++) out[at + i] = pixels[at + i] * share + 255 * ground[i] * (1 - share);
    out[at + 3] = 255;
  }
  return out;
}

/** @param {ImageBitmap} bitmap @returns {Uint8ClampedArray} */
function pixelsOf(bitmap) {
  // Keeps the canvas in memory: reading pixels back from the graphics card is slow.
  const context = /** @type {CanvasRenderingContext2D} */ (
    sheet(bitmap).getContext("2d", { willReadFrequently: true })
  );
  context.drawImage(bitmap, 0, 0);
  return context.getImageData(0, 0, bitmap.width, bitmap.height).data;
}

/** @param {{width: number, height: number}} size */
function sheet({ width, height }) {
  return Object.assign(document.createElement("canvas"), { width, height });
}
