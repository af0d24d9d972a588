/** Draws the volcano plot: points, axes, cut-offs and marked genes. */
import { layoutAxes, paintAxes } from "../../plot/axes.js";
import { toPx } from "../../screen/camera.js";
import { inkOf } from "../../style/color.js";
import { boxPx } from "./volcano_scale.js";

/** @typedef {import("./result.js").Found} Found */
/** @typedef {import("./volcano_scale.js").Placed} Placed */
/** @typedef {import("../../page/theme.js").Theme} Theme */
/** @typedef {CanvasRenderingContext2D} Pen */

/** Margins left of the field and below it, for the axes. */
export const MARGIN_PX = 33;
/** Point size: smaller if there are many points. */
const MANY = 6_000;
const RADIUS_PX = { few: 2.4, many: 1.8 };
const FAINT = 0.28;
/** Maximum number of names beside points. */
const NAMED = 10;
const FONT_PX = 11;

/** Higher in a, higher in b: blue and vermilion, safe for color-blind readers; lighter on dark pages. */
export const COLORS = { light: ["#0072b2", "#d55e00"], dark: ["#56b4e9", "#f0a04b"] };

/**
 * Draw the points, the axes and the cut-off lines.
 * @param {Pen} pen in device px @param {number} ratio device px per CSS px @param {Found} found @param {Placed} there @param {Uint8Array} keep 1 = listed
 * @param {{fold: number | null, p: number | null}} cuts
 * @param {{names: string[], theme: Theme, family: string}} look names: of the axes
 */
export function paintField(pen, ratio, found, there, keep, cuts, { names, theme, family }) {
  const { camera } = there;
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.clearRect(0, 0, pen.canvas.width, pen.canvas.height);
  paintAxes(pen, ratio, layoutAxes(camera, names, MARGIN_PX), theme, family);
  pen.setTransform(ratio, 0, 0, ratio, MARGIN_PX * ratio, 0);
  paintLines(pen, found, camera, cuts, theme);
  const radius = found.n > MANY ? RADIUS_PX.many : RADIUS_PX.few;
  const { statistic } = found.columns;
  const [a, b] = COLORS[theme.dark ? "dark" : "light"];
  pen.setTransform(1, 0, 0, 1, MARGIN_PX * ratio, 0);
  const dots = [inkOf(theme, FAINT), inkOf(theme, 0.6), a, b].map((ink) => dotOf(ink, radius * ratio));
  // Listed genes are drawn on top. A listed gene that is higher on neither side has the text color of the page.
  for (const isOnTop of [0, 1]) {
    for (let i = 0; i < found.n; i++) {
      if (keep[i] !== isOnTop || Number.isNaN(there.x[i]) || Number.isNaN(there.y[i])) continue;
      const dot = dots[isOnTop === 0 ? 0 : statistic[i] > 0 ? 2 : statistic[i] < 0 ? 3 : 1];
      const half = dot.width / 2;
      pen.drawImage(dot, Math.round(there.x[i] * ratio - half), Math.round(there.y[i] * ratio - half));
    }
  }
}

/** A sprite of one point, drawn once and copied to each gene. @param {string} ink @param {number} radius device px */
function dotOf(ink, radius) {
  const dot = document.createElement("canvas");
  dot.width = dot.height = 2 * Math.ceil(radius) + 2;
  const pen = /** @type {Pen} */ (dot.getContext("2d"));
  pen.fillStyle = ink;
  pen.globalAlpha = 0.75;
  pen.arc(dot.width / 2, dot.width / 2, radius, 0, 2 * Math.PI);
  pen.fill();
  return dot;
}

/** @param {Pen} pen @param {Found} found @param {import("../../screen/camera.js").Camera} camera @param {{fold: number | null, p: number | null}} cuts
 * @param {Theme} theme */
function paintLines(pen, found, camera, cuts, theme) {
  const { width, height } = camera;
  Object.assign(pen, { strokeStyle: inkOf(theme, 0.5), lineWidth: 1 });
  pen.setLineDash([3, 3]);
  pen.beginPath();
  const upright = (/** @type {number} */ at) => {
    const x = Math.round(toPx(camera, at, 0)[0]) + 0.5;
    pen.moveTo(x, 0), pen.lineTo(x, height);
  };
  if (found.hasFold && cuts.fold !== null) for (const at of [-cuts.fold, cuts.fold]) upright(at);
  if (cuts.p !== null) {
    const y = Math.round(toPx(camera, 0, -Math.log10(cuts.p))[1]) + 0.5;
    pen.moveTo(0, y), pen.lineTo(width, y);
  }
  pen.stroke();
  pen.setLineDash([]);
  pen.strokeStyle = inkOf(theme, 0.2);
  pen.beginPath();
  upright(0);
  pen.stroke();
}

/**
 * Draw the marks over the points: names, rings around the hovered and the chosen gene, the brush.
 * @param {Pen} pen @param {number} ratio @param {Found} found @param {Placed} there
 * @param {{named: number[], ringed: number[], box: import("./gene_order.js").Box | null}} marked
 * @param {{theme: Theme, family: string}} look
 */
export function paintMarks(pen, ratio, found, there, { named, ringed, box }, { theme, family }) {
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.clearRect(0, 0, pen.canvas.width, pen.canvas.height);
  pen.setTransform(ratio, 0, 0, ratio, MARGIN_PX * ratio, 0);
  Object.assign(pen, { font: `${FONT_PX}px ${family || "sans-serif"}`, lineJoin: "round" });
  const ink = inkOf(theme, 1);
  if (box !== null) {
    const [left, top, width, height] = boxPx(there.camera, box);
    const ink = `rgb(${theme.accent})`;
    Object.assign(pen, { fillStyle: ink, strokeStyle: ink, lineWidth: 1, globalAlpha: 0.1 });
    pen.fillRect(left, top, width, height);
    pen.globalAlpha = 1;
    pen.strokeRect(left + 0.5, top + 0.5, width, height);
  }
  Object.assign(pen, { strokeStyle: ink, lineWidth: 1.5 });
  for (const i of ringed) {
    if (Number.isNaN(there.x[i]) || Number.isNaN(there.y[i])) continue;
    pen.beginPath();
    pen.arc(there.x[i], there.y[i], 5, 0, 2 * Math.PI);
    pen.stroke();
  }
  Object.assign(pen, { fillStyle: ink, strokeStyle: `rgb(${theme.background})`, lineWidth: 3 });
  for (const { text, x, y } of labels(pen, found, there, [...new Set([...ringed, ...named])])) {
    pen.strokeText(text, x, y);
    pen.fillText(text, x, y);
  }
}

/** Place names without overlap, in order of priority.
 * @param {Pen} pen @param {Found} found @param {Placed} there @param {number[]} genes */
function labels(pen, found, { camera, x, y }, genes) {
  /** @type {{text: string, x: number, y: number, width: number}[]} */
  const put = [];
  for (const i of genes) {
    if (Number.isNaN(x[i]) || Number.isNaN(y[i])) continue;
    const text = found.names[i];
    const width = pen.measureText(text).width;
    const isLeft = x[i] + 8 + width > camera.width;
    const place = { text, width, x: isLeft ? x[i] - 8 - width : x[i] + 8, y: Math.max(y[i] + 4, FONT_PX) };
    const isFree = put.every(
      (one) => Math.abs(one.y - place.y) > FONT_PX + 2 || one.x > place.x + width || one.x + one.width < place.x,
    );
    if (isFree && place.x > 0) put.push(place);
    if (put.length >= NAMED) break;
  }
  return put;
}
