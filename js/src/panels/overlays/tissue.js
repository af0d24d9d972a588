/** Draws the tissue image below the points, at no more than screen resolution, and the scale bar over them. */
// Changes with cxg_widget/draw/overlays/scale_bar.py: the scale bar.
// Changes with cxg_widget/session/streams/tissue.py: parts of the image of a section.
import { toPx, visible } from "../../screen/camera.js";
import { fitCanvas } from "../../screen/canvas.js";

/** @typedef {import("../../wire/protocol.js").Tissue} Answer */
/** @typedef {import("../../screen/camera.js").Camera} Camera */
/** @typedef {{image: ImageBitmap, about: Answer}} Part */

/** How long a view must rest before a part is requested. */
const REST_MS = 200;
const AGAIN_MS = 1_000;
/** Tolerance for rounded numbers. */
const NEARLY = 1e-6;
/** Tolerance of the resolution, because a request has whole px. */
const ROUNDING = 0.01;

/**
 * @param {Pick<import("../../plot/landmarks_loader.js").Site, "element" | "look"> & {store: import("../../state/state.js").Store, client: import("../../wire/client.js").Client}} site
 */
export function createTissue({ element, look, store, client }) {
  const canvas = document.createElement("canvas");
  canvas.className = "cxg-tissue";
  canvas.style.cssText = "position:absolute;inset:0;pointer-events:none";
  canvas.setAttribute("aria-hidden", "true");
  element.prepend(canvas);
  /** @type {Part | null} */
  let part = null;
  let requested = "";
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let isOver = false;

  /** The image to show; "" = none. */
  function wanted() {
    const { traits, points } = store.get();
    return points?.yDown && String(points.axes) === "0,1" ? (traits.tissue ?? "") : "";
  }

  const shown = () => (part !== null && part.about.name === wanted() ? part : null);

  function check() {
    const { camera, size } = look();
    const name = wanted();
    if (isOver || name === "" || camera === null || store.get().link !== "live" || !store.get().isSeen) return;
    const view = visible(camera);
    const held = shown();
    if (held !== null && !lacks(held.about, view, camera.unitsPerPx / size.ratio, held.image.width)) return;
    const [width, height] = [camera.width, camera.height].map((px) => Math.max(1, Math.round(px * size.ratio)));
    const question = { kind: "tissue", panel: 0, name, view: [...view], width, height };
    const key = JSON.stringify(question);
    if (key === requested) return; // already requested
    requested = key;
    void client.ask(question).then(async (answer) => {
      if (isOver) return;
      // another plot's request replaced it
      if (answer === null) return void (requested === key && store.get().error?.of !== "tissue" && again());
      const about = /** @type {Answer} */ (answer[0]);
      const file = answer.map(
        (one) => /** @type {Uint8Array<ArrayBuffer>} */ (/** @type {Answer} */ (one).arrays.jpeg),
      );
      const image = await createImageBitmap(new Blob(file, { type: "image/jpeg" }));
      if (requested !== key || isOver) return image.close();
      part?.image.close();
      part = { image, about };
      // so that everything that follows the state redraws
      store.set({ tissue: { name: about.name, spot: about.spot } });
    });
  }

  function again() {
    requested = "";
    clearTimeout(timer);
    timer = setTimeout(check, AGAIN_MS);
  }

  /** @param {CanvasRenderingContext2D} context @param {Camera} camera */
  function paint(context, camera) {
    const held = shown();
    if (held === null) return;
    const [x0, x1, y0, y1] = held.about.extent;
    const [[left, top], [right, bottom]] = [toPx(camera, x0, y0), toPx(camera, x1, y1)];
    context.save();
    context.globalAlpha = store.get().traits.tissue_opacity;
    context.imageSmoothingEnabled = (right - left) / held.image.width < 4; // zoomed in, show image pixels unsmoothed
    const { outline } = held.about;
    if (outline.length > 0) {
      context.beginPath();
      for (let i = 0; i < outline.length; i += 2) context.lineTo(...toPx(camera, outline[i], outline[i + 1]));
      context.clip();
    }
    context.drawImage(held.image, left, top, right - left, bottom - top);
    context.restore();
  }

  return {
    draw() {
      const { camera, size } = look();
      clearTimeout(timer);
      timer = setTimeout(check, shown() === null ? 0 : REST_MS);
      canvas.hidden = shown() === null;
      if (canvas.hidden || camera === null) return;
      fitCanvas(canvas, size);
      const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
      context.clearRect(0, 0, canvas.width, canvas.height);
      context.save();
      context.scale(size.ratio, size.ratio);
      paint(context, camera);
      context.restore();
    },
    /** Draw the image below a picture of the points. @param {HTMLCanvasElement} points */
    underlay(points) {
      const { camera } = look();
      const context = points.getContext("2d");
      if (camera === null || context === null || shown() === null) return;
      context.save();
      context.setTransform(points.width / camera.width, 0, 0, points.height / camera.height, 0, 0);
      context.globalCompositeOperation = "destination-over";
      paint(context, camera);
      context.restore();
    },
    /** @param {CanvasRenderingContext2D} context @param {Camera} camera @param {import("../../style/point_style.js").Theme} theme @param {string} family */
    paintBar(context, camera, theme, family) {
      const um = shown()?.about.um ?? 0;
      if (um > 0) paintScaleBar(context, um * camera.unitsPerPx, camera, theme, family);
    },
    describe() {
      const held = shown();
      return held === null ? "" : `Tissue image: ${held.about.name}.`;
    },
    destroy() {
      isOver = true;
      clearTimeout(timer);
      part?.image.close();
      canvas.remove();
    },
  };
}

