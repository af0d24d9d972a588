/** The live region of a view: what a screen reader says of changes, once they have come to rest. */
import { describeCounts } from "../words/count_words.js";

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
