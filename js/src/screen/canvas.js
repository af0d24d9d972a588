/** Canvases, on the page and off it, in device px. */

/** @param {number} cssPx @param {number} ratio device px per CSS px @returns {number} */
export function devicePx(cssPx, ratio) {
  return Math.max(1, Math.round(cssPx * ratio));
}

/** A canvas that fills a plot. @returns {HTMLCanvasElement} */
export function createCanvas() {
  const canvas = document.createElement("canvas");
  canvas.className = "cxg-plot";
  canvas.style.cssText = "position:absolute;inset:0;width:100%;height:100%";
  return canvas;
}

/** A canvas to draw on that nobody sees. @param {number} width CSS px @param {number} height @param {number} ratio px per CSS px */
export function blank(width, height, ratio) {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [devicePx(width, ratio), devicePx(height, ratio)];
  return /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
}

/** Give a canvas one pixel for each of the screen's; changing its size clears it.
 * @param {HTMLCanvasElement} canvas @param {{width: number, height: number, ratio: number}} size */
export function fitCanvas(canvas, { width, height, ratio }) {
  // Compared first: setting a width clears a canvas even where it is the same.
  const [w, h] = [devicePx(width, ratio), devicePx(height, ratio)];
  if (canvas.width !== w) canvas.width = w;
  if (canvas.height !== h) canvas.height = h;
  // Stretched by the fraction of a pixel that a layout may leave over, points would blur.
  [canvas.style.width, canvas.style.height] = [`${w / ratio}px`, `${h / ratio}px`];
}

/** @param {HTMLCanvasElement} canvas @returns {Promise<Blob>} */
export function toBlob(canvas) {
  return new Promise((resolve, reject) => {
    canvas.toBlob(
      (blob) => (blob === null ? reject(new Error("the browser could not create a PNG")) : resolve(blob)),
      "image/png",
    );
  });
}
