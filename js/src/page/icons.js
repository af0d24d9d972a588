/** Icons: 16 x 16, drawn in the colour of the text around them. */
import { html, svg } from "lit-html";

/** @param {import("lit-html").TemplateResult<2>} shapes */
const icon = (shapes) => html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true">${shapes}</svg>`;

export const ICONS = {
  pan: icon(
    svg`<path d="M8 1.8v12.4M1.8 8h12.4M6.2 3.6 8 1.8l1.8 1.8M6.2 12.4 8 14.2l1.8-1.8M3.6 6.2 1.8 8l1.8 1.8M12.4 6.2 14.2 8l-1.8 1.8"/>`,
  ),
  lasso: icon(
    svg`<path d="M4.6 10.7C2.9 9.9 1.8 8.5 1.8 6.9c0-2.7 2.8-4.9 6.2-4.9s6.2 2.2 6.2 4.9-2.8 4.9-6.2 4.9c-.4 0-.8 0-1.2-.1" stroke-dasharray="2.4 1.7"/><circle cx="5.4" cy="11.2" r="1.5"/><path d="M5 12.7c.1.9-.3 1.5-1.1 1.9"/>`,
  ),
  rectangle: icon(svg`<rect x="2.2" y="3.2" width="11.6" height="9.6" rx="1" stroke-dasharray="2.4 1.7"/>`),
  reset: icon(
    svg`<path d="M2.2 5.6V3.2a1 1 0 0 1 1-1h2.4M10.4 2.2h2.4a1 1 0 0 1 1 1v2.4M13.8 10.4v2.4a1 1 0 0 1-1 1h-2.4M5.6 13.8H3.2a1 1 0 0 1-1-1v-2.4"/><circle cx="8" cy="8" r="1.6"/>`,
  ),
  png: icon(svg`<path d="M8 2v8.2M4.8 7.2 8 10.4l3.2-3.2M2.6 12v1.2a.8.8 0 0 0 .8.8h9.2a.8.8 0 0 0 .8-.8V12"/>`),
  settings: icon(
    svg`<path d="M2 4.8h6.2M12 4.8h2M2 11.2h2M7.8 11.2H14"/><circle cx="10.1" cy="4.8" r="1.8"/><circle cx="5.9" cy="11.2" r="1.8"/>`,
  ),
  undo: icon(svg`<path d="M5.4 3 2.6 5.8l2.8 2.8M2.8 5.8h6.4a3.8 3.8 0 0 1 0 7.6H5.6"/>`),
  redo: icon(svg`<path d="m10.6 3 2.8 2.8-2.8 2.8M13.2 5.8H6.8a3.8 3.8 0 0 0 0 7.6h3.6"/>`),
  full: icon(svg`<path d="M9.6 2.2h4.2v4.2M13.6 2.4 9.4 6.6M6.4 13.8H2.2V9.6M2.4 13.6l4.2-4.2"/>`),
  leave: icon(svg`<path d="M13.6 6.6H9.4V2.4M9.6 6.4l4.2-4.2M2.4 9.4h4.2v4.2M6.4 9.6l-4.2 4.2"/>`),
  panel: icon(svg`<rect x="1.8" y="2.8" width="12.4" height="10.4" rx="1.5"/><path d="M10 2.8v10.4"/>`),
  columns: icon(
    svg`<rect x="1.8" y="2.8" width="12.4" height="10.4" rx="1.5"/><path d="M1.8 6h12.4M6 6v7.2M10 6v7.2"/>`,
  ),
  table: icon(svg`<path d="M1.8 3h12.4v10H1.8zM1.8 6.4h12.4M1.8 9.7h12.4"/>`),
  down: icon(svg`<path d="m4.5 6.4 3.5 3.4 3.5-3.4"/>`),
  close: icon(svg`<path d="m4.2 4.2 7.6 7.6M11.8 4.2l-7.6 7.6"/>`),
  info: icon(svg`<circle cx="8" cy="8" r="6"/><path d="M8 7.3v3.6M8 5v.2"/>`),
  sort: icon(svg`<path d="M2.5 4h11M2.5 8h7.5M2.5 12h4"/>`),
  search: icon(svg`<circle cx="7" cy="7" r="4.3"/><path d="m10.3 10.3 3.4 3.4"/>`),
  only: icon(
    svg`<path d="M1.6 8S4 3.6 8 3.6 14.4 8 14.4 8 12 12.4 8 12.4 1.6 8 1.6 8Z"/><circle cx="8" cy="8" r="2"/>`,
  ),
  check: icon(svg`<path d="m3.4 8.6 3 3 6.2-7"/>`),
  warn: icon(svg`<path d="M8 2.2 14.4 13.5H1.6Z"/><path d="M8 6.6v3.2M8 11.6v.1"/>`),
};
