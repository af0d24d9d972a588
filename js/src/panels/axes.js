/** What the axes measure, in words along the edges of the plot; axes that share their units need none. */
import { html, nothing } from "lit-html";

/** In a lower plot the words would lie on the points. */
const LOWEST_PX = 200;

/** @param {import("./ui.js").Context} context */
export function axisLabels({ state: { points, traits } }) {
  if (points === null || points.equalUnits || traits.height < LOWEST_PX) return nothing;
  const [x, y] = points.axisLabels;
  return html`<div class="axis x">${x}</div><div class="axis y">${y}</div>`;
}
