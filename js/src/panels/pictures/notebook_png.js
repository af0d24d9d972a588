/** Encodes the picture that is saved in the notebook, as a small PNG. */
import { toBlob } from "../../screen/canvas.js";
import { palettePng } from "./palette_png.js";

const WIDEST_PX = 1_000;
/** Larger pictures are scaled down, because each adds to the notebook's size. */
const LARGEST_BYTES = 150_000;

/** @typedef {import("../../state/state.js").Still} Still */

/**
 * A picture as a PNG file in base64; null if it cannot be made small enough.
 * @param {HTMLCanvasElement | Promise<HTMLCanvasElement>} points
 * @param {(points: HTMLCanvasElement) => HTMLCanvasElement} compose adds axes and legend
 * @returns {Promise<Still | null>}
 */
export async function takeStill(points, compose) {
  const whole = points instanceof HTMLCanvasElement ? points : await points;
  for (let scale = Math.min(1, WIDEST_PX / whole.width); scale > 0.1; scale *= 0.6) {
    const page = compose(shrink(whole, scale));
    const blob = await fileOf(page);
    if (blob.size <= LARGEST_BYTES) return { png: await toBase64(blob), width: page.width, height: page.height };
  }
  return null;
}

/** Encode a picture as RGBA and with a palette, and return the smaller file.
 * @param {HTMLCanvasElement} page @returns {Promise<Blob>} */
async function fileOf(page) {
  const picture = page.getContext("2d")?.getImageData(0, 0, page.width, page.height);
  const [blob, small] = await Promise.all([toBlob(page), picture ? palettePng(picture) : null]);
  return small !== null && small.size < blob.size ? small : blob;
}

/** @param {HTMLCanvasElement} canvas @param {number} scale @returns {HTMLCanvasElement} */
function shrink(canvas, scale) {
  const small = document.createElement("canvas");
  [small.width, small.height] = [
    Math.max(1, Math.round(canvas.width * scale)),
    Math.max(1, Math.round(canvas.height * scale)),
  ];
  small.getContext("2d")?.drawImage(canvas, 0, 0, small.width, small.height);
  return small;
}

/** @param {Blob} blob @returns {Promise<string>} */
function toBase64(blob) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).split(",")[1]);
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
}
