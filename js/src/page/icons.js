/** Icons: 16 x 16, drawn in the color of the text around them. */
import { html, nothing, svg } from "lit-html";
import { SHAPES } from "./icon_shapes.js";

/** @param {string[]} shape */
const icon = ([solid, dashed]) =>
  html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
    <path d=${solid} />${dashed ? svg`<path d=${dashed} stroke-dasharray="2.4 1.7" />` : nothing}
  </svg>`;

/** Icons by the names in icon_shapes.js. */
export const ICONS = Object.fromEntries(Object.entries(SHAPES).map(([name, shape]) => [name, icon(shape)]));
