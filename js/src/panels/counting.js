/** Asks for the counts of the columns that are open, after each change of filters, selection or colouring. */

/** @typedef {import("../state/state.js").State} State */
/** @typedef {{open: string[]}} View what one view has open */

/** All views of a widget share its kernel and its counts, and so one question. @type {WeakMap<object, ReturnType<typeof createShared>>} */
const SHARED = new WeakMap();

/**
 * @param {import("../wire/client.js").Client} client
 * @returns {(state: State | null, open: string[]) => void} called at each drawing of a view; null = the panel is closed there
 */
export function createCounting(client) {
  const shared = SHARED.get(client) ?? createShared(client);
  SHARED.set(client, shared);
  /** @type {View} */
  const view = { open: [] };
  return (state, open) => shared(view, state, open);
}

/** @param {import("../wire/client.js").Client} client */
function createShared(client) {
  /** @type {Set<View>} */
  const views = new Set();
  let asked = "";
  let askedColumns = "";
  let isAsking = false;
  /** @type {State["dataset"]} */
  let askedOf = null;
  /** @type {State | null} */
  let last = null;

  /** @param {View} view @param {State | null} state @param {string[]} open */
  function take(view, state, open) {
    view.open = state === null ? [] : open;
    if (view.open.length > 0) views.add(view);
    else views.delete(view);
    last = state ?? last;
    check();
  }

  function check() {
    const open = [...new Set([...views].flatMap((view) => view.open))];
    const columns = JSON.stringify(open);
    if (last === null || open.length === 0) {
      if (asked !== "") client.tell({ kind: "columns", panel: 0, columns: [], known: [] });
      [asked, askedColumns, isAsking] = ["", "", false];
      return;
    }
    const { filters } = last.traits;
    const wanted = `${columns} ${JSON.stringify(filters)} ${last.filter.seq} ${last.selection.seq} ${last.color?.seq}`;
    // One question at a time, so that keys held down are answered as fast as can be; a column that opens does not wait.
    const isToldAnew = askedOf !== last.dataset; // its columns may have other labels
    if ((wanted === asked && !isToldAnew) || last.link !== "live" || (isAsking && columns === askedColumns)) return;
    [asked, askedColumns, isAsking, askedOf] = [wanted, columns, true, last.dataset];
    const { columns: counted, traits } = last;
    const isOfLayer = (/** @type {string} */ one) =>
      !one.startsWith("var:") || counted[one].layer === (traits.layer ?? "");
    const known = isToldAnew ? [] : open.filter((one) => counted[one]?.error === "" && isOfLayer(one));
    void client.ask({ kind: "columns", panel: 0, columns: open, known, filters }).then(() => {
      if (asked !== wanted) return; // another question has been asked meanwhile
      isAsking = false;
      check();
    });
  }
  return take;
}
