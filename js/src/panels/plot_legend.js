/** What contours of sets and the difference of two mean: a box at the lower left of a saved picture, as cxg_widget/draw/plot_legend.py draws it. */
import { safeColor } from "../style/color.js";
import { shortNumber } from "../words/format.js";
import { mapColors } from "./difference.js";
import { fitted } from "./placing.js";

/** @typedef {import("../wire/protocol.js").Contours} Contours */
/** @typedef {import("../wire/protocol.js").Difference} Difference */

const [BAR_PX, BAR_HIGH_PX] = [196, 8];
/** Of the plot's width; where that is less than `BAR_PX` the legend is small. */
const WIDEST_SHARE = 0.4;
/** Of text, lines and the space around them; a small legend leaves out what is the same in each. */
const WHOLE = { size: 11, line: 16, pad: 8, edge: 10, isSmall: false };
const SMALL = { size: 10, line: 13, pad: 6, edge: 6, isSmall: true };
const [DASH_PX, GAP_PX] = [14, 6];
/** In less room nothing can be read. */
const LEAST_PX = 60;
const QUIET = 0.7;

/** @param {CanvasRenderingContext2D} context @param {{contours: Contours | null, difference: Difference | null}} lies @param {string} many what the cells are called
 * @param {import("../screen/camera.js").Camera} camera @param {import("../style/style.js").Theme} theme @param {string} family */
export function paintPlotLegend(context, { contours, difference }, many, camera, theme, family) {
  const { foreground, background } = theme;
  const sets = contours?.sets ?? [];
  const wide = Math.min(BAR_PX, Math.round(WIDEST_SHARE * camera.width));
  const { size, line: lineHigh, pad, edge, isSmall } = wide < BAR_PX ? SMALL : WHOLE;
  const nSaid = isSmall ? 0 : 1;
  const lines = (sets.length > 0 ? sets.length + nSaid : 0) + (difference === null ? 0 : 4 + nSaid);
  if (lines === 0 || wide < LEAST_PX) return;
  const high = lines * lineHigh + 2 * pad;
  let y = camera.height - edge - high;
  context.fillStyle = `rgba(${background},0.88)`;
  context.beginPath();
  context.roundRect(edge, y, wide + 2 * pad, high, 6);
  context.fill();
  const x = edge + pad;
  y += pad;
  /** @param {string} text @param {number} at @param {number} line @param {number} room @param {{align?: CanvasTextAlign, weight?: number, quiet?: boolean}} [look] */
  const write = (text, at, line, room, { align = "left", weight = 400, quiet = false } = {}) => {
    context.font = `${weight} ${size}px ${family || "sans-serif"}`;
    Object.assign(context, { textAlign: align, textBaseline: "alphabetic" });
    context.fillStyle = `rgba(${foreground},${quiet ? QUIET : 1})`;
    context.fillText(
      fitted(text, room, (one) => context.measureText(one).width),
      at,
      line + lineHigh - 4,
    );
  };
  sets.forEach((name, i) => {
    context.fillStyle = safeColor(contours?.colors[i] ?? "");
    context.fillRect(x, y + lineHigh / 2 - 1, DASH_PX, 2);
    write(name, x + DASH_PX + GAP_PX, y, wide - DASH_PX - GAP_PX);
    y += lineHigh;
  });
  if (sets.length > 0 && !isSmall) {
    write("lines enclose 50 % and 90 %", x, y, wide, { quiet: true });
    y += lineHigh;
  }
  if (difference === null) return;
  const { sets: two, limit, least } = difference;
  const colors = mapColors(difference, theme);
  const [middle, end, half] = [x + wide / 2, x + wide, wide / 2 - GAP_PX];
  write(isSmall ? "log2 density" : "log2 density ratio", x, y, wide, { weight: 600 });
  const n = colors.length / 3;
  for (let px = 0; px < wide; px++) {
    const at = 3 * Math.round((px / (wide - 1)) * (n - 1));
    context.fillStyle = `rgb(${colors.subarray(at, at + 3)})`;
    context.fillRect(x + px, y + lineHigh + (isSmall ? 1 : 4), 1, BAR_HIGH_PX);
  }
  write(`−${shortNumber(limit)}`, x, y + 2 * lineHigh, half);
  write("0", middle, y + 2 * lineHigh, half, { align: "center" });
  write(shortNumber(limit), end, y + 2 * lineHigh, half, { align: "right" });
  write(two[1], x, y + 3 * lineHigh, half);
  write(two[0], end, y + 3 * lineHigh, half, { align: "right" });
  if (!isSmall) write(`blank: < ${least} ${many} nearby`, x, y + 4 * lineHigh, wide, { quiet: true });
}
