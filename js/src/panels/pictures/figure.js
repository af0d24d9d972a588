/** Composes a picture with its legend: title above, colors beside it, as cxg_widget/draw/pages/figure.py does. */
// Changes with cxg_widget/draw/pages/figure.py: the layout of a key.
// Changes with cxg_widget/color/paper.py: backgrounds of saved pictures.

import { inkOf } from "../../style/color.js";
import { missingGrey } from "../../style/point_style.js";
import { KEY_PX, PAPERS, QUIET_INK } from "../../wire/constants.js";
import { wholeNumber } from "../../words/format.js";
import { layOut } from "../overlays/legend_line.js";

/**
 * @typedef {import("../../words/legend_words.js").Key} Key
 * @typedef {import("../../style/point_style.js").Theme} Theme
 * @typedef {{theme: Theme, isClear: boolean}} Paper the background of a picture
 * @typedef {import("../../state/state.js").Background} Background
 *
 * @typedef {object} Font
 * @property {number} px size
 * @property {boolean} [bold]
 * @property {boolean} [quiet]
 *
 * @typedef {object} Pen
 * @property {(text: string, font: Font) => number} width
 * @property {(text: string, font: Font, room: number) => string} fitted the text, truncated to a width
 * @property {(text: string, x: number, y: number, font: Font, toLeft?: boolean) => void} write y is the baseline
 * @property {(color: string, x: number, y: number, width: number, height: number) => void} fill "" = the color of
 *   missing values
 */

const { PAD, TOP, TITLE_Y, LINE, ROW, SWATCH, BAR, MARGIN, SPACE, GAP } = KEY_PX;
const { LEAST_TITLE, LEAST_COLUMN, WIDEST_COLUMN, WIDEST_OF_TWO, TWO_COLUMNS_FROM } = KEY_PX;
const TITLE = { px: KEY_PX.TITLE_PX, bold: true };
const HEADING = { px: KEY_PX.HEADING_PX, bold: true };
const TEXT = { px: KEY_PX.TEXT_PX };
const QUIET = { px: KEY_PX.TEXT_PX, quiet: true };
const SMALL = { px: KEY_PX.SMALL_PX };
const COUNT = { px: KEY_PX.SMALL_PX, quiet: true };

/** @param {Background | undefined} background @param {Theme} theme the current one @returns {Paper} */
export function paperOf(background, theme) {
  return {
    theme: background === "white" || background === "dark" ? PAPERS[background] : theme,
    isClear: background === "transparent",
  };
}

/**
 * Compose a picture on its background, with its legend if it has one.
 * @param {object} parts
 * @param {HTMLCanvasElement} parts.points without a background
 * @param {number} parts.margin left of the points and below them, px
 * @param {Key | null} parts.key
 * @param {Paper} parts.paper
 * @param {number} parts.scale px per px of the legend's layout
 * @param {string} parts.family of the font
 * @param {(context: CanvasRenderingContext2D) => void} parts.onto draws axes and overlays
 * @param {import("../overlays/legend_line.js").LegendLines | null} parts.lines below the points
 * @returns {HTMLCanvasElement}
 */
export function compose({ points, margin, key, paper, scale, family, onto, lines }) {
  const page = document.createElement("canvas");
  const context = /** @type {CanvasRenderingContext2D} */ (page.getContext("2d"));
  const pen = createPen(context, paper.theme, family);
  const [wide, high] = [Math.round(points.width + margin), Math.round(points.height + margin)];
  const layout = key === null ? null : columnsOf(pen, key, wide / scale, high / scale);
  const top = key === null ? 0 : Math.round(TOP * scale);
  const width = wide + Math.round((layout?.side ?? 0) * scale);
  const below = lines && layOut(context, lines, width / scale, paper.theme, family);
  [page.width, page.height] = [width, high + top + Math.round((below?.height ?? 0) * scale)];
  if (!paper.isClear) {
    context.fillStyle = `rgb(${paper.theme.background})`;
    context.fillRect(0, 0, page.width, page.height);
  }
  context.translate(0, top);
  context.drawImage(points, wide - points.width, 0);
  onto(context);
  context.setTransform(scale, 0, 0, scale, 0, 0);
  below?.paint((high + top) / scale);
  if (key !== null && layout !== null) {
    writeTitle(pen, key, page.width / scale);
    if (key.heading !== "") writeKey(pen, context, key, wide / scale + MARGIN, layout);
  }
  return page;
}

/** @typedef {{side: number, column: number, nColumns: number, most: number}} Columns side: px beside the picture; most: rows */

/** @param {Pen} pen @param {Key} key @param {number} width @param {number} height of the picture @returns {Columns} */
function columnsOf(pen, key, width, height) {
  if (key.heading === "") return { side: 0, column: 0, nColumns: 0, most: 0 };
  const room = Math.max(1, Math.floor((TOP + height - PAD - firstRow(key)) / ROW));
  const nColumns = key.rows.length + Number(key.more > 0) > room && width >= TWO_COLUMNS_FROM ? 2 : 1;
  const texts = [pen.width(key.heading, HEADING), pen.width(key.detail, COUNT), pen.width(key.sentence, TEXT)];
  const rows = key.rows.map(([label, count]) => pen.width(label, TEXT) + pen.width(count, COUNT) + SWATCH + 3 * SPACE);
  const column = Math.min(Math.max(LEAST_COLUMN, ...texts, ...rows), nColumns === 2 ? WIDEST_OF_TWO : WIDEST_COLUMN);
  return { side: MARGIN + nColumns * column + (nColumns - 1) * GAP + PAD, column, nColumns, most: room * nColumns };
}

