/** A view's picture, drawn by the kernel where the browser has no WebGL 2; the last one is moved along until the next is there. */
import { toPx, visible } from "./camera.js";
import { createCanvas, fitCanvas, toBlob } from "./canvas.js";

/** @typedef {import("./surface_gl.js").Site} Site */

const QUIET_MS = 100;
const MOST_PX = 4_000_000;

/**
 * @param {(view: number[], width: number, height: number, dark: boolean) => Promise<import("./protocol.js").Picture | null>} ask
 * @param {Site} site
 * @returns {import("./surface_gl.js").Surface}
 */
export function createKernelSurface(ask, site) {
  const canvas = createCanvas();
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  /** @type {{image: ImageBitmap, view: number[]} | null} */
  let last = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let version = 0;
  let isAsking = false;
  let isCurrent = false;

  function invalidate() {
    version++;
    isCurrent = false;
    show();
    clearTimeout(timer);
    timer = setTimeout(refresh, QUIET_MS);
  }

  async function refresh() {
    const camera = site.camera();
    if (isAsking || camera === null || !site.isShown() || camera.width === 0) return;
    isAsking = true;
    const asked = version;
    const picture = await order(camera, site.size().ratio).catch(() => null);
    isAsking = false;
    if (picture !== null && version >= 0) {
      last?.image.close();
      last = picture;
      isCurrent = asked === version;
      show();
    }
    if (asked !== version && version >= 0) refresh();
  }

  /** @param {import("./camera.js").Camera} camera @param {number} ratio px per CSS px */
  async function order(camera, ratio) {
    const { width, height } = camera;
    const fitting = Math.min(ratio, Math.sqrt(MOST_PX / (width * height)));
    const view = visible(camera);
    const picture = await ask(view, Math.max(1, Math.round(width * fitting)), Math.max(1, Math.round(height * fitting)), site.theme().dark);
    if (picture === null) return null;
    const image = await createImageBitmap(new Blob([/** @type {Uint8Array<ArrayBuffer>} */ (picture.arrays.png)], { type: "image/png" }));
    return { image, view };
  }

  function frame() {
    return { drawn: last === null ? 0 : (site.state().points?.nObs ?? 0), isComplete: isCurrent };
  }

  function show() {
    const camera = site.camera();
    if (last === null || camera === null) return;
    const { ratio } = site.size();
    fitCanvas(canvas, site.size());
    context.clearRect(0, 0, canvas.width, canvas.height);
    const [left, right, bottom, top] = last.view;
    const [x0, y0] = toPx(camera, left, top);
    const [x1, y1] = toPx(camera, right, bottom);
    context.drawImage(last.image, x0 * ratio, y0 * ratio, (x1 - x0) * ratio, (y1 - y0) * ratio);
    site.onFrame(frame());
  }

  return {
    canvas,
    invalidate,
    frame,
    async png(scale) {
      const camera = site.camera();
      const picture = camera && (await order(camera, scale));
      if (!isCurrent) invalidate(); // its own question may have given way
      if (!picture) throw new Error("the kernel drew no picture");
      const page = document.createElement("canvas");
      [page.width, page.height] = [picture.image.width, picture.image.height];
      page.getContext("2d")?.drawImage(picture.image, 0, 0);
      return toBlob(page);
    },
    destroy() {
      version = -Infinity;
      clearTimeout(timer);
      last?.image.close();
      canvas.remove();
    },
  };
}
