/** The volcano plot: fold change against p, one point per gene. Hover names a gene, click chooses it, drag brushes. */
import { html, nothing } from "lit-html";
import { ref } from "lit-html/directives/ref.js";
import { createTravel } from "../../plot/drag.js";
import { fitCanvas } from "../../screen/canvas.js";
import { parseColor } from "../../style/color.js";
import { counted, wholeNumber } from "../../words/format.js";
import { nounsOf } from "../../words/nouns.js";
import { describeGene } from "./gene_columns.js";
import { COLORS, MARGIN_PX, paintField, paintMarks } from "./volcano_picture.js";
import { boxOf, nearest, placed } from "./volcano_scale.js";

/** @typedef {import("../../page/parts/ui.js").Context} Context */
/** @typedef {import("./result.js").Found} Found */
/** @typedef {import("./gene_order.js").Box} Box */
/** @typedef {{found: Found, keep: Uint8Array, rows: Uint32Array, cuts: import("./gene_order.js").Cuts, chosen: number, box: Box | null}} Shown rows: listed
 *   genes in display order; chosen: -1 = none */

const NAMED = 40;
/** A narrower plot has room for short axis names only. */
const WIDE_PX = 220;

/**
 * @param {() => void} redraw
 * @param {{choose: (gene: number) => void, brush: (box: Box | null) => void}} does
 */