/** @param {Key} key */
function firstRow(key) {
  return TOP + HEADING.px + (key.detail === "" ? 0 : LINE) + 9;
}

/** Write the title and, if there is room for both, the size after it.
 * @param {Pen} pen @param {Key} key @param {number} width */
function writeTitle(pen, key, width) {
  const room = width - 2 * PAD;
  const size = pen.fitted(key.size, QUIET, room);
  const left = key.title === "" ? 0 : room - pen.width(size, QUIET) - PAD;
  const title = left >= LEAST_TITLE ? pen.fitted(key.title, TITLE, left) : "";
  pen.write(title, PAD, TITLE_Y, TITLE);
  pen.write(size, PAD + (title === "" ? 0 : pen.width(title, TITLE) + 12), TITLE_Y, QUIET);
}

/** @param {Pen} pen @param {CanvasRenderingContext2D} context @param {Key} key @param {number} x @param {Columns} columns */
function writeKey(pen, context, key, x, columns) {
  const { column, side } = columns;
  const inner = side - MARGIN - PAD;
  const y = TOP + HEADING.px - 1;
  pen.write(pen.fitted(key.heading, HEADING, inner), x, y, HEADING);
  pen.write(pen.fitted(key.detail, COUNT, inner), x, y + LINE, COUNT);
  let top = firstRow(key);
  if (key.ramp.length > 0) {
    const ramp = context.createLinearGradient(x, 0, x + column, 0);
    key.ramp.forEach((color, i) => ramp.addColorStop(i / (key.ramp.length - 1), color));
    context.fillStyle = ramp;
    context.fillRect(x, top, column, BAR);
    pen.write(key.ends[0], x, top + BAR + LINE - 2, SMALL);
    pen.write(key.ends[1], x + column, top + BAR + LINE - 2, SMALL, true);
    pen.write(key.middle, x + (column - pen.width(key.middle, SMALL)) / 2, top + BAR + LINE - 2, SMALL);
    top += BAR + LINE + 8;
  }
  if (key.sentence !== "") {
    pen.write(pen.fitted(key.sentence, TEXT, column), x, top + SWATCH, TEXT);
    top += ROW + 4;
  }
  writeRows(pen, key, x, top, columns);
}

/** Write as many rows as fit, and the number of the others.
 * @param {Pen} pen @param {Key} key @param {number} left @param {number} top
 * @param {Columns} columns */
function writeRows(pen, { rows, more }, left, top, { column, nColumns, most }) {
  const kept = rows.length + Number(more > 0) <= most ? rows : rows.slice(0, most - 1);
  const nMore = more + rows.length - kept.length;
  const deep = Math.ceil((kept.length + Number(nMore > 0)) / nColumns);
  const place = (/** @type {number} */ i) => [left + Math.floor(i / deep) * (column + GAP), top + (i % deep) * ROW];
  kept.forEach(([label, count, color], i) => {
    const [x, y] = place(i);
    const room = column - SWATCH - SPACE - (count === "" ? 0 : pen.width(count, COUNT) + 2 * SPACE);
    pen.fill(color, x, y, SWATCH, SWATCH);
    pen.write(pen.fitted(label, TEXT, room), x + SWATCH + SPACE, y + SWATCH, TEXT);
    pen.write(count, x + column, y + SWATCH, COUNT, true);
  });
  if (nMore === 0) return;
  const [x, y] = place(kept.length);
  pen.write(`and ${wholeNumber(nMore)} more`, x + SWATCH + SPACE, y + SWATCH, QUIET);
}

/** @param {CanvasRenderingContext2D} context @param {Theme} theme @param {string} family @returns {Pen} */
function createPen(context, theme, family) {
  const width = (/** @type {string} */ text, /** @type {Font} */ { px, bold }) => {
    context.font = `${bold ? "600 " : ""}${px}px ${family || "sans-serif"}`;
    return context.measureText(text).width;
  };
  return {
    width,
    fitted(text, font, room) {
      if (width(text, font) <= room) return text;
      const letters = [...text.slice(0, 200)];
      const cut = () => `${letters.join("").trimEnd()}…`;
      while (letters.length > 0 && width(cut(), font) > room) letters.pop();
      return cut();
    },
    write(text, x, y, font, toLeft = false) {
      width(text, font);
      context.fillStyle = inkOf(theme, font.quiet ? QUIET_INK : 1);
      context.textAlign = toLeft ? "right" : "left";
      context.fillText(text, x, y);
    },
    fill(color, x, y, w, h) {
      context.fillStyle = color || `rgb(${missingGrey(theme.dark)})`;
      context.fillRect(x, y, w, h);
    },
  };
}
