/** The tooltip of the cell under the pointer, and its position. */
import { html, nothing } from "lit-html";
import { safeColor } from "../../style/color.js";
import { LEFT_OUT_LABEL } from "../../wire/protocol.js";

/** @typedef {import("./ui.js").Context} Context */

/** The tooltip; the view positions it once its size is known. @param {Context} context */
export function tooltip({ state, ui }) {
  const { cell } = state;
  if (cell === null || ui.pointer === null) return nothing;
  return html`<div class="tooltip" aria-hidden="true">
    <div class="name">${cell.name}</div>
    ${cell.value === "" ? nothing : html`<div class="value">${swatchOf(state, cell.value)}${cell.value}</div>`}
    ${cell.passes ? nothing : html`<div class="left-out">${LEFT_OUT_LABEL}</div>`}
    ${
      cell.fields.length === 0
        ? nothing
        : html`<dl>${cell.fields.map(([column, value]) => html`<dt>${cell.n_beneath ? swatchOf(state, column) : nothing}${column}</dt><dd>${value}</dd>`)}</dl>`
    }
  </div>`;
}

/** @param {import("../../state/state.js").State} state @param {string} value */
function swatchOf({ color }, value) {
  const i = color?.scale === "categorical" ? color.categories.indexOf(value) : -1;
  return color === null || i < 0 ? nothing : html`<i class="swatch" style="--c:${safeColor(color.colors[i])}"></i>`;
}

const GAP_PX = 14;
const EDGE_PX = 6;

/**
 * Position of the tooltip: below and to the right of the pointer, or on the other side if it would leave the plot;
 * never under the pointer.
 * @param {{x: number, y: number}} pointer @param {{width: number, height: number}} tip @param {{width: number, height: number}} plot
 * @returns {{left: number, top: number}} CSS px, whole
 */
export function placeTooltip(pointer, tip, plot) {
  const left = side(pointer.x, tip.width, plot.width);
  const top = side(pointer.y, tip.height, plot.height);
  const covers = pointer.x > left && pointer.x < left + tip.width && pointer.y > top && pointer.y < top + tip.height;
  return { left: Math.round(left), top: Math.round(covers ? pointer.y - tip.height - GAP_PX : top) };
}

/** @param {number} at @param {number} size @param {number} room @returns {number} */
function side(at, size, room) {
  if (at + GAP_PX + size + EDGE_PX <= room) return at + GAP_PX;
  if (at - GAP_PX - size >= EDGE_PX) return at - GAP_PX - size;
  return Math.max(EDGE_PX, Math.min(room - size - EDGE_PX, at - size / 2));
}
