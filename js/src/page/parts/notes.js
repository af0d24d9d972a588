/** Notes that need no click: cells without coordinates, and why the plot is empty. Pure. */
// Changes with js/src/panels/notes_popover.js: notes on the plot.
import { isAllHidden } from "../../state/hidden.js";
import { counted } from "../../words/format.js";
import { nounsOf } from "../../words/nouns.js";

/** @typedef {import("../../state/state.js").State} State */

/** @param {State} state */
export function placeNote(state) {
  const { points } = state;
  if (points === null || points.nMissing === 0 || points.nMissing >= points.nObs) return "";
  const [verb, are] = points.nMissing === 1 ? ["has", "is"] : ["have", "are"];
  return `${counted(points.nMissing, nounsOf(state).obs)} ${verb} no coordinates in ${points.embedding} and ${are} not drawn.`;
}

/**
 * Why the plot is empty, and the action that helps; null if it is not empty.
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
  return isAllHidden(state) ? { message: "All categories are hidden.", way: "showAll" } : whyEmptyInView(state);
}

/** @param {State} state @returns {ReturnType<typeof whyEmpty>} */
function whyEmptyInView(state) {
  const { obs } = nounsOf(state);
  const lacks = state.inView?.lacks ?? "";
  if (lacks === "") return null;
  if (state.filter.n !== null) return { message: `No ${obs.many} in view pass the filters.`, way: "clearFilters" };
  return lacks === "hidden"
    ? { message: `All ${obs.many} in view are hidden.`, way: "showAll" }
    : { message: `No ${obs.many} in view.`, way: "resetView" };
}
