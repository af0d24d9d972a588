/** Counts of selected cells by what colours them: asked for where a legend shows them, after each change of either. */

/** @typedef {import("./state.js").State} State */

/**
 * @typedef {object} Counted
 * @property {number} seq of the colouring
 * @property {number} selection seq of it
 * @property {number} nMissing selected cells without a value
 * @property {Uint32Array} counts selected cells of each category, or in each bin of the histogram
 *
 * @param {import("./state.js").Store} store
 * @param {() => Promise<import("../wire/protocol.js").Counts | undefined>} ask
 * @returns {() => void} called after each change of the state
 */
export function createCounter(store, ask) {
  let asked = "";
  return function check() {
    const wanted = whatToCount(store.get());
    if (wanted === asked) return;
    asked = wanted;
    if (wanted !== "") void ask().then((found) => found && take(found));
  };

  /** @param {import("../wire/protocol.js").Counts} found */
  function take({ seq, selection_seq, n_missing, arrays }) {
    store.set({ counted: { seq, selection: selection_seq, nMissing: n_missing, counts: arrays.counts } });
  }
}

/** @param {State} state @returns {string} "" = nothing, for want of a selection, a colouring or all of its values */
function whatToCount({ link, selection, color, nextColor }) {
  const isReady =
    link === "live" && nextColor === null && color !== null && color.counts.length + color.histogram.length > 0;
  return isReady && selection.n > 0 ? `${color.seq} ${selection.seq}` : "";
}

/** What is known of the selection under a legend; null = there is none, or it has not been counted yet.
 * @param {Pick<State, "selection" | "counted">} state @param {import("./state.js").Coloring} color @returns {Counted | null} */
export function countsOf({ selection, counted }, color) {
  return selection.n > 0 && counted?.seq === color.seq && !color.statistic ? counted : null;
}
