/** Sentences about the picture on show. Pure. */
import { isAllHidden, nHidden } from "../../state/hidden.js";
import { counted, wholeNumber } from "../../words/format.js";
import { nounsOf } from "../../words/nouns.js";
import { whatIsShown } from "./numbers.js";

/** @typedef {import("../../state/state.js").State} State */

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

/** What the picture on show is made of. @param {State} state */
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

/** @param {State} state */
export function placeNote(state) {
  const { points } = state;
  if (points === null || points.nMissing === 0 || points.nMissing >= points.nObs) return "";
  const [verb, are] = points.nMissing === 1 ? ["has", "is"] : ["have", "are"];
  return `${counted(points.nMissing, nounsOf(state).obs)} ${verb} no coordinates in ${points.embedding} and ${are} not drawn.`;
}

/**
 * Why the plot is empty, and what would help; null if it is not.
 * @param {State} state @returns {{message: string, way?: keyof typeof import("./messages.js").WAYS} | null}
 */
export function whyEmpty(state) {
  const { dataset, points } = state;
  const { obs } = nounsOf(state);
  if (dataset === null) return null;
  if (dataset.nObs === 0) return { message: `This dataset has no ${obs.many}.` };
  if (dataset.embeddings.length === 0 && !Array.isArray(state.traits.embedding))
    return { message: "This dataset has no embedding to draw." };
  if (points !== null && points.nObs > 0 && points.nMissing >= points.nObs) {
    return { message: `No ${obs.one} has coordinates in ${points.embedding}.` };
  }
  if (state.filter.n === 0) return { message: `No ${obs.many} pass the filters.`, way: "clearFilters" };
  return isAllHidden(state) ? { message: "All categories are hidden.", way: "showAll" } : lackingInView(state);
}

/** @param {State} state @returns {ReturnType<typeof whyEmpty>} */
function lackingInView(state) {
  const { obs } = nounsOf(state);
  const lacks = state.inView?.lacks ?? "";
  if (lacks === "") return null;
  if (state.filter.n !== null) return { message: `No ${obs.many} in view pass the filters.`, way: "clearFilters" };
  return lacks === "hidden"
    ? { message: `All ${obs.many} in view are hidden.`, way: "showAll" }
    : { message: `No ${obs.many} in view.`, way: "resetView" };
}
