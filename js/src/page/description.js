/** The picture as text beside the plot, written anew once a change has come to rest. */
import { summaryOf } from "../words/summary.js";

const REST_MS = 400;

/** @typedef {import("../state/state.js").State} State */

/** What the text is made of. @param {State} state */
const partsOf = ({ dataset, points, color, selection, filter, traits, crowd, describeFilters }) => [
  dataset,
  points,
  color,
  selection,
  filter,
  traits,
  crowd,
  describeFilters,
];

/** @param {Pick<HTMLElement, "textContent">} element that describes the plot */
export function createDescription(element) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  return {
    /** @param {State} state @param {State} [before] */
    follow(state, before) {
      const old = before === undefined ? [] : partsOf(before);
      if (partsOf(state).every((part, i) => part === old[i])) return;
      clearTimeout(timer);
      timer = setTimeout(() => (element.textContent = summaryOf(state)), REST_MS);
    },
    stop: () => clearTimeout(timer),
  };
}