/** Whether a part of an image is too coarse for a view, or does not cover it where the image does.
 * @param {Pick<Answer, "extent" | "whole" | "per_px">} part
 * @param {readonly number[]} view @param {number} unitsPerPx of the screen @param {number} width of the part, px */
export function lacks({ extent, whole, per_px: perPx }, view, unitsPerPx, width) {
  const [y0, y1] = [Math.min(view[2], view[3]), Math.max(view[2], view[3])];
  const seen = [view[0], view[1], y0, y1];
  const beyond = seen.some((edge, i) => {
    const [isLow, other] = [i % 2 === 0, seen[i ^ 1]];
    if (isLow ? other <= whole[i] : other >= whole[i]) return false; // the view is outside the image
    const end = isLow ? Math.max(edge, whole[i]) : Math.min(edge, whole[i]);
    const slack = NEARLY * Math.abs(whole[i] - whole[i ^ 1]);
    return isLow ? extent[i] > end + slack : extent[i] < end - slack;
  });
  if (beyond) return true;
  return perPx > 1 && unitsPerPx * (1 + ROUNDING) < (extent[1] - extent[0]) / width;
}

/** Maximum length of the bar, as a share of the plot's width. */
const SHARE = 0.25;
const [EDGE_PX, PAD_PX, THICK_PX, SIZE_PX, HIGH_PX] = [10, 8, 3, 11, 30];

/** Length in px and text of the scale bar: 1, 2 or 5 times a power of ten.
 * @param {number} umPerPx @param {number} width
 * @returns {[number, string]} */
export function barFor(umPerPx, width) {
  const most = umPerPx * width * SHARE;
  const power = 10 ** Math.floor(Math.log10(most));
  const um = Number((([5, 2, 1].find((one) => one * power <= most * (1 + 1e-9)) ?? 1) * power).toPrecision(1));
  return [um / umPerPx, um >= 1000 ? `${um / 1000} mm` : `${um} µm`];
}

/** @param {CanvasRenderingContext2D} context @param {number} umPerPx @param {import("../../screen/camera.js").Camera} camera
 * @param {import("../../style/point_style.js").Theme} theme @param {string} family */
export function paintScaleBar(context, umPerPx, camera, { foreground, background }, family) {
  // the view is too wide or too narrow for a number
  if (!(umPerPx * camera.width > 0 && umPerPx * camera.width < Infinity)) return;
  const [long, text] = barFor(umPerPx, camera.width);
  context.font = `${SIZE_PX}px ${family || "sans-serif"}`;
  const wide = Math.max(long, context.measureText(text).width) + 2 * PAD_PX;
  const [left, top] = [camera.width - EDGE_PX - wide, camera.height - EDGE_PX - HIGH_PX];
  context.fillStyle = `rgba(${background},0.88)`;
  context.beginPath();
  context.roundRect(left, top, wide, HIGH_PX, 6);
  context.fill();
  Object.assign(context, { fillStyle: `rgb(${foreground})`, textAlign: "center", textBaseline: "alphabetic" });
  context.fillRect(left + (wide - long) / 2, top + HIGH_PX - PAD_PX - 1, long, THICK_PX);
  context.fillText(text, left + wide / 2, top + 15);
}
