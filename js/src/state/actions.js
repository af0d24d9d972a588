/** User actions, called by the panels. */
// Changes with cxg_widget/selection/selection.py: modes of a selection.
import { READ } from "../wire/constants.js";
import { labelsOf } from "./hidden.js";
import { putBrush } from "./scene.js";

/** @typedef {import("./state.js").Traits} Traits */

/** Maximum number of matches in a search. */
const MATCHES = 50;
/** Kind of the reply that each of these traits brings. @type {Partial<Record<keyof Traits, string>>} */
const BRINGS = { color: "color", embedding: "points", filters: "filter" };

/**
 * @typedef {object} Actions
 * @property {<K extends keyof Traits>(name: K, value: Traits[K]) => void} setTrait
 *   change a synced trait (saved to the kernel)
 * @property {(name: "vmin" | "vmax", value: number, done: boolean) => void} dragLimit move a limit; only `done` saves the trait
 * @property {(query: string) => void} search request matches; the newest query wins; `state.found` gets the result
 * @property {(index: number) => void} toggleCategory show or hide one category; the index after the last category means
 *   cells without a value
 * @property {(index: number) => void} onlyCategory show only one category; a second call shows all
 * @property {(index: number, mode: import("../wire/protocol.js").Mode) => void} selectCategory select all cells of one category
 * @property {(code: number, mode: import("../wire/protocol.js").Mode) => void} selectField select all cells of one
 *   field in the color map of several genes
 * @property {(brush: import("./scene.js").Brush | null) => void} brush exclude points by a brush during a drag; null:
 *   by the filters again
 * @property {() => void} clearFilters let all cells pass
 * @property {() => void} showAll show all categories
 * @property {(index: number) => void} highlight category under the pointer; -1 = none
 * @property {(rows: number[], mode: import("../wire/protocol.js").Mode) => void} selectRows select cells by their rows
 * @property {(cell: import("./state.js").Cell | null) => void} point draw a ring around a cell in the plot; null = none
 * @property {() => void} clearSelection
 * @property {(redo: boolean) => void} undo undo the last step, or redo it
 * @property {() => void} stop cancel the running work, if it can be canceled
 * @property {() => void} resetView
 * @property {() => void} dismissError
 * @property {() => void} needPanels load the second module, if it is not loaded yet
 */

/**
 * @param {import("./scene.js").Scene} scene @param {import("./state.js").Store} store @param {import("../wire/client.js").Client} client
 * @param {import("./traits.js").SyncedTraits} traits @param {() => void} resetView
 * @param {() => void} giveUpImage drop the pending request for an image
 * @returns {Actions}
 */
export function createActions(scene, store, client, traits, resetView, giveUpImage) {
  const labels = () => labelsOf(store.get().color);
  /** @type {Actions["selectField"]} */
  const selectCode = (code, mode) => {
    const { color } = store.get();
    if (color) void select(store, client, { kind: "category", panel: 0, color: color.spec, code, mode });
  };
  /** @type {Actions} */
  const actions = {
    setTrait(name, value) {
      if (READ.some((one) => one === name) || (name === "filters" && store.get().error?.of === "filter"))
        store.set({ error: null }); // it concerns the previous value
      const { link, traits: before } = store.get();
      if (BRINGS[name] && link !== "offline" && JSON.stringify(before[name]) !== JSON.stringify(value))
        store.set({ awaited: BRINGS[name] });
      traits.set(name, value);
    },
    dragLimit: (name, value, done) => (done ? traits.set : traits.take)(name, value),
    async search(query) {
      const answer = await client.ask({ kind: "search", query, limit: MATCHES });
      const found = /** @type {import("../wire/protocol.js").Matches | undefined} */ (answer?.[0]);
      if (found === undefined) return;
      const matches = /** @type {import("./state.js").Match[]} */ (found.matches);
      store.set({ found: { query: found.query, matches, nMore: found.n_more } });
    },
    toggleCategory(index) {
      const label = labels()[index];
      const { hidden } = store.get().traits;
      traits.set("hidden", hidden.includes(label) ? hidden.filter((one) => one !== label) : [...hidden, label]);
    },
    onlyCategory(index) {
      const others = labels().filter((_, i) => i !== index);
      const hidden = new Set(store.get().traits.hidden);
      const isOnly = hidden.size === others.length && others.every((label) => hidden.has(label));
      traits.set("hidden", isOnly ? [] : others);
    },
    brush(brush) {
      putBrush(scene, brush);
      store.set({ brush: brush && { ends: brush.ends, n: brush.n } });
    },
    clearFilters: () => actions.setTrait("filters", []),
    showAll: () => traits.set("hidden", []),
    selectCategory(index, mode) {
      selectCode(index < (store.get().color?.categories.length ?? 0) ? index : -1, mode);
    },
    selectField: selectCode,
    selectRows: (rows, mode) => void select(store, client, { kind: "pick", panel: 0, rows, mode }),
    point(cell) {
      if (cell?.row !== store.get().cell?.row) store.set({ cell });
    },
    highlight(index) {
      if (index !== store.get().highlighted) store.set({ highlighted: index });
    },
    clearSelection: () => void client.ask({ kind: "clear" }),
    undo: (redo) => client.tell({ kind: "undo", redo }),
    stop() {
      const of = store.get().building?.ends_by;
      if (of === "aggregate") giveUpImage();
      if (of) client.tell({ kind: "cancel", of, panel: 0 });
    },
    resetView,
    dismissError: () => store.set({ error: null }),
    needPanels: () => store.set({ needsPanels: true }),
  };
  return actions;
}

/** Requests a change of the selection and records if nothing changed. @param {import("./state.js").Store} store
 * @param {import("../wire/client.js").Client} client @param {{kind: "lasso" | "category" | "pick", mode: import("../wire/protocol.js").Mode} & Record<string, any>} request */
export async function select(store, client, request) {
  const { n } = store.get().selection;
  store.set({ awaited: "selection" });
  const answer = await client.ask(request);
  const { selection } = store.get();
  const found = /** @type {import("../wire/protocol.js").Selection | undefined} */ (answer?.[0]);
  const isSame =
    found?.seq === selection.seq && (selection.n === 0 || (request.mode !== "replace" && selection.n === n));
  if (isSame) store.set({ selection: { ...selection, missed: true } });
}
