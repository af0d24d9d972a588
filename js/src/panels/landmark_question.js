/** Asks where names stand and contours run, after each change of the column, the points or the filters. */

/** @typedef {import("../state/state.js").Store} Store */
/** @typedef {import("../state/state.js").State} State */
/** @typedef {"labels" | "contours"} Kind */

/** All plots of a widget share its state, and so one question. @type {WeakSet<Store>} */
const ASKING = new WeakSet();

/** @param {Store} store @param {import("../wire/client.js").Client} client */
export function askForLandmarks(store, client) {
  if (ASKING.has(store)) return;
  ASKING.add(store);
  const checks = /** @type {Kind[]} */ (["labels", "contours"]).map((kind) => createQuestion(kind, store, client));
  const check = () => checks.forEach((one) => one(store.get()));
  store.subscribe(check);
  check();
}

/** @param {Kind} kind @param {Store} store @param {import("../wire/client.js").Client} client */
function createQuestion(kind, store, client) {
  let asked = "";
  /** @type {State["dataset"]} */
  let askedOf = null;
  return (/** @type {State} */ state) => {
    const column = columnOf(state, kind);
    if (column === null && state[kind] !== null) store.set({ [kind]: null });
    const { dataset, points, filter, traits, link, isSeen } = state;
    const isReady = column !== null && points !== null && isSeen && link === "live"; // the first picture comes first
    const wanted = isReady ? JSON.stringify([column, points.seq, filter.seq, traits.filters]) : "";
    if (wanted === asked && askedOf === dataset) return; // told anew, a column may have other labels
    [asked, askedOf] = [wanted, dataset];
    if (wanted === "") return;
    void client.ask({ kind, panel: 0, column, filters: traits.filters }).then((answer) => {
      if (answer !== null && asked === wanted) store.set({ [kind]: answer[0] });
    });
  };
}

/** The column that is named, or has contours. @param {Pick<State, "traits">} state @param {Kind} kind @returns {string | null} "" = all cells */
export function columnOf({ traits }, kind) {
  const asked = traits[kind];
  return asked === true ? "" : asked || null;
}

/** What is known of those that are asked for and lie on the points on show; null = nothing.
 * @template {Kind} K @param {State} state @param {K} kind @returns {State[K]} */
export function known(state, kind) {
  const found = state[kind];
  return found !== null && found.column === columnOf(state, kind) && found.points_seq === state.points?.seq
    ? found
    : null;
}
