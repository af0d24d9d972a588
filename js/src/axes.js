/**
 * What the axes measure, where each has a unit of its own: a name and round numbers in the margin of the plot, along its bottom
 * and its left edge. Laid out once, for the screen and for pictures that are saved.
 */
import { visible } from "./camera.js";
import { make } from "./svg.js";
import { ticksBetween } from "./ticks.js";

/**
 * @typedef {"x" | "y"} Axis
 * @typedef {object} Mark words at the edge, in CSS px from the top left of the plot; those of y are read from below
 * @property {Axis} axis
 * @property {string} text
 * @property {number} x of the baseline
 * @property {number} y
 * @property {"middle" | "end"} anchor
 *
 * @typedef {{names: Mark[], numbers: Mark[], ticks: [number, number, number, number][]}} Layout ticks: x and y of both ends
 */

/** @type {Layout} */
const NOTHING = { names: [], numbers: [], ticks: [] };
const FONT_PX = 11;
/** Of a character, on average; what is not known before it is drawn needs no canvas to be measured on. */
const CHARACTER_PX = 6.2;
const TICK_PX = 3;
/** From the edge to the baseline of what is written along the bottom, and along the left edge. */
const BASELINE_PX = { x: 5, y: 13 };
/** What is kept free at the ends: the other axis, the buttons at the top, the edge on the right. */
const START_PX = { x: 18, y: 20 };
const END_PX = { x: 6, y: 44 };
/** Between two numbers, and how far apart they are at least. */
const GAP_PX = 22;
const APART_PX = 60;
/** In a smaller plot the words would lie on the points. */
const LEAST_PX = 160;
/** A name takes no more of its axis than this. */
const LONGEST_NAME = 0.5;
const HALO_PX = 3;

/**
 * Where to write what.
 * @param {import("./camera.js").Camera | null} camera @param {string[]} names of x and y; none where they share their units
 * @returns {Layout}
 */
export function layoutAxes(camera, names) {
  if (camera === null || names.length === 0 || Math.min(camera.width, camera.height) < LEAST_PX) return NOTHING;
  const [left, right, bottom, top] = visible(camera);
  const parts = [alongAxis("x", names[0], left, right, camera), alongAxis("y", names[1], bottom, top, camera)];
  return { names: parts.flatMap((one) => one.names), numbers: parts.flatMap((one) => one.numbers), ticks: parts.flatMap((one) => one.ticks) };
}

/** @param {Axis} axis @param {string} name @param {number} from @param {number} to data units at its ends @param {import("./camera.js").Camera} camera
 * @returns {Layout} */
function alongAxis(axis, name, from, to, { width, height }) {
  const length = axis === "x" ? width : height;
  const free = length - START_PX[axis] - END_PX[axis];
  const text = shortened(name, free * LONGEST_NAME);
  const end = length - END_PX[axis];
  const numbersEnd = text === "" ? end : end - widthOf(text) - GAP_PX;
  /** @param {string} words @param {number} along px from the start of the axis @param {Mark["anchor"]} anchor @returns {Mark} */
  const mark = (words, along, anchor) => {
    const [x, y] = axis === "x" ? [along, height - BASELINE_PX.x] : [BASELINE_PX.y, height - along];
    return { axis, text: words, x, y, anchor };
  };
  /** @type {Layout} */
  const laid = { names: text === "" ? [] : [mark(text, end, "end")], numbers: [], ticks: [] };
  for (const { value, text: number } of ticksBetween(from, to, length, (one) => Math.max(widthOf(one) + GAP_PX, APART_PX))) {
    const along = ((value - from) / (to - from)) * length;
    laid.ticks.push(axis === "x" ? [along, height, along, height - TICK_PX] : [0, height - along, TICK_PX, height - along]);
    const half = widthOf(number) / 2;
    if (along - half >= START_PX[axis] && along + half <= numbersEnd) laid.numbers.push(mark(number, along, "middle"));
  }
  return laid;
}

/** @param {string} text @returns {number} CSS px, about */
function widthOf(text) {
  return [...text].length * CHARACTER_PX;
}

/** @param {string} text @param {number} mostPx @returns {string} */
function shortened(text, mostPx) {
  const letters = [...text];
  const most = Math.floor(mostPx / CHARACTER_PX);
  return letters.length <= most ? text : `${letters.slice(0, Math.max(0, most - 1)).join("").trimEnd()}…`;
}

