/** Sentences about what the second module draws, and about two columns as a place. Pure. */
import { counted, wholeNumber } from "../words/format.js";
import { nounsOf } from "../words/nouns.js";

/** @typedef {import("../state/state.js").State} State */

/** @param {State} state @returns {string[]} "" = nothing */
export const notesOnPlot = (state) => [
  tieNote(state),
  largestNote(state.labels, "Names stand for"),
  largestNote(state.contours, "Contours run around"),
];

/** Not all categories are told apart on the plot. @param {State["labels"] | State["contours"]} found @param {string} what */
function largestNote(found, what) {
  if (!found || found.n_present <= found.labels.length) return "";
  const [n, all] = [found.labels.length, found.n_present].map(wholeNumber);
  return `${what} the ${n} largest of ${all} categories of ${found.column}.`;
}

/** Of cells that share a place, where two columns are the axes. @param {State} state */
export function tieNote(state) {
  const { points } = state;
  if (!points?.nAtZero) return "";
  return `${wholeNumber(points.nAtZero)} of ${counted(points.nObs, nounsOf(state).obs)} lie at (0, 0).`;
}