export function createVolcano(redraw, does) {
  /** @type {HTMLElement | null} */
  let room = null;
  /** @type {Shown | null} */
  let shown = null;
  /** @type {import("./volcano_scale.js").Placed | null} */
  let there = null;
  let pointed = -1;
  /** Start of a drag or click. @type {{at: [number, number]} | null} */
  let drag = null;
  const travel = createTravel();
  /** @type {Box | null} */
  let drawn = null;
  let painted = "";
  /** Inputs of the last layout. @type {unknown[]} */
  let of = [];

  const resized = new ResizeObserver(() => paint());

  /** @param {Element | undefined} element */
  function hold(element) {
    resized.disconnect();
    room = /** @type {HTMLElement | undefined} */ (element) ?? null;
    [painted, of, there] = ["", [], null];
    if (room !== null) resized.observe(room);
  }

  /** @returns {{theme: import("../../page/theme.js").Theme, family: string}} */
  function look() {
    const style = getComputedStyle(/** @type {HTMLElement} */ (room));
    const rgb = (/** @type {string} */ color, /** @type {number[]} */ other) =>
      /** @type {any} */ (parseColor(color)?.slice(0, 3) ?? other);
    const mount = /** @type {HTMLElement} */ (room).closest("[data-theme]");
    const dark = mount?.getAttribute("data-theme") === "dark";
    const foreground = rgb(style.color, dark ? [226, 229, 233] : [31, 35, 40]);
    const background = rgb(style.getPropertyValue("--bg").trim(), dark ? [24, 26, 29] : [255, 255, 255]);
    const accent = rgb(style.getPropertyValue("--accent").trim(), [37, 99, 205]);
    return { theme: /** @type {any} */ ({ foreground, background, accent, dark }), family: style.fontFamily };
  }

  function paint() {
    if (room === null || shown === null) return;
    const { found, keep, rows, cuts, chosen } = shown;
    const [width, height] = [room.clientWidth - MARGIN_PX - 8, room.clientHeight - MARGIN_PX];
    if (width < 40 || height < 40) return;
    const size = { width: room.clientWidth, height: room.clientHeight, ratio: devicePixelRatio };
    const seen = look();
    const canvases = [...room.querySelectorAll("canvas")];
    const now = [found, keep, cuts, width, height, size.ratio, JSON.stringify(seen)];
    if (there === null || now.some((one, i) => one !== of[i])) {
      of = now;
      there = placed(found, width, height, cuts);
      fitCanvas(canvases[0], size);
      const names = [alongOf(found, there.nBeyond, width), "−log10 adjusted p"];
      paintField(penOf(canvases[0]), size.ratio, found, there, keep, cuts, { names, ...seen });
      painted = "";
    }
    const box = drawn ?? shown.box;
    const marks = JSON.stringify([pointed, chosen, box, rows.subarray(0, NAMED)]);
    if (marks === painted) return;
    painted = marks;
    fitCanvas(canvases[1], size);
    const ringed = [chosen, pointed].filter((one) => one >= 0);
    paintMarks(
      penOf(canvases[1]),
      size.ratio,
      found,
      there,
      { named: [...rows.subarray(0, NAMED)], ringed, box },
      seen,
    );
  }

  /** @param {PointerEvent} event @returns {[number, number]} CSS px from the top left of the field */
  function placeOf({ clientX, clientY }) {
    const { left, top } = /** @type {HTMLElement} */ (room).getBoundingClientRect();
    return [clientX - left - MARGIN_PX, clientY - top];
  }

  /** @param {number} gene */
  function point(gene) {
    if (gene === pointed) return;
    pointed = gene;
    redraw();
  }

  /** @param {PointerEvent} event */
  function down(event) {
    if (event.button !== 0) return;
    /** @type {Element} */ (event.currentTarget).setPointerCapture(event.pointerId);
    drag = { at: placeOf(event) };
    travel.down(event);
    event.preventDefault();
  }

  /** @param {PointerEvent} event */
  function move(event) {
    if (there === null || shown === null) return;
    const at = placeOf(event);
    if (drag === null) return point(nearest(there, shown.keep, ...at));
    if (!travel.isDrag(event)) return;
    [drawn, pointed] = [boxOf(there, drag.at, at), -1];
    paint();
  }

  /** @param {PointerEvent} event */
  function up(event) {
    if (drag === null || there === null || shown === null) return;
    const isBrush = travel.isDrag(event);
    const box = drawn;
    [drag, drawn] = [null, null];
    if (isBrush) return does.brush(box);
    const gene = nearest(there, shown.keep, ...placeOf(event));
    if (gene >= 0) does.choose(gene);
    else does.brush(null);
  }

  function drop() {
    [drag, drawn] = [null, null];
    paint();
  }

  /** @param {Context} context @param {Shown} wanted */
  return (context, wanted) => {
    shown = wanted;
    const { found, keep } = wanted;
    if (pointed >= found.n) pointed = -1;
    queueMicrotask(paint);
    const { one, many } = nounsOf(context.state).var;
    const n = keep.reduce((sum, is) => sum + is, 0);
    const colors = COLORS[context.ui.dark ? "dark" : "light"];
    const label = `Volcano plot: ${found.hasFold ? "log2 fold change" : "statistic"} against −log10 adjusted p of ${counted(found.n, { one, many })}, ${wholeNumber(n)} in the table. Drag to choose several, click to choose one.`;
    return html`<div class="volcano" role="img" aria-label=${label} ${ref(hold)} @pointerdown=${down} @pointermove=${move} @pointerup=${up}
      @pointercancel=${drop} @pointerleave=${() => drag === null && point(-1)}><canvas></canvas><canvas></canvas>
      <span class="side left" style="color:${colors[1]}" aria-hidden="true">← <bdi>${found.sets[1]}</bdi></span><span class="side right" style="color:${colors[0]}" aria-hidden="true"><bdi>${found.sets[0]}</bdi> →</span>${tip(found)}</div>`;
  };

  /** @param {Found} found */
  function tip(found) {
    if (pointed < 0 || there === null || drag !== null) return nothing;
    const [x, y] = [there.x[pointed] + MARGIN_PX, there.y[pointed]];
    const isLow = y > there.camera.height / 2;
    const id = found.ids[pointed] ?? found.names[pointed];
    // The table beside the plot takes the room.
    return html`<div class="tooltip" aria-hidden="true" style="left:${x + 12}px;${isLow ? `top:auto;bottom:calc(100% - ${y}px)` : `top:${y}px`}">
      <div class="value">${found.names[pointed]}</div>${id === found.names[pointed] ? nothing : html`<div class="name">${id}</div>`}<dl>${describeGene(found, pointed).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl></div>`;
  }
}

/** The name of the horizontal axis, shortened to fit.
 * @param {Found} found @param {number} nBeyond @param {number} width CSS px */
function alongOf({ hasFold }, nBeyond, width) {
  const beyond = nBeyond === 0 ? "" : `, ${wholeNumber(nBeyond)} off scale`;
  if (!hasFold) return "statistic";
  return width < WIDE_PX ? "log2fc" : `log2 fold change${width < 1.3 * WIDE_PX ? "" : beyond}`;
}

/** @param {HTMLCanvasElement} canvas */
function penOf(canvas) {
  return /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
}
