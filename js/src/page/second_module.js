/** Loads the second module (panels, names, contours, drawing with keys, saved pictures) over the comm at first use,
 * once per page. */
import { _$LH, html, noChange, nothing, render, svg } from "lit-html";

/** @typedef {import("./parts/ui.js").Context} Context */

/**
 * @typedef {{side: unknown, chips: unknown, bottom: unknown, settings: unknown, saving: unknown, legend: unknown, notes: unknown, place: unknown}} Panels templates: side and bottom: the open panels beside and below the plot; settings and
 *   saving: the popovers of their buttons; legend: an addition to the legend; notes: the list of notes; place: the
 *   choice of two columns as axes
 * @typedef {(context: Context | null) => Panels} DrawPanels null = the view has ended
 * @typedef {(client: import("../wire/client.js").Client, redraw: () => void) => DrawPanels} CreatePanels for one
 *   view; panels call `redraw` after a change that only they know of
 * @typedef {import("../plot/landmarks_loader.js").CreateLandmarks} CreateLandmarks
 * @typedef {import("../plot/keyboard_shape_loader.js").CreateKeyShape} CreateKeyShape
 * @typedef {(require: () => object) => {createPanels: CreatePanels, createLandmarks: CreateLandmarks, createKeyShape: CreateKeyShape, createPictures: import("../plot/picture_schedule.js").CreatePictures, depart: import("../picture/motion.js").Depart} & Record<"fade" | "summaryOf" | "linkPlots" | "notesOnPlot" | "saveFile" | "takeColumn", any>} Code gets lit-html by `require`
 */

const page = /** @type {any} */ (globalThis);
/** Modules by hash, for all widgets of a page: a widget of another kernel may need other code.
 * @type {Map<string, Promise<Code>>} */
const imported = (page["cxg-widget/panels"] ??= new Map());
/** Passed to the module: it must use the lit-html of its widget, because widgets of another build have their own
 * copy. */
const lit = { _$LH, html, noChange, nothing, render, svg };

const REFUSED =
  "Panels cannot load: this page's security policy blocks scripts from blob: URLs. Names, contours, notes, saved pictures, drawing with keys and the full description are not available either; everything else works.";

/**
 * @param {import("../state/state.js").Store} store @param {import("../wire/client.js").Client} client
 * @param {() => void} close closes the panels if the module cannot be loaded
 * @param {(code: Uint8Array) => Promise<Code>} importCode
 * @returns {() => void} to be called after each change of the state
 */
export function createModuleLoader(store, client, close, importCode = importBlob) {
  let isRequested = false;
  /** Layers on the plot when loading failed; they do not trigger another attempt. */
  let inVain = "";
  /** True after loading failed; optional features do not trigger another attempt. */
  let isRefused = false;

  /** True if the module is needed for something whose failure the user must see. */
  function isWanted() {
    const { traits, needsPanels } = store.get();
    const onPlot = namesOf(traits);
    return traits.open_panels.length > 0 || needsPanels || (onPlot !== "" && onPlot !== inVain);
  }

  return () => {
    const { needsQuietly, panels, dataset, link } = store.get();
    if (needsQuietly && isRefused) store.set({ needsQuietly: false });
    if (!(isWanted() || (needsQuietly && !isRefused)) || isRequested) return;
    if (panels !== null || dataset === null || link !== "live") return;
    isRequested = true;
    void load().finally(() => (isRequested = false));
  };

  function giveUp() {
    inVain = namesOf(store.get().traits);
    isRefused = true;
    close();
    store.set({ needsPanels: false, needsQuietly: false });
  }

  async function load() {
    const answer = await client.ask({ kind: "module", known: [...imported.keys()] });
    if (answer === null) return giveUp(); // the reason is already shown
    const { hash, arrays } = /** @type {import("../wire/protocol.js").Module} */ (answer[0]);
    if (!imported.has(hash)) imported.set(hash, importCode(arrays.code));
    try {
      const code = await /** @type {Promise<Code>} */ (imported.get(hash));
      const {
        createPanels,
        createLandmarks: landmarks,
        createKeyShape: keyShape,
        createPictures: pictures,
        depart: travel,
        ...others
      } = code(() => lit);
      store.set({ panels: createPanels, landmarks, keyShape, pictures, travel, ...others });
    } catch {
      imported.delete(hash);
      const isShown = isWanted();
      giveUp();
      if (isShown) store.set({ error: { of: "module", message: REFUSED } });
    }
  }
}

/** Names of the settings that need the module on the plot, beside it and in the legend; "" = none.
 * @param {import("../state/state.js").Traits} traits */
function namesOf({ labels, contours, difference, tissue, blend, color, embedding, panels, filters }) {
  const genes = blend === "colors" && Array.isArray(color) ? color : "";
  const pair = Array.isArray(embedding) ? embedding : "";
  return [labels, contours, difference, tissue, genes, pair, panels.length, filters.length].filter(Boolean).join(" ");
}

/** @param {Uint8Array} code deflated @returns {Promise<Code>} */
async function importBlob(code) {
  const deflated = new Blob([/** @type {Uint8Array<ArrayBuffer>} */ (code)]).stream();
  const inflated = await new Response(deflated.pipeThrough(new DecompressionStream("deflate"))).blob();
  const blob = new Blob([inflated], { type: "text/javascript" });
  const url = URL.createObjectURL(blob);
  try {
    return (await import(url)).default;
  } finally {
    URL.revokeObjectURL(url);
  }
}
