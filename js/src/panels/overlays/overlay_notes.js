/** Notes on names, contours and ties at 0 of two columns. Pure. */
// Changes with cxg_widget/draw/overlays/ties.py: cells at 0 of two columns.
// Changes with js/src/panels/overlays/zero_profile.js: cells at 0 of two columns.
// Changes with js/src/panels/notes_popover.js: notes on the plot.
import { counted, wholeNumber } from "../../words/format.js";
import { nounsOf } from "../../words/nouns.js";

/** @typedef {import("../../state/state.js").State} State */

/** @param {State} state @returns {string[]} "" = nothing */
export const notesOnPlot = (state) => [
  tieNote(state),
  spreadNote(state),
  largestNote(state.labels, "Names label"),
  largestNote(state.contours, "Contours outline"),
];

/** A note if the plot names only the largest categories.
 * @param {State["labels"] | State["contours"]} found @param {string} what */
function largestNote(found, what) {
  if (!found || found.n_present <= found.labels.length) return "";
  const [n, all] = [found.labels.length, found.n_present].map(wholeNumber);
  return `${what} the ${n} largest of ${all} categories of ${found.column}.`;
}

/** The note counts the cells on a line from this share on: it is about dense lines, not about a few zeros. */
const MANY = 0.02;

/** Ties of many cells if two columns are the axes: at (0, 0), or at 0 of one axis. @param {State} state
 * @returns {{n: number, place: string, line: -1 | 0 | 1}[]} line: the axis that is 0; -1 = both */
export function tiesOf({ points }) {
  if (points === null) return [];
  const [both = 0, ...lines] = points.nAtZero ?? [];
  const ties = lines.map((n, i) => ({ n, place: `${points.axisLabels[i]} = 0`, line: /** @type {0 | 1} */ (i) }));
  const many = ties.filter(({ n }) => n > Math.max(both, MANY * points.nObs));
  return both > 0 ? [{ n: both, place: "(0, 0)", line: -1 }, ...many] : many;
}

/** Lines at 0 with enough cells to draw their distribution.
 * @param {State} state @returns {(0 | 1)[]} the axes that are 0 */
export function linesOf({ points }) {
  const [, ...lines] = points?.nAtZero ?? [];
  return /** @type {const} */ ([0, 1]).filter((axis) => (lines[axis] ?? 0) > MANY * (points?.nObs ?? 0));
}

/** @param {State} state */
export const spreadNote = (state) =>
  linesOf(state).length === 0 ? "" : `Bars along 0 show how the ${nounsOf(state).obs.many} at 0 are distributed.`;

/** @param {State} state @param {ReturnType<typeof tiesOf>} [ties] */
export function tieNote(state, ties = tiesOf(state)) {
  if (ties.length === 0) return "";
  const [first, ...rest] = ties;
  const cells = counted(state.points?.nObs ?? 0, nounsOf(state).obs);
  const more = rest.map(({ n, place }) => `, ${wholeNumber(n)} at ${place}`).join("");
  return `${wholeNumber(first.n)} of ${cells} lie at ${first.place}${more}.`;
}
