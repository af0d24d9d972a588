/** Counts of selected cells per category or bin. Requests them after each change of the selection, filters or
 * coloring. */

/** @typedef {import("./state.js").State} State */

/**
 * @typedef {object} Counted
 * @property {number} seq of the coloring
 * @property {number} selection seq of the selection
 * @property {number} nMissing selected cells without a value
 * @property {Uint32Array} counts selected cells that pass the filters, per category or per bin of the histogram
 * @property {number} [filter] seq of the filters
 * @property {number} [nPassing] selected cells that pass
 * @property {Uint32Array | null} [passing] all cells that pass, per category or bin like `counts`, then those without a
 *   value; null = no filter
 *
 * @param {import("./state.js").Store} store
 * @param {() => Promise<import("../wire/protocol.js").Counts | undefined>} ask
 * @returns {() => void} to be called after each change of the state
 */
export function createCounter(store, ask) {
  let requested = "";
  return function check() {
    const wanted = whatToCount(store.get());
    if (wanted === requested) return;
    requested = wanted;
    if (wanted !== "") void ask().then((found) => found && take(found));
  };

  /** @param {import("../wire/protocol.js").Counts} found */
  function take({ seq, selection_seq, filter_seq: filter, n_missing, n_selected: nPassing, arrays }) {
    const passing = arrays.passing.length > 0 ? arrays.passing : null;
    const { counts } = arrays;
    store.set({ counted: { seq, selection: selection_seq, filter, nMissing: n_missing, nPassing, counts, passing } });
  }
}

/** @param {State} state
 * @returns {string} key of the counts to request; "" = none, because there is no selection or filter, or no complete
 * coloring */
function whatToCount({ link, selection, filter, color, nextColor, traits }) {
  const isReady =
    link === "live" && nextColor === null && color !== null && color.counts.length + color.histogram.length > 0;
  if (!isReady || (selection.n === 0 && filter.n === null)) return "";
  // Hiding categories in the legend changes `filter.seq` but not `traits.filters`.
  return `${color.seq} ${selection.seq} ${filter.seq} ${selection.n > 0 ? JSON.stringify(traits.filters) : ""}`;
}

/** Counts of the selection for a coloring; null if nothing is selected or the counts have not arrived yet.
 * @param {Pick<State, "selection" | "counted">} state @param {import("./state.js").Coloring} color @returns {Counted | null} */
export function countsOf({ selection, counted }, color) {
  return selection.n > 0 && counted?.seq === color.seq && !color.statistic ? counted : null;
}

/** Number of selected cells that pass the filters; null if there is no filter or the count has not arrived yet.
 * @param {Pick<State, "selection" | "counted" | "filter" | "traits">} state @returns {number | null} */
export function nSelectedPassing({ selection, counted, filter, traits }) {
  const isKnown = counted?.selection === selection.seq && counted.filter === filter.seq;
  return isKnown && selection.n > 0 && traits.filters.length > 0 ? (counted.nPassing ?? null) : null;
}

/** Passing cells per category, then those without a value; for numbers, only those without a value. Null if all cells
 * pass or the counts have not arrived yet. @param {Pick<State, "counted" | "filter">} state
 * @param {import("./state.js").Coloring} color @returns {number[] | null} */
function passingOf({ counted, filter }, { seq, statistic, counts }) {
  const isKnown = filter.n !== null && counted?.seq === seq && !statistic;
  const passing = Array.from((isKnown && counted?.passing) || []).slice(-counts.length - 1);
  return passing.length > counts.length ? passing : null;
}

/** Replaces the counts of a coloring by those of the passing cells, if known. Zeros of passing cells are never counted.
 * @param {Pick<State, "counted" | "filter">} state @param {import("./state.js").Coloring} color @returns {import("./state.js").Coloring} */
export function countPassing(state, color) {
  const counts = passingOf(state, color);
  if (counts === null) return color;
  const uncounted = (/** @type {number} */ n) => (n > 0 ? -1 : 0);
  const [nZero, nNegative] = [color.nZero, color.nNegative].map(uncounted);
  return { ...color, nMissing: counts[color.counts.length], counts: counts.slice(0, -1), nZero, nNegative };
}

/** The two counts in each row of a legend, and their heading: selected and all cells, or passing cells while a filter
 * is active.
 * @param {Pick<State, "selection" | "counted" | "filter">} state @param {import("./state.js").Coloring} color
 * @returns {{key: string, first?: ArrayLike<number>, second: ArrayLike<number>}} cells without a value come last;
 *   first: undefined if a row has one count */
export function legendCounts(state, color) {
  const all = [...color.counts, color.nMissing];
  const chosen = countsOf(state, color);
  const first = chosen === null ? undefined : [...chosen.counts, chosen.nMissing];
  const passing = passingOf(state, color);
  if (passing === null) return { key: first ? "selected / all" : "", first, second: all };
  return first
    ? { key: "selected / passing", first, second: passing }
    : { key: "passing / all", first: passing, second: all };
}
