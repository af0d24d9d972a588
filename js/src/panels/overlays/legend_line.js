/** Draws the legend of contours and differences below the plots, as cxg_widget/draw/overlays/legend_line.py does. */
// Changes with cxg_widget/draw/overlays/legend_line.py: the legend of contours and differences.

import { fitCanvas } from "../../screen/canvas.js";
import { safeColor } from "../../style/color.js";
import { ENCLOSED } from "../../wire/constants.js";
import { shortNumber } from "../../words/format.js";
import { describeDifference, mapColors } from "./difference.js";
import { known } from "./landmark_requests.js";
import { fitted } from "./name_places.js";

/**
 * @typedef {import("../../state/state.js").State} State
 * @typedef {import("../../style/point_style.js").Theme} Theme
 *
 * @typedef {object} LegendLines
 * @property {string[][]} sets name and color of each set with contours
 * @property {{place: string, difference: import("../../wire/protocol.js").Difference}[]} differences per embedding;
 *   place "" = one for all
 * @property {string} many plural noun for cells
 *
 * @typedef {object} Piece
 * @property {number} width
 * @property {(x: number, y: number) => void} paint draws the piece from its left end
 * @property {boolean} [isNote] a fixed note, left out if it would need a line of its own
 */

const [SIZE, LINE, PAD, BETWEEN, BESIDE] = [11, 18, 10, 16, 6];
const [DASH_PX, BAR_PX, BAR_HIGH_PX, WIDEST_PX] = [14, 80, 8, 150];
const QUIET = 0.7;

/** The legend of the overlays of all panels.
 * @param {State[]} states in panel order @param {string} many @returns {LegendLines | null} null = no overlays */
export function legendOf(states, many) {
  const contours = states.map((state) => known(state, "contours")).find((one) => one?.sets?.length);
  /** @type {Map<number, LegendLines["differences"][0]>} */
  const places = new Map();
  for (const state of states) {
    const [difference, place] = [known(state, "difference"), state.points?.embedding ?? ""];
    if (difference !== null && !places.has(difference.points_seq))
      places.set(difference.points_seq, { place, difference });
  }
  const found = [...places.values()];
  const isOne = new Set(found.map(({ difference }) => difference.limit)).size < 2;
  const differences = isOne ? found.slice(0, 1).map((one) => ({ ...one, place: "" })) : found;
  const sets = (contours?.sets ?? []).map((name, i) => [name, safeColor(contours?.colors[i] ?? "")]);
  return sets.length + differences.length > 0 ? { sets, differences, many } : null;
}

/** Lay out the lines.
 * @param {CanvasRenderingContext2D} context @param {LegendLines} lines @param {number} width available px
 * @param {Theme} theme @param {string} family
 * @returns {{height: number, paint: (top: number) => void}} height in px of the unscaled context */
