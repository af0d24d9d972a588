/** Messages over the plot: progress, and the reason for an empty plot. */
import { html, nothing } from "lit-html";
import { progress } from "../../state/state.js";
import { whyEmpty } from "./notes.js";

/** @typedef {import("./ui.js").Context} Context */

/** A thin bar that takes no space from the plot. @param {Context} context */
export function progressBar({ state }) {
  const done = progress(state);
  const waiting = state.link === "connecting" || state.link === "cut" || (state.dataset !== null && done < 1);
  if (!waiting || state.link === "offline") return nothing;
  const percent = Math.round(100 * done);
  const known = done > 0;
  return html`<div class="progress ${known ? "" : "unknown"}" role="progressbar" aria-label="Loading" aria-valuemin="0" aria-valuemax="100"
    aria-valuenow=${known ? percent : nothing}><i style="width:${known ? percent : 30}%"></i></div>`;
}

export const WAYS = {
  showAll: "Show all categories",
  clearFilters: "Clear filters",
  resetView: "Zoom to fit",
};

/** @param {Context} context */
export function emptyMessage({ state, actions }) {
  const why = whyEmpty(state);
  if (why === null) return nothing;
  const { message, way } = why;
  return html`<div class="empty" role="status"><p>${message}</p>
    ${way === undefined ? nothing : html`<button type="button" class="text" ?disabled=${state.link === "offline"} @click=${() => actions[way]()}>${WAYS[way]}</button>`}</div>`;
}
