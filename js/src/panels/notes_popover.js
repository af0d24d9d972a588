/** The notes on the plot, and the popover that lists them. */
// Changes with js/src/page/parts/notes.js: notes on the plot.
// Changes with js/src/panels/overlays/overlay_notes.js: notes on the plot.
import { html, nothing } from "lit-html";
import { whatIsShown } from "../page/parts/legend_numbers.js";
import { placeNote } from "../page/parts/notes.js";
import { NOTES } from "../page/parts/status.js";
import { nHidden } from "../state/hidden.js";
import { counted, wholeNumber } from "../words/format.js";
import { nounsOf } from "../words/nouns.js";

/** @typedef {import("../state/state.js").State} State */

/** @param {import("../page/parts/ui.js").Context} context */
export function notesPopover({ state, ui }) {
  if (ui.popover !== "notes") return nothing;
  return html`<div class="popover notes" role="dialog" aria-label=${NOTES}><ul>${notesOf(state).map((note) => html`<li>${note}</li>`)}</ul></div>`;
}

/** @param {State} state @returns {string[]} */
export function notesOf(state) {
  const found = [
    pictureNote(state),
    hiddenNote(state),
    filterNote(state),
    placeNote(state),
    ...(state.notesOnPlot?.(state) ?? []),
  ].filter((note) => note !== "");
  return [...found, ...(state.dataset?.notes ?? [])];
}

/** Describes what the current picture is made of: points, a sample or an image. @param {State} state */
function pictureNote(state) {
  const { points, inView, color } = state;
  if (points === null || inView === null || points.nObs === 0) return "";
  const { obs } = nounsOf(state);
  const number = color?.scale === "continuous" ? ` ${whatIsShown(state)}` : "";
  if (inView.as === "points") return `Each ${obs.one} is drawn as a point.${number}`;
  if (inView.as === "cells")
    return `Each ${obs.one} in view is drawn as a point; zoomed out, an image shows all of them.${number}`;
  const sample = `a random sample of ${counted(points.nPoints, obs)}`;
  if (inView.as === "sample") return `The points are ${sample}; an image of all ${obs.many} is loading.${number}`;
  return `An image shows all ${obs.many} in view; while you pan or zoom, ${sample} fills the gaps.${number}`;
}

/** @param {State} state */
function hiddenNote(state) {
  const { color, traits } = state;
  const n = nHidden(state);
  if (color === null || n === 0) return "";
  const groups = counted(traits.hidden.length, { one: "category", many: "categories" });
  return `Hidden: ${counted(n, nounsOf(state).obs)} in ${groups} of ${color.name}.`;
}

/** @param {State} state */
function filterNote(state) {
  const { dataset, filter, traits } = state;
  if (dataset === null || filter.n === null) return "";
  const { obs } = nounsOf(state);
  const rules = counted(traits.filters.length, { one: "filter", many: "filters" });
  const others = traits.filtered === "grey" ? "grey" : "not drawn";
  return `${wholeNumber(filter.n)} of ${counted(dataset.nObs, obs)} pass ${rules}; the others are ${others}.`;
}
