/** Saved pictures of a plot: updates the notebook's picture once the plot rests or the page is hidden or saved. The
 * second module draws them. */

/**
 * @typedef {import("../words/legend_words.js").Key} Key
 *
 * @typedef {object} Pictures
 * @property {() => Promise<void>} keep saves a picture in the notebook
 * @property {(wanted: number, edit?: (key: Key | null) => Key | null) => Promise<HTMLCanvasElement>} figure draws a
 *   picture; wanted: px per CSS px; edit: changes the legend
 *
 * @typedef {object} Pictured the plot that the pictures show
 * @property {HTMLElement} element
 * @property {import("../state/state.js").Store} store
 * @property {() => import("../picture/surface.js").Surface} surface
 * @property {import("./aim.js").Aim} aim camera and size
 * @property {() => import("../style/point_style.js").Theme} theme
 * @property {Pick<import("./landmarks_loader.js").Landmarks, "paint" | "underlay">} landmarks
 * @property {() => boolean} isToKeep whether to save a picture of this plot now
 * @property {(still: import("../state/state.js").Still) => void} keep
 * @property {{draws: Set<() => Promise<HTMLCanvasElement>>}} together functions that draw all panels of a view in one
 *   picture, one for each view with panels
 *
 * @typedef {(plot: Pictured) => Pictures} CreatePictures
 */

/** Delay before a picture is saved. A picture has as many bytes as the values of a gene or more: it must not delay
 * them while the user still changes the color. */
const REST_MS = 5_000;
/** Events on the window in the capture phase, because hosts stop the key event that saves. */
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

  /** Loads the module that draws pictures. @param {"needsPanels" | "needsQuietly"} need @returns {Promise<Pictures>}
   * rejected if it cannot be loaded */
  function get(need) {
    return new Promise((resolve, reject) => {
      const check = () => {
        const state = store.get();
        // The module is still loading.
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
      () => {}, // the kernel's picture stays
    );
  }

  /** Saves without further delay: a host may read the document now, or close the page. @param {Event} event */
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
