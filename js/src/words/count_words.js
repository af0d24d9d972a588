/** How many cells are selected and pass, as a sentence that is spoken. Pure. */
import { nSelectedPassing } from "../state/counts.js";
import { isHidingOfSets, nShown } from "../state/hidden.js";
import { counted, wholeNumber } from "./format.js";
import { nounsOf } from "./nouns.js";

/** @typedef {import("../state/state.js").State} State */

/** What is worth saying after a change of the state; "" = nothing. @param {State} state @param {State} before @returns {string} */
export function describeCounts(state, before) {
  const { dataset, selection } = state;
  if (dataset === null) return "";
  const { nObs, title } = dataset;
  const all = counted(nObs, nounsOf(state).obs);
  if (before.dataset === null) return `${title}: ${all}`;
  const n = nShown(state, nObs);
  const [isSelected, isFiltered] = [selection !== before.selection, n !== nShown(before, nObs)];
  if (!isSelected && !isFiltered) return "";
  const nPassing = nSelectedPassing(state);
  const pass = nPassing === null ? "" : `, ${wholeNumber(nPassing)} pass`;
  const unchanged = selection.missed && selection.n > 0 ? ", unchanged" : "";
  const selected =
    isSelected || selection.n > 0 ? `${wholeNumber(selection.n)} of ${all} selected${unchanged}${pass}` : "";
  const passing = n < nObs ? wholeNumber(n) : isFiltered ? "all" : "";
  if (passing === "") return selected;
  const said = isHidingOfSets(state) || isHidingOfSets(before) ? "shown" : "pass the filters";
  if (selected !== "") return `${selected}; ${passing} ${said}`;
  return n < nObs ? `${passing} of ${all} ${said}` : `All ${all} ${said}`;
}
