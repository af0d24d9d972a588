/** Requests names, contours and differences after each change of their settings, the points or the filters. */

/** @typedef {import("../../state/state.js").Store} Store */
/** @typedef {import("../../state/state.js").State} State */
/** @typedef {"labels" | "contours" | "difference"} Kind */

/** Stores with a requester: all plots that share a store share its requests. @type {WeakSet<Store>} */
const ASKING = new WeakSet();

/** Keep names, contours and differences of one embedding up to date; returns a function that stops.
 * @param {Store} store @param {import("../../wire/client.js").Client} client @returns {() => void} */
export function askForLandmarks(store, client) {
  if (ASKING.has(store)) return () => {};
  ASKING.add(store);
  const checks = /** @type {Kind[]} */ (["labels", "contours", "difference"]).map((kind) =>
    createQuestion(kind, store, client),
  );
  const check = () => checks.forEach((one) => one(store.get()));
  const stop = store.subscribe(check);
  check();
  return stop;
}

/** @param {Kind} kind @param {Store} store @param {import("../../wire/client.js").Client} client */
function createQuestion(kind, store, client) {
  let requested = "";
  /** @type {State["dataset"]} */
  let lastDataset = null;
  return (/** @type {State} */ state) => {
    const about = aboutOf(state, kind);
    if (about === null && state[kind]) store.set({ [kind]: null });
    const { dataset, panel, points, filter, traits, link, isSeen } = state;
    // the first picture takes precedence
    const isReady = about !== null && points !== null && isSeen && link === "live";
    const wanted = isReady
      ? JSON.stringify([about, panel, points.seq, filter.seq, traits.filters, stepOf(about, traits)])
      : "";
    if (wanted === requested && lastDataset === dataset) return; // a resent dataset may have other labels
    [requested, lastDataset] = [wanted, dataset];
    if (wanted === "") return;
    void client.ask({ kind, panel, ...about, filters: traits.filters }).then((answer) => {
      if (answer !== null && requested === wanted) store.set({ [kind]: answer[0] });
    });
  };
}

/** The column or the sets of a request. @param {Pick<State, "traits">} state @param {Kind} kind
 * @returns {{column?: string, sets?: string[]} | null} column "" = all cells */
export function aboutOf({ traits }, kind) {
  const wanted = traits[kind];
  if (Array.isArray(wanted)) return kind === "contours" ? { column: "", sets: wanted } : { sets: wanted };
  return wanted === true ? { column: "" } : wanted ? { column: wanted } : null;
}

/** Sets may change with each step, and only the kernel knows their cells: part of the request key.
 * @param {{sets?: string[]}} about @param {State["traits"]} traits */
function stepOf({ sets }, { steps }) {
  return sets === undefined ? 0 : steps.n;
}

/** The received overlay if it matches the current setting and points; null = none.
 * @template {Kind} K @param {State} state @param {K} kind @returns {NonNullable<State[K]> | null} */
export function known(state, kind) {
  const [found, about] = [state[kind], aboutOf(state, kind)];
  if (!found || about === null || found.points_seq !== state.points?.seq) return null;
  const { column = "", sets = [] } = /** @type {{column?: string, sets?: string[]}} */ (found);
  const isSame = column === (about.column ?? "") && JSON.stringify(sets) === JSON.stringify(about.sets ?? []);
  return isSame ? /** @type {NonNullable<State[K]>} */ (found) : null;
}
