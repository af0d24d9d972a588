/** Static pictures: the one a saved notebook keeps, and showing it again where no kernel runs. */

const WIDEST_PX = 1_000;
/** Larger pictures are made smaller: each stays in the notebook. */
const LARGEST_BYTES = 150_000;

/**
 * The picture on a canvas as a PNG file in base64, on its background; null if it cannot be made small enough.
 * @param {HTMLCanvasElement} canvas
 * @param {number} margin left of it and beneath it, px of the canvas
 * @param {number[]} background rgb 0..255
 * @param {(context: CanvasRenderingContext2D) => void} onto draws what lies over the points
 * @returns {Promise<string | null>}
 */
export async function takeStill(canvas, margin, background, onto) {
  for (let scale = Math.min(1, WIDEST_PX / (canvas.width + margin)); scale > 0.1; scale *= 0.6) {
    const blob = await shrink(canvas, margin, background, scale, onto);
    if (blob !== null && blob.size <= LARGEST_BYTES) return toBase64(blob);
  }
  return null;
}

/** @param {HTMLCanvasElement} canvas @param {number} margin @param {number[]} background @param {number} scale @param {(context: CanvasRenderingContext2D) => void} onto
 * @returns {Promise<Blob | null>} */
function shrink(canvas, margin, background, scale, onto) {
  const small = document.createElement("canvas");
  const [width, height] = [canvas.width * scale, canvas.height * scale];
  [small.width, small.height] = [width, height].map((one) => Math.max(1, Math.round(one + margin * scale)));
  const context = /** @type {CanvasRenderingContext2D} */ (small.getContext("2d"));
  context.fillStyle = `rgb(${background})`;
  context.fillRect(0, 0, small.width, small.height);
  context.drawImage(canvas, small.width - width, 0, width, height);
  onto(context);
  return new Promise((resolve) => small.toBlob(resolve, "image/png"));
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

/** @param {{png?: string} | null} snapshot @returns {HTMLImageElement | null} fills its parent, whole */
export function stillImage(snapshot) {
  if (!snapshot?.png) return null;
  const image = document.createElement("img");
  image.alt = "";
  image.src = `data:image/png;base64,${snapshot.png}`;
  image.style.cssText = "position:absolute;inset:0;width:100%;height:100%;object-fit:contain;pointer-events:none";
  return image;
}

/** Hide the pictures that stand in for a widget where no script runs. @param {string} id of the widget's picture @returns {() => void} shows them again */
export function hideStandIns(id) {
  const style = document.createElement("style");
  style.textContent = `.cxg-static-${CSS.escape(id)} { display: none; }`;
  document.head.append(style);
  return () => style.remove();
}
