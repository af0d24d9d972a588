/** Pictures drawn in memory by the CPU: slices of points, optionally above the kernel's image of all cells; and their
 * draw loop. */
import { memo } from "../../state/memo.js";
import { colorsFrom, colorTable, isLayered } from "../../style/point_style.js";
import { SQUARE_PX } from "../../wire/constants.js";
import { createBudget } from "../budget.js";
import { createTurns } from "../turns.js";
import { createShades } from "./image.js";
import { inksOf } from "./inks.js";
import { drawPoints } from "./points.js";

/** @typedef {import("../painter.js").PointOptions} PointOptions */
const CODES_8 = 256;
const CODES_16 = 65_536;
const NO_COLORS = new Uint8Array(4 * CODES_8);

/** @param {() => import("../../state/state.js").State} getState @returns {import("../painter.js").Picture} */
export function createCpuPicture(getState) {
  let raster = newRaster(0, 0);
  /** True if some pixels are partly covered: their colors are premultiplied by the opacity. */
  let isSoft = false;
  /** @type {{image: import("../../state/scene.js").CellImage, how: import("../painter.js").ImageOptions} | null} */
  let beneath = null;
  /** @type {(from: unknown[], make: () => Uint8Array) => Uint8Array} */
  const tables = memo();
  /** @type {(from: unknown[], make: () => import("./inks.js").Inks) => import("./inks.js").Inks} */
  const kept = memo();
  const shades = createShades();
  /** Intermediate canvas, to put points over an image. */
  const sheet = document.createElement("canvas");

  /** @param {import("../../style/point_style.js").Style} style @param {number} size codes */
  function inks(style, size) {
    const { color, traits } = getState();
    const table =
      color === null || color.scale === "none"
        ? NO_COLORS
        : tables(colorsFrom(color, traits, style.dark), () => colorTable(color, traits, style.dark));
    return kept([JSON.stringify(style), table, size], () => inksOf(style, table, size));
  }

  /** @param {PointOptions} options @param {Uint8Array | Uint16Array | null} codes @returns {import("./points.js").Brush} */
  function brush({ style, scale, offset, sizePx, sizes = null }, codes) {
    const { width, height } = raster;
    const isRound = sizePx > SQUARE_PX || sizes !== null;
    return {
      inks: inks(style, codes instanceof Uint16Array ? CODES_16 : CODES_8),
      selecting: style.selecting,
      isRanked: isLayered(style) || style.hasMissing,
      place: [
        (scale[0] * width) / 2,
        ((offset[0] + 1) * width) / 2,
        (-scale[1] * height) / 2,
        ((1 - offset[1]) * height) / 2,
      ],
      diameter: Math.max(sizePx, 1),
      sizes,
      isRound,
      opacity: style.opacity,
      leftOutOpacity: style.leftOut[3],
    };
  }

  /** The points drawn so far. */
  function data() {
    const bytes = new Uint8ClampedArray(/** @type {ArrayBuffer} */ (raster.pixels.buffer));
    return new ImageData(isSoft ? straight(bytes) : bytes, raster.width, raster.height);
  }

  /** @param {CanvasRenderingContext2D} context */
  function copyTo(context) {
    if (beneath === null) return context.putImageData(data(), 0, 0);
    const { image, how } = beneath;
    const rect = pixelRect(how.rect, raster);
    context.clearRect(0, 0, raster.width, raster.height);
    context.save();
    context.imageSmoothingEnabled = image.content === "colors";
    context.globalAlpha = how.style.opacity;
    context.drawImage(shades.of(image, inks(how.style, CODES_16), how.style), ...rect);
    context.globalAlpha = 1;
    if (how.isCover) {
      context.beginPath();
      context.rect(0, 0, raster.width, raster.height);
      context.rect(...rect);
      context.clip("evenodd");
    }
    // `putImageData` ignores the clip and overwrites the pixels beneath; `drawImage` of a canvas does neither.
    Object.assign(sheet, { width: raster.width, height: raster.height });
    sheet.getContext("2d")?.putImageData(data(), 0, 0);
    context.drawImage(sheet, 0, 0);
    context.restore();
  }

  return {
    resize(width, height) {
      if (width !== raster.width || height !== raster.height) raster = newRaster(width, height);
    },
    clear() {
      raster.pixels.fill(0);
      raster.ranks.fill(0);
      isSoft = false;
      beneath = null;
    },
    fill({ style }, code) {
      const color = inks(style, CODES_16).rgba[code];
      const { pixels, ranks } = raster;
      for (let at = 0; at < pixels.length; at++) if (pixels[at] !== 0) pixels[at] = color;
      // Points drawn from now on lie above the old ones, whatever their rank (decision 14).
      ranks.fill(0);
    },
    points(how, points, first, count) {
      const made = brush(how, points.codes);
      isSoft ||= made.isRound || made.opacity < 1;
      drawPoints(raster, points, made, first, first + count);
    },
    image(image, how) {
      beneath = { image, how };
    },
    show(canvas) {
      const context = canvas.getContext("2d", { willReadFrequently: true });
      if (context !== null) copyTo(context);
    },
    copyTo,
    free() {
      raster = newRaster(0, 0);
      beneath = null;
    },
  };
}

/** @param {number} width px @param {number} height @returns {import("./points.js").Raster} */
function newRaster(width, height) {
  return { width, height, pixels: new Uint32Array(width * height), ranks: new Uint32Array(width * height) };
}

/** Converts premultiplied to straight alpha. @param {Uint8ClampedArray<ArrayBuffer>} bytes RGBA, premultiplied */
function straight(bytes) {
  const out = bytes.slice();
  for (let at = 0; at < out.length; at += 4) {
    const alpha = out[at + 3];
    // ImageData has straight alpha, while the loops premultiply.
    if (alpha === 0 || alpha === 255) continue;
    for (let channel = 0; channel < 3; channel++) out[at + channel] = (out[at + channel] * 255) / alpha;
  }
  return out;
}

/** @param {number[]} rect left, right, bottom, top in clip space @param {{width: number, height: number}} raster
 * @returns {[number, number, number, number]} px: left, top, width, height */
function pixelRect([left, right, bottom, top], { width, height }) {
  return [
    ((left + 1) * width) / 2,
    ((1 - top) * height) / 2,
    ((right - left) * width) / 2,
    ((top - bottom) * height) / 2,
  ];
}

/** While the user moves the picture, a slice and its copy to the screen must fit one frame; at rest the page must stay
 * responsive. */
const PACES = {
  urgent: { targetMs: 25, fewest: 20_000 },
  soon: { targetMs: 50, fewest: 100_000 },
  rest: { targetMs: 100, fewest: 250_000 },
};
/** Points per millisecond, before the first measurement. */
const RATE = 20_000;

/** @returns {import("../painter.js").Loop} */
export function createCpuLoop() {
  const budget = createBudget(RATE, PACES);
  const turns = createTurns(tick);

  function tick() {
    turns.begin();
    const start = performance.now();
    const { drawing, points } = turns.draw(budget);
    if (drawing.length === 0) return;
    // Excludes the copy to the screen, which takes equally long for any slice.
    budget.record(points, performance.now() - start);
    const isFirst = drawing.map((drawer) => drawer.present()).includes(true);
    if (isFirst || turns.isUrgent()) turns.wake();
    else if (turns.wanting().length > 0) turns.wakeSoon();
  }

  return { wake: turns.wake, wakeSoon: turns.wakeSoon, hurry: tick, join: turns.join };
}
