/** Composes all panels into one picture: a title, and the figure of each with its name and key. */

import { asSeen } from "../../state/state.js";
import { keyOf } from "../../words/legend_words.js";
import { layOut } from "../overlays/legend_line.js";
import { paperOf } from "../pictures/figure.js";

const [LINE_PX, PAD_PX, TITLE_PX, SIZE_PX] = [40, 16, 14, 12];
const SIZE_OPACITY = 0.7;

/**
 * @param {HTMLCanvasElement[]} figures in panel order, all plots of equal size @param {number} columns
 * @param {{scale: number, theme: import("../../page/theme.js").Theme | null, state: import("../../state/state.js").State,
 *   element: HTMLElement, lines: import("../overlays/legend_line.js").LegendLines | null}} how
 *   lines: legend of the overlays
 * @returns {HTMLCanvasElement}
 */
export function compose(figures, columns, { scale, theme, state, element, lines }) {
  const paper = paperOf(state.traits.background, /** @type {import("../../style/point_style.js").Theme} */ (theme));
  const { title, size } = keyOf(asSeen(state), paper.theme.dark);
  const top = state.traits.legend ? Math.round(LINE_PX * scale) : 0;
  // A legend makes its figure wider: the whole column gets that width.
  const wide = Array.from({ length: Math.min(columns, figures.length) }, (_, column) =>
    Math.max(...figures.filter((_, at) => at % columns === column).map(({ width }) => width)),
  );
  const high = Math.max(...figures.map(({ height }) => height));
  const page = document.createElement("canvas");
  page.width = wide.reduce((sum, one) => sum + one, 0);
  const below = top + high * Math.ceil(figures.length / columns);
  const family = getComputedStyle(element).fontFamily || "sans-serif";
  const context = /** @type {CanvasRenderingContext2D} */ (page.getContext("2d"));
  const isShown = lines !== null && state.traits.legend;
  const legend = isShown ? layOut(context, lines, page.width / scale, paper.theme, family) : null;
  page.height = below + Math.round((legend?.height ?? 0) * scale);
  if (!paper.isClear) {
    context.fillStyle = `rgb(${paper.theme.background})`;
    context.fillRect(0, 0, page.width, page.height);
  }
  if (top > 0) {
    context.fillStyle = `rgb(${paper.theme.foreground})`;
    context.textBaseline = "middle";
    context.font = `600 ${TITLE_PX * scale}px ${family}`;
    context.fillText(title, PAD_PX * scale, top / 2);
    const after = context.measureText(title).width + 1.75 * PAD_PX * scale;
    context.globalAlpha = SIZE_OPACITY;
    context.font = `${SIZE_PX * scale}px ${family}`;
    context.fillText(size, after, top / 2);
    context.globalAlpha = 1;
  }
  context.save();
  context.scale(scale, scale);
  legend?.paint(below / scale);
  context.restore();
  figures.forEach((figure, at) => {
    const column = at % columns;
    const left = wide.slice(0, column).reduce((sum, one) => sum + one, 0);
    context.drawImage(figure, left, top + Math.floor(at / columns) * high);
  });
  return page;
}