/** The axes on the screen. */
export function createAxes() {
  const element = make("svg", { width: "100%", height: "100%", role: "img" });
  element.style.cssText = "position:absolute;inset:0;overflow:hidden;pointer-events:none";
  const lines = make("path", { fill: "none", "stroke-width": "1" });
  const groups = { x: make("g", { class: "axis x" }), y: make("g", { class: "axis y" }) };
  const style = { "font-size": String(FONT_PX), "paint-order": "stroke", "stroke-width": String(HALO_PX), "stroke-linejoin": "round" };
  for (const group of Object.values(groups)) for (const [key, value] of Object.entries(style)) group.setAttribute(key, value);

  /** @param {Axis} axis @param {Mark[]} marks @param {string} kind */
  function write(axis, marks, kind) {
    const group = groups[axis];
    const old = [...group.querySelectorAll(`.${kind}`)];
    marks.forEach((mark, i) => {
      const text = old[i] ?? group.appendChild(make("text", { class: kind }));
      const [x, y] = [mark.x.toFixed(1), mark.y.toFixed(1)];
      const place = { x, y, "text-anchor": mark.anchor, ...(axis === "y" ? { transform: `rotate(-90 ${x} ${y})` } : {}) };
      for (const [key, value] of Object.entries(place)) text.setAttribute(key, value);
      if (text.textContent !== mark.text) text.textContent = mark.text;
    });
    old.slice(marks.length).forEach((one) => one.remove());
  }

  return {
    element,
    /** @param {Layout} layout @param {string[]} said names of x and y, in full */
    draw({ names, numbers, ticks }, said) {
      if (names.length + ticks.length === 0) return element.replaceChildren();
      if (element.childElementCount === 0) element.append(lines, groups.x, groups.y);
      element.setAttribute("aria-label", `Horizontal axis: ${said[0]}. Vertical axis: ${said[1]}.`);
      lines.setAttribute("d", ticks.map(([x0, y0, x1, y1]) => `M${x0.toFixed(1)} ${y0.toFixed(1)}L${x1.toFixed(1)} ${y1.toFixed(1)}`).join(""));
      for (const axis of /** @type {Axis[]} */ (["x", "y"])) {
        write(axis, names.filter((mark) => mark.axis === axis), "name");
        write(axis, numbers.filter((mark) => mark.axis === axis), "number");
      }
    },
    /** @param {import("./style.js").Theme} theme */
    setTheme(theme) {
      const { words, line, ground } = inks(theme);
      lines.setAttribute("stroke", line);
      for (const group of Object.values(groups)) group.setAttribute("fill", words), group.setAttribute("stroke", ground);
    },
  };
}

/**
 * The axes onto a picture.
 * @param {CanvasRenderingContext2D} context @param {number} scale px of the picture per CSS px @param {Layout} layout
 * @param {import("./style.js").Theme} theme @param {string} family of the font
 */
export function paintAxes(context, scale, { names, numbers, ticks }, theme, family) {
  const { words, line, ground } = inks(theme);
  context.save();
  context.scale(scale, scale);
  context.font = `${FONT_PX}px ${family || "sans-serif"}`;
  Object.assign(context, { strokeStyle: line, lineWidth: 1, lineJoin: "round" });
  context.beginPath();
  for (const [x0, y0, x1, y1] of ticks) context.moveTo(x0, y0), context.lineTo(x1, y1);
  context.stroke();
  Object.assign(context, { fillStyle: words, strokeStyle: ground, lineWidth: HALO_PX });
  for (const { axis, text, x, y, anchor } of [...names, ...numbers]) {
    context.save();
    context.translate(x, y);
    if (axis === "y") context.rotate(-Math.PI / 2);
    context.textAlign = anchor === "middle" ? "center" : "end";
    context.strokeText(text, 0, 0);
    context.fillText(text, 0, 0);
    context.restore();
  }
  context.restore();
}

/** The panels' quiet colours. @param {import("./style.js").Theme} theme */
function inks({ foreground, background }) {
  const mixed = (/** @type {number} */ share) => `rgb(${foreground.map((one, i) => Math.round(share * one + (1 - share) * background[i]))})`;
  return { words: mixed(0.7), line: mixed(0.5), ground: `rgb(${background})` };
}
