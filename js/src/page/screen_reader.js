/** What a screen reader says of a view: changes of counts, and a description of the plot, both once changes have come to rest. */
import { nSelectedPassing } from "../state/counts.js";
import { isHidingOfSets, nShown } from "../state/hidden.js";
import { counted, wholeNumber } from "../words/format.js";
import { nounsOf } from "../words/nouns.js";

/** Changes that follow each other so soon are said as one: the last. */
const REST_MS = 400;

/** @typedef {(sentence: string) => void} Say */

/** @param {Pick<HTMLElement, "textContent">} element a polite live region */
export function createAnnouncer(element) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  /** @type {Say} */
  function say(sentence) {
    clearTimeout(timer);
    timer = setTimeout(() => {
      // The same once more is said once more: no-break spaces make another text of it.
      element.textContent = sentence === element.textContent ? `${sentence}\u00a0` : sentence;
    }, REST_MS);
  }

  return {
    say,
    /** @param {import("../state/state.js").State} state @param {import("../state/state.js").State} before */
    follow(state, before) {
      const sentence = describeCounts(state, before);
      if (sentence !== "") say(sentence);
    },
    stop: () => clearTimeout(timer),
  };
}

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

/** The points come first, which the module's bytes would hold up. */
const NEED_MS = 1_500;

/** What the text is made of. @param {State} state */
const partsOf = ({ dataset, points, color, selection, filter, traits, crowd, summaryOf }) => [
  dataset,
  points,
  color,
  selection,
  filter,
  traits,
  crowd,
  summaryOf,
];

/** @param {Pick<HTMLElement, "textContent">} element that describes the plot @param {() => void} need is called where the second module has yet to come */
export function createDescription(element, need) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  return {
    /** @param {State} state @param {State} [before] */
    follow(state, before) {
      const old = before === undefined ? [] : partsOf(before);
      if (partsOf(state).every((part, i) => part === old[i])) return;
      clearTimeout(timer);
      timer = setTimeout(() => {
        element.textContent = state.summaryOf?.(state) ?? state.dataset?.title ?? "";
        if (!state.summaryOf && state.dataset) timer = setTimeout(need, NEED_MS);
      }, REST_MS);
    },
    stop: () => clearTimeout(timer),
  };
}
