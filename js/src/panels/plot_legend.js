/** What contours of sets and the difference of two mean: a box at the lower left of the plot, as cxg_widget/draw/plot_legend.py draws it. */
import { safeColor } from "../style/color.js";
import { shortNumber } from "../words/format.js";
import { fitted } from "./placing.js";

/** @typedef {import("../wire/protocol.js").Contours} Contours */
/** @typedef {import("../wire/protocol.js").Difference} Difference */

const [SIZE_PX, LINE_PX, PAD_PX, EDGE_PX, BAR_PX, BAR_HIGH_PX] = [11, 16, 8, 10, 196, 8];
const [DASH_PX, GAP_PX] = [14, 6];
const QUIET = 0.7;

/** @param {CanvasRenderingContext2D} context @param {{contours: Contours | null, difference: Difference | null}} lies @param {string} many what the cells are called
 * @param {import("../screen/camera.js").Camera} camera @param {import("../style/style.js").Theme} theme @param {string} family */
export function paintPlotLegend(context, { contours, difference }, many, camera, { foreground, background }, family) {
  const sets = contours?.sets ?? [];
  const lines = (sets.length > 0 ? sets.length + 1 : 0) + (difference === null ? 0 : 5);
  if (lines === 0) return;
  const high = lines * LINE_PX + 2 * PAD_PX;
  let y = camera.height - EDGE_PX - high;
  context.fillStyle = `rgba(${background},0.88)`;
  context.beginPath();
  context.roundRect(EDGE_PX, y, BAR_PX + 2 * PAD_PX, high, 6);
  context.fill();
  const x = EDGE_PX + PAD_PX;
  y += PAD_PX;
  /** @param {string} text @param {number} at @param {number} line @param {number} room @param {{align?: CanvasTextAlign, weight?: number, quiet?: boolean}} [look] */
  const write = (text, at, line, room, { align = "left", weight = 400, quiet = false } = {}) => {
    context.font = `${weight} ${SIZE_PX}px ${family || "sans-serif"}`;
    Object.assign(context, { textAlign: align, textBaseline: "alphabetic" });
    context.fillStyle = `rgba(${foreground},${quiet ? QUIET : 1})`;
    context.fillText(
      fitted(text, room, (one) => context.measureText(one).width),
      at,
      line + LINE_PX - 4,
    );
  };
  sets.forEach((name, i) => {
    context.fillStyle = safeColor(contours?.colors[i] ?? "");
    context.fillRect(x, y + LINE_PX / 2 - 1, DASH_PX, 2);
    write(name, x + DASH_PX + GAP_PX, y, BAR_PX - DASH_PX - GAP_PX);
    y += LINE_PX;
  });
  if (sets.length > 0) {
    write("lines around 50 % and 90 %", x, y, BAR_PX, { quiet: true });
    y += LINE_PX;
  }
  if (difference === null) return;
  const { sets: two, arrays, limit, least } = difference;
  const [middle, end, half] = [x + BAR_PX / 2, x + BAR_PX, BAR_PX / 2 - GAP_PX];
  write("Denser in, log2 of the ratio", x, y, BAR_PX, { weight: 600 });
  const n = arrays.colors.length / 3;
  for (let px = 0; px < BAR_PX; px++) {
    const at = 3 * Math.round((px / (BAR_PX - 1)) * (n - 1));
    context.fillStyle = `rgb(${arrays.colors.subarray(at, at + 3)})`;
    context.fillRect(x + px, y + LINE_PX + 4, 1, BAR_HIGH_PX);
  }
  write(`−${shortNumber(limit)}`, x, y + 2 * LINE_PX, half);
  write("0", middle, y + 2 * LINE_PX, half, { align: "center" });
  write(shortNumber(limit), end, y + 2 * LINE_PX, half, { align: "right" });
  write(two[1], x, y + 3 * LINE_PX, half);
  write(two[0], end, y + 3 * LINE_PX, half, { align: "right" });
  write(`blank: under ${least} ${many} near`, x, y + 4 * LINE_PX, BAR_PX, { quiet: true });
}
