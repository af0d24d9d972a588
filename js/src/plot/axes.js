/** Axes of a plot: names and ticks below and to the left, with one layout for the screen and for saved pictures. */
// Changes with cxg_widget/draw/pages/axes.py: axes.
import { visible } from "../screen/camera.js";
import { make, makeLayer, set } from "../screen/svg.js";
import { ticksBetween } from "../screen/ticks.js";
import { inkOf } from "../style/color.js";
import { FAINT_INK, QUIET_INK } from "../wire/constants.js";

/**
 * @typedef {"x" | "y"} Axis
 * @typedef {object} Mark a text beside an edge, in CSS px from the top left of plot and margin; texts of y run upward
 * @property {Axis} axis
 * @property {string} text
 * @property {number} x of the middle of the baseline
 * @property {number} y
 *
 * @typedef {{names: Mark[], numbers: Mark[], lines: [number, number, number, number][]}} Layout lines: x and y of both ends
 */

/** @type {Layout} */
const NOTHING = { names: [], numbers: [], lines: [] };
const FONT_PX = 11;
/** Average width of a character: an estimate saves measuring on a canvas. */
const CHARACTER_PX = 6.2;
const TICK_PX = 4;
/** Margin left of the plot and below it for ticks, numbers and names. */
const MARGIN_PX = 33;
/** Distance from the edge of the plot to the baseline of the texts of each axis. */
const NUMBER_PX = { x: 15, y: 7 };
const NAME_PX = { x: 29, y: 21 };
/** Gap between two numbers, and minimum distance of two ticks. */
const GAP_PX = 22;
const APART_PX = 60;
/** Smaller plots have no axes: the points need the space. */
const LEAST_PX = 160;

/**
 * Width of the margin for axes left of the plot and below it, CSS px.
 * @param {string[]} names of x and y; empty if the axes have no meaning @param {number} width of plot and margin
 * @param {number} height
 */
export function marginOf(names, width, height) {
  return names.length === 0 || Math.min(width, height) < LEAST_PX ? 0 : MARGIN_PX;
}

/**
 * Computes the layout of both axes.
 * @param {import("../screen/camera.js").Camera | null} camera @param {string[]} names
 * @param {number} margin from `marginOf`
 * @returns {Layout}
 */
export function layoutAxes(camera, names, margin) {
  if (camera === null || margin === 0) return NOTHING;
  const [left, right, bottom, top] = visible(camera);
  const parts = [
    alongAxis("x", names[0], left, right, camera, margin),
    alongAxis("y", names[1], bottom, top, camera, margin),
  ];
  return {
    names: parts.flatMap((one) => one.names),
    numbers: parts.flatMap((one) => one.numbers),
    lines: parts.flatMap((one) => one.lines),
  };
}

/** @param {Axis} axis @param {string} name @param {number} from @param {number} to data units at its ends @param {import("../screen/camera.js").Camera} camera
 * @param {number} margin @returns {Layout} */
function alongAxis(axis, name, from, to, { width, height }, margin) {
  const length = axis === "x" ? width : height;
  /** @param {number} along px from the start of the axis @param {number} off px away from the plot @returns {[number, number]} */
  const at = (along, off) => (axis === "x" ? [margin + along, height + off] : [margin - off, height - along]);
  /** @param {string} text @param {number} along @param {number} off @returns {Mark} */
  const mark = (text, along, off) => {
    const [x, y] = at(along, off);
    return { axis, text, x, y };
  };
  const text = shortened(name, length);
  /** @type {Layout} */
  const layout = {
    names: text === "" ? [] : [mark(text, length / 2, NAME_PX[axis])],
    numbers: [],
    lines: [[...at(0, 0.5), ...at(length, 0.5)]],
  };
  for (const { value, text: number } of ticksBetween(from, to, length, (one) =>
    Math.max(widthOf(one) + GAP_PX, APART_PX),
  )) {
    const along = ((value - from) / (to - from)) * length;
    layout.lines.push([...at(along, 0), ...at(along, TICK_PX)]);
    // Omits a number that would extend beyond the plot, but keeps its tick.
    const half = widthOf(number) / 2;
    if (along >= half && along + half <= length) layout.numbers.push(mark(number, along, NUMBER_PX[axis]));
  }
  return layout;
}

