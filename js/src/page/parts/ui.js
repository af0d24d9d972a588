/** State of a single view: open menus, typed text, scroll positions. None of it reaches the kernel. */

/**
 * @typedef {object} Ui
 * @property {boolean | null} panel whether the side panel is open; null = if there is enough width
 * @property {boolean} isNarrow the view is too narrow for a side panel beside the plot, so it lies over the plot
 * @property {"" | "settings" | "panels" | "notes" | "notice" | "cmap" | "keys" | "place" | "save"} popover the open
 *   popover
 * @property {{open: boolean, text: string, active: number, pick: boolean, picked: import("../../state/state.js").Match | null}} search
 *   pick: choose the best match as soon as it is known; picked: the chosen match, whose coloring may still be loading
 * @property {{filter: string, byCount: boolean, scroll: number, height: number, active: number}} legend
 * @property {{name: "vmin" | "vmax", value: number} | null} drag the limit that is being dragged
 * @property {{size: import("./divider.js").Size, px: number} | null} resize the size that is being dragged
 * @property {boolean | null} full whether the view is in full screen; null = not available
 * @property {"" | "vmin" | "vmax"} badLimit the limit field with an invalid entry
 * @property {string} limitFault message about this entry
 * @property {{panel: string, from: HTMLElement} | null} cameFrom the panel that the user has just opened, which takes
 *   the focus, and the button that opened it
 * @property {boolean} dark whether the page is dark
 * @property {{x: number, y: number} | null} pointer over the plot, CSS px from its top left
 *
 * @typedef {object} Context argument of every template
 * @property {import("../../state/state.js").State} state
 * @property {Ui} ui
 * @property {import("../../state/actions.js").Actions} actions
 * @property {import("../second_module.js").DrawPanels | null} panels draws the open panels; null until the second
 *   module has loaded
 * @property {(change: Partial<Ui>) => void} update
 * @property {(query: string) => void} ask searches after a short delay
 * @property {(scale: number) => void} save downloads the picture as PNG; px per CSS px
 * @property {() => number[]} room width and height of the plot area, CSS px
 * @property {() => void} fullScreen enters or exits full screen
 */

/** @returns {Ui} */
export function initialUi() {
  return {
    panel: null,
    isNarrow: false,
    popover: "",
    search: { open: false, text: "", active: -1, pick: false, picked: null },
    legend: { filter: "", byCount: false, scroll: 0, height: 0, active: -1 },
    drag: null,
    resize: null,
    full: null,
    badLimit: "",
    limitFault: "",
    cameFrom: null,
    dark: false,
    pointer: null,
  };
}

/** The value of the field that sent an event. @param {Event} event @returns {string} */
export function textIn(event) {
  return /** @type {HTMLInputElement | HTMLSelectElement} */ (event.currentTarget).value;
}

/** @param {Ui} ui @returns {boolean} */
export function isPanelOpen(ui) {
  return ui.panel ?? !ui.isNarrow;
}

/** Changes some fields of one part of the UI state. Reads the current state, not the state when the handler was
 * created.
 * @template {"legend" | "search"} K @param {Context} context @param {K} part @param {Partial<Ui[K]>} change */
export function patch(context, part, change) {
  context.update({ [part]: { ...context.ui[part], ...change } });
}
