/** Pictures of all cells from the kernel as something a canvas draws: those of numbers get their colours here. */
import { once } from "../once.js";
import { MISSING } from "../protocol.js";

/** @typedef {import("../scene.js").Image} Image */

export function createShades() {
  /** @type {(from: unknown[], make: () => Uint8ClampedArray) => Uint8ClampedArray} */
  const read = once();
  /** @type {(from: unknown[], make: () => HTMLCanvasElement) => HTMLCanvasElement} */
  const shaded = once();

  return {
    /** @param {Image} image @param {import("./inks.js").Inks} inks of all codes @returns {CanvasImageSource} */
    of({ bitmap, content }, inks) {
      if (content === "colors") return bitmap;
      return shaded([bitmap, inks], () => {
        const canvas = sheet(bitmap);
        const numbers = read([bitmap], () => pixelsOf(bitmap));
        canvas.getContext("2d")?.putImageData(new ImageData(shade(numbers, inks), bitmap.width, bitmap.height), 0, 0);
        return canvas;
      });
    },
  };
}

/** Turn codes (red and green) with an opacity (blue) into colours. @param {Uint8ClampedArray} numbers RGBA
 * @param {import("./inks.js").Inks} inks @returns {Uint8ClampedArray<ArrayBuffer>} RGBA, straight alpha */
export function shade(numbers, { rgba }) {
  const pixels = new Uint32Array(numbers.length / 4);
  for (let i = 0, at = 0; i < pixels.length; i++, at += 4) {
    const code = (numbers[at] << 8) | numbers[at + 1];
    pixels[i] = (rgba[Math.min(code, MISSING)] & 0x00ffffff) | (numbers[at + 2] << 24);
  }
  return new Uint8ClampedArray(pixels.buffer);
}

/** @param {ImageBitmap} bitmap @returns {Uint8ClampedArray} */
function pixelsOf(bitmap) {
  const context = /** @type {CanvasRenderingContext2D} */ (sheet(bitmap).getContext("2d", { willReadFrequently: true }));
  context.drawImage(bitmap, 0, 0);
  return context.getImageData(0, 0, bitmap.width, bitmap.height).data;
}

/** @param {{width: number, height: number}} size */
function sheet({ width, height }) {
  return Object.assign(document.createElement("canvas"), { width, height });
}