/** @param {string} text @returns {number} approximate width, CSS px */
function widthOf(text) {
  return [...text].length * CHARACTER_PX;
}

/** @param {string} text @param {number} mostPx @returns {string} */
function shortened(text, mostPx) {
  const letters = [...text];
  const most = Math.floor(mostPx / CHARACTER_PX);
  return letters.length <= most
    ? text
    : `${letters
        .slice(0, Math.max(0, most - 1))
        .join("")
        .trimEnd()}…`;
}

/** The axes on the screen. */
export function createAxes() {
  const element = makeLayer({});
  const lines = make("path", { fill: "none", "stroke-width": "1" });
  const groups = { x: make("g", { class: "axis x" }), y: make("g", { class: "axis y" }) };
  for (const group of Object.values(groups))
    group.setAttribute("font-size", String(FONT_PX)), group.setAttribute("text-anchor", "middle");

  /** @param {Axis} axis @param {Mark[]} marks @param {string} kind */
  function write(axis, marks, kind) {
    const group = groups[axis];
    const old = [...group.querySelectorAll(`.${kind}`)];
    marks.forEach((mark, i) => {
      const text = old[i] ?? group.appendChild(make("text", { class: kind }));
      const [x, y] = [mark.x.toFixed(1), mark.y.toFixed(1)];
      set(text, axis === "y" ? { x, y, transform: `rotate(-90 ${x} ${y})` } : { x, y });
      if (text.textContent !== mark.text) text.textContent = mark.text;
    });
    old.slice(marks.length).forEach((one) => one.remove());
  }

  return {
    element,
    /** @param {Layout} layout @param {string[]} titles names of x and y, in full */
    draw({ names, numbers, lines: drawn }, titles) {
      if (drawn.length === 0) {
        for (const name of ["role", "aria-label"]) element.removeAttribute(name); // an empty image must not have a name
        return element.replaceChildren();
      }
      if (element.childElementCount === 0) element.append(lines, groups.x, groups.y);
      set(element, { role: "img", "aria-label": `Horizontal axis: ${titles[0]}. Vertical axis: ${titles[1]}.` });
      const px = (/** @type {number} */ one) => one.toFixed(1);
      set(lines, { d: drawn.map(([x0, y0, x1, y1]) => `M${px(x0)} ${px(y0)}L${px(x1)} ${px(y1)}`).join("") });
      for (const axis of /** @type {Axis[]} */ (["x", "y"])) {
        for (const [kind, marks] of Object.entries({ name: names, number: numbers })) {
          const own = marks.filter((mark) => mark.axis === axis);
          write(axis, own, kind);
        }
      }
    },
    /** @param {import("../style/point_style.js").Theme} theme */
    setTheme(theme) {
      const { words, line } = inks(theme);
      set(lines, { stroke: line });
      for (const group of Object.values(groups)) set(group, { fill: words });
    },
  };
}

/**
 * Draws the axes onto a picture.
 * @param {CanvasRenderingContext2D} context @param {number} scale px of the picture per CSS px @param {Layout} layout
 * @param {import("../style/point_style.js").Theme} theme @param {string} family of the font
 */
export function paintAxes(context, scale, { names, numbers, lines }, theme, family) {
  const { words, line } = inks(theme);
  context.save();
  context.scale(scale, scale);
  context.font = `${FONT_PX}px ${family || "sans-serif"}`;
  Object.assign(context, { strokeStyle: line, fillStyle: words, lineWidth: 1, textAlign: "center" });
  context.beginPath();
  for (const [x0, y0, x1, y1] of lines) context.moveTo(x0, y0), context.lineTo(x1, y1);
  context.stroke();
  for (const { axis, text, x, y } of [...names, ...numbers]) {
    context.save();
    context.translate(x, y);
    if (axis === "y") context.rotate(-Math.PI / 2);
    context.fillText(text, 0, 0);
    context.restore();
  }
  context.restore();
}

/** @param {import("../style/point_style.js").Theme} theme */
function inks(theme) {
  return { words: inkOf(theme, QUIET_INK), line: inkOf(theme, FAINT_INK) };
}
