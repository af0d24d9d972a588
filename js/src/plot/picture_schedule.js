/** Saved pictures of a plot: takes the notebook's once the page rests, is hidden or saved. The second module draws them. */

/**
 * @typedef {import("../words/legend_words.js").Key} Key
 *
 * @typedef {object} Pictures
 * @property {() => Promise<void>} keep one in the notebook
 * @property {(wanted: number, edit?: (key: Key | null) => Key | null) => Promise<HTMLCanvasElement>} figure wanted: px per CSS px; edit: what of
 *   the key is said
 *
 * @typedef {object} Pictured the plot that they are of
 * @property {HTMLElement} element
 * @property {import("../state/state.js").Store} store
 * @property {() => import("../picture/surface.js").Surface} surface
 * @property {import("./aim.js").Aim} aim where it looks
 * @property {() => import("../style/point_style.js").Theme} theme
 * @property {Pick<import("./landmarks_loader.js").Landmarks, "paint" | "underlay">} landmarks
 * @property {() => boolean} isToKeep whether this is the plot whose picture is kept, and now
 * @property {(still: import("../state/state.js").Still) => void} keep
 * @property {{draws: Set<() => Promise<HTMLCanvasElement>>}} together of all panels, one of each view that has some
 *
 * @typedef {(plot: Pictured) => Pictures} CreatePictures
 */

/** It is as large as the values of a gene, or larger: it must not travel while somebody still looks for the next color. */
const REST_MS = 5_000;
/** Heard by the window in its first phase: hosts stop the key by which they save. */
const LEAVING = ["keydown", "visibilitychange", "pagehide"];
const FIRST = { capture: true };

/** @param {Pictured} plot */
export function createSavedPictures(plot) {
  const { store } = plot;
  /** @type {Pictures | null} */
  let pictures = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const here = () => (pictures ??= store.get().pictures?.(plot) ?? null);

  /** Once what draws them has come. @param {"needsPanels" | "needsQuietly"} need @returns {Promise<Pictures>} */
  function get(need) {
    return new Promise((resolve, reject) => {
      const check = () => {
        const state = store.get();
        // The module is still on its way.
        if (here() === null && state.link === "live" && state[need]) return;
        unsubscribe();
        if (pictures !== null) resolve(pictures);
        else reject(Error("the panel code could not be loaded."));
      };
      const unsubscribe = store.subscribe(check);
      if (here() === null) store.set({ [need]: true });
      check();
    });
  }

  function keep() {
    stop();
    get("needsQuietly").then(
      (them) => them.keep(),
      () => {}, // the kernel's is kept
    );
  }

  /** What rests no longer: a host may read the document at once, or throw the page away. @param {Event} event */
  function leave(event) {
    const { key, ctrlKey, metaKey } = /** @type {KeyboardEvent} */ (event);
    const isSaved = event.type === "keydown" && key.toLowerCase() === "s" && (ctrlKey || metaKey);
    if (isSaved || event.type === "pagehide" || (event.type === "visibilitychange" && document.hidden)) keep();
  }

  function stop() {
    clearTimeout(timer);
    for (const type of LEAVING) removeEventListener(type, leave, FIRST);
  }

  return {
    keepSoon() {
      stop();
      timer = setTimeout(keep, REST_MS);
      for (const type of LEAVING) addEventListener(type, leave, FIRST);
    },
    stop,
    /** @type {Pictures["figure"]} */
    figure: async (...wanted) => (await get("needsPanels")).figure(...wanted),
  };
}
