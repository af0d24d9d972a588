/** Requests the counts of open columns after each change of filters, selection or coloring. */

import { MOST_COUNTED } from "../../wire/constants.js";

/** @typedef {import("../../state/state.js").State} State */
/** @typedef {{column: string, rows: number[]}} Open a column and, in a long list, the rows to count; [] = all */

/** @typedef {{open: Open[]}} View the open columns of one view */

/** All views of a widget share its kernel and its counts, so they share one request.
 * @type {WeakMap<object, ReturnType<typeof createShared>>} */
const SHARED = new WeakMap();

/**
 * @param {import("../../wire/client.js").Client} client
 * @returns {(state: State | null, open: Open[]) => void} call it at each redraw of a view; null = the panel is
 *   closed there
 */
export function createCounting(client) {
  const shared = SHARED.get(client) ?? createShared(client);
  SHARED.set(client, shared);
  /** @type {View} */
  const view = { open: [] };
  return (state, open) => shared(view, state, open);
}

/** @param {import("../../wire/client.js").Client} client */
function createShared(client) {
  /** @type {Set<View>} */
  const views = new Set();
  let requested = "";
  let lastColumns = "";
  let lastRows = "";
  let isAsking = false;
  /** @type {State["dataset"]} */
  let lastDataset = null;
  /** @type {State | null} */
  let last = null;

  /** @param {View} view @param {State | null} state @param {Open[]} open */
  function take(view, state, open) {
    view.open = state === null ? [] : open;
    if (view.open.length > 0) views.add(view);
    else views.delete(view);
    last = state ?? last;
    check();
  }

  function check() {
    const rows = rowsOf(views);
    const open = [...rows.keys()];
    const columns = JSON.stringify(open);
    if (last === null || open.length === 0) {
      if (requested !== "") client.tell({ kind: "columns", panel: 0, columns: [], known: [] });
      [requested, lastColumns, lastRows, isAsking] = ["", "", "", false];
      return;
    }
    const { filters } = last.traits;
    const wanted = `${columns} ${JSON.stringify(filters)} ${last.filter.seq} ${last.selection.seq} ${last.color?.seq}`;
    // One request at a time, so that repeated keys do not queue up; a newly opened column does not wait.
    const isRelisted = lastDataset !== last.dataset; // its columns may have other labels
    const { columns: counted, traits } = last;
    // if many views need more, the rest waits
    const listed = [...rows.values()].map((some) => [...some].slice(0, MOST_COUNTED));
    const isCounted = !open.some((one) => isLacking(rows.get(one), counted[one]?.rows)) || String(listed) === lastRows;
    if ((wanted === requested && !isRelisted && isCounted) || last.link !== "live") return;
    if (isAsking && columns === lastColumns) return;
    [requested, lastColumns, lastRows, isAsking, lastDataset] = [wanted, columns, String(listed), true, last.dataset];
    const isOfLayer = (/** @type {string} */ one) =>
      !one.startsWith("var:") || counted[one].layer === (traits.layer ?? "");
    const known = isRelisted ? [] : open.filter((one) => counted[one]?.error === "" && isOfLayer(one));
    void client.ask({ kind: "columns", panel: 0, columns: open, known, filters, rows: listed }).then(() => {
      if (requested !== wanted) return; // a newer request has replaced this one
      isAsking = false;
      check();
    });
  }
  return take;
}

/** The open columns of all views, with the rows that any view needs.
 * @param {Set<View>} views @returns {Map<string, Set<number>>} */
function rowsOf(views) {
  const found = new Map();
  for (const { column, rows } of [...views].flatMap((view) => view.open))
    found.set(column, new Set([...(found.get(column) ?? []), ...rows]));
  return found;
}

/** Whether some rows have no counts yet. @param {Set<number>} [wanted] @param {number[]} [counted] [] = all */
function isLacking(wanted = new Set(), counted = []) {
  const known = new Set(counted);
  return known.size > 0 && [...wanted].some((row) => !known.has(row));
}
