/** Creates canvases, on and off the page, with sizes in device px. */

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

/** The context of a new canvas off the page. @param {number} width CSS px @param {number} height
 * @param {number} ratio px per CSS px */
export function blank(width, height, ratio) {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [devicePx(width, ratio), devicePx(height, ratio)];
  return /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
}

/** Gives a canvas one pixel per device pixel; changing its size clears it.
 * @param {HTMLCanvasElement} canvas @param {{width: number, height: number, ratio: number}} size */
export function fitCanvas(canvas, { width, height, ratio }) {
  // Compared first: setting the width clears a canvas even if it stays the same.
  const [w, h] = [devicePx(width, ratio), devicePx(height, ratio)];
  if (canvas.width !== w) canvas.width = w;
  if (canvas.height !== h) canvas.height = h;
  // An exact CSS size: a layout may add a fraction of a pixel, and stretching the canvas would blur points.
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
