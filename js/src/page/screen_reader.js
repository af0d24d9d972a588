/** Texts of a view for screen readers: announces changes of counts and describes the plot, both after changes have
 * settled. */
import { nSelectedPassing } from "../state/counts.js";
import { isHidingOfSets, nShown } from "../state/hidden.js";
import { counted, wholeNumber } from "../words/format.js";
import { nounsOf } from "../words/nouns.js";

/** Of changes within this interval, only the last is announced. */
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
      // To announce the same sentence again, its text must differ: a no-break space does that.
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

/** The announcement after a change of the state; "" = none. @param {State} state @param {State} before
 * @returns {string} */
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
  const verb = isHidingOfSets(state) || isHidingOfSets(before) ? "shown" : "pass the filters";
  if (selected !== "") return `${selected}; ${passing} ${verb}`;
  return n < nObs ? `${passing} of ${all} ${verb}` : `All ${all} ${verb}`;
}

/** Delay before the second module loads, because its bytes would delay the points. */
const NEED_MS = 1_500;

/** Inputs of the description, to detect changes. @param {State} state */
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

/** @param {Pick<HTMLElement, "textContent">} element that describes the plot
 * @param {() => void} need called if the second module is not loaded yet */
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
