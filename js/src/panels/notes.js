/** What there is to tell the user about the picture, in sentences. Pure. */
import { MISSING_LABEL } from "../protocol.js";
import { counted } from "./format.js";
import { nounsOf } from "./nouns.js";

/** @typedef {import("../state.js").State} State */

/** @param {State} state @returns {string[]} */
export function notesOf(state) {
  const { points, dataset } = state;
  const { obs } = nounsOf(state);
  const notes = [];
  if (points !== null && points.nMissing > 0 && points.nMissing < points.nObs) {
    const [verb, are] = points.nMissing === 1 ? ["has", "is"] : ["have", "are"];
    notes.push(`${counted(points.nMissing, obs)} ${verb} no coordinates in ${points.embedding} and ${are} not drawn.`);
  }
  if (points?.aggregated) {
    const sample = counted(points.nPoints, obs);
    notes.push(`At rest the picture shows all ${obs.many}, aggregated by the kernel; while it moves, a random sample of ${sample}.`);
  }
  return [...notes, ...(dataset?.notes ?? [])];
}

/**
 * Why the plot is empty; null if it is not. `showAll` says that showing all categories would help.
 * @param {State} state @returns {{message: string, showAll: boolean} | null}
 */
export function whyEmpty(state) {
  const { dataset, points } = state;
  const { obs } = nounsOf(state);
  if (dataset === null) return null;
  if (dataset.nObs === 0) return { message: `This dataset has no ${obs.many}.`, showAll: false };
  if (dataset.embeddings.length === 0) return { message: "This dataset has no embedding to draw.", showAll: false };
  if (points !== null && points.nObs > 0 && points.nMissing >= points.nObs) {
    return { message: `No ${obs.one} has coordinates in ${points.embedding}.`, showAll: false };
  }
  return allHidden(state) ? { message: "All categories are hidden.", showAll: true } : null;
}

/** @param {State} state @returns {boolean} */
function allHidden({ color, traits }) {
  if (color === null || color.scale !== "categorical" || traits.hidden.length < color.categories.length) return false;
  const hidden = new Set(traits.hidden);
  const labels = color.nMissing > 0 ? [...color.categories, MISSING_LABEL] : color.categories;
  return labels.length > 0 && labels.every((label) => hidden.has(label));
}
