/** The picture as text beside the plot, written anew once a change has come to rest: its title alone until the second module is here. */

const REST_MS = 400;
/** The points come first, which the module's bytes would hold up. */
const NEED_MS = 1_500;

/** @typedef {import("../state/state.js").State} State */

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