export function layOut(context, { sets, differences, many }, width, theme, family) {
  const room = width - 2 * PAD;
  const font = (/** @type {number} */ weight) => `${weight} ${SIZE}px ${family || "sans-serif"}`;
  /** @param {string} text @param {{weight?: number, quiet?: boolean, most?: number}} [look] @returns {Piece} */
  const words = (text, { weight = 400, quiet = false, most = room } = {}) => {
    const widthOf = (/** @type {string} */ one) => context.measureText(one).width;
    context.font = font(weight);
    const fitting = fitted(text, most, widthOf);
    return {
      width: widthOf(fitting),
      paint(x, y) {
        context.font = font(weight);
        Object.assign(context, { textAlign: "left", textBaseline: "alphabetic" });
        context.fillStyle = `rgba(${theme.foreground},${quiet ? QUIET : 1})`;
        context.fillText(fitting, x, y + LINE - 5);
      },
    };
  };
  /** @param {string} color @returns {Piece} */
  const dash = (color) => ({
    width: DASH_PX,
    paint(x, y) {
      context.fillStyle = color;
      context.fillRect(x, y + LINE / 2 - 1, DASH_PX, 2);
    },
  });
  /** @param {Uint8Array} colors @returns {Piece} */
  const bar = (colors) => ({
    width: BAR_PX,
    paint(x, y) {
      for (let px = 0; px < BAR_PX; px++) {
        const at = 3 * Math.round((px / (BAR_PX - 1)) * (colors.length / 3 - 1));
        context.fillStyle = `rgb(${colors.subarray(at, at + 3)})`;
        context.fillRect(x + px, y + (LINE - BAR_HIGH_PX) / 2, 1, BAR_HIGH_PX);
      }
    },
  });
  /** Join pieces in a row to one. @param {Piece[]} pieces @returns {Piece} */
  const together = (pieces) => ({
    width: pieces.reduce((sum, one) => sum + Math.ceil(one.width) + BESIDE, -BESIDE),
    paint(x, y) {
      for (const one of pieces) {
        one.paint(x, y);
        x += Math.ceil(one.width) + BESIDE;
      }
    },
  });
  /** @param {LegendLines["differences"][0]} one @returns {Piece} */
  const denser = ({ place, difference }) => {
    const { limit, sets: names } = difference;
    const heading = words(`log2 density ratio${place && `, ${place}`}`, { weight: 600, most: room / 3 });
    const [low, high] = [`−${shortNumber(limit)}`, shortNumber(limit)].map((one) => words(one, { quiet: true }));
    const ramp = bar(mapColors(difference, theme));
    const taken = together([heading, low, ramp, high]).width + 2 * BESIDE;
    const most = Math.min(WIDEST_PX, (room - taken) / 2);
    return together([heading, words(names[1], { most }), low, ramp, high, words(names[0], { most })]);
  };
  const note = (/** @type {string} */ text) => ({ ...words(text, { quiet: true }), isNote: true });
  const most = Math.min(WIDEST_PX, room / 2 - DASH_PX - BESIDE - BETWEEN);
  const pieces = [
    ...sets.map(([name, color]) => together([dash(color), words(name, { most })])),
    ...(sets.length > 0 ? [note(`lines enclose ${ENCLOSED}`)] : []),
    ...differences.map(denser),
    ...(differences.length > 0 ? [note(`blank: < ${differences[0].difference.least} ${many} nearby`)] : []),
  ];
  let [x, line] = [0, 0];
  const placed = pieces.flatMap((piece) => {
    const fits = x === 0 || x + piece.width <= room;
    if (!fits && piece.isNote) return [];
    if (!fits) [x, line] = [0, line + 1];
    const at = { piece, x: PAD + Math.round(x), line };
    x += piece.width + BETWEEN;
    return [at];
  });
  return {
    height: (line + 1) * LINE + PAD,
    paint: (top) => placed.forEach((one) => one.piece.paint(one.x, top + PAD / 2 + one.line * LINE)),
  };
}

/** Shows the lines on the screen, below the plot or below all panels. @param {HTMLElement} host
 * @returns {{draw: (lines: LegendLines | null, theme: Theme | null) => number, destroy: () => void}} draw returns
 *   the height in px */
export function createLegendLine(host) {
  const canvas = document.createElement("canvas");
  canvas.className = "legend-line";
  canvas.setAttribute("role", "img");
  return {
    draw(lines, theme) {
      const isShown = lines !== null && theme !== null && host.clientWidth > 0;
      canvas.isConnected === isShown || (isShown ? host.append(canvas) : canvas.remove());
      if (!isShown) return 0;
      const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
      const [width, ratio] = [host.clientWidth, window.devicePixelRatio || 1];
      const family = getComputedStyle(host).fontFamily;
      const { height } = layOut(context, lines, width, theme, family);
      fitCanvas(canvas, { width, height, ratio });
      canvas.setAttribute("aria-label", inWords(lines));
      canvas.title = inWords(lines); // shows truncated names in full
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.clearRect(0, 0, width, height);
      layOut(context, lines, width, theme, family).paint(0);
      return height;
    },
    destroy: () => canvas.remove(),
  };
}

/** @param {LegendLines} lines */
function inWords({ sets, differences, many }) {
  const lines = sets.length > 0 ? [`Contours around ${sets.map(([name]) => name).join(", ")}.`] : [];
  return [...lines, ...differences.map((one) => `Difference: ${describeDifference(one.difference, many)}.`)].join(" ");
}
