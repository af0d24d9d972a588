/** State of one view alone: open menus, typed text, scroll positions. Nothing here reaches the kernel. */

/**
 * @typedef {object} Ui
 * @property {boolean | null} panel side panel open; null = where there is room
 * @property {boolean} isNarrow there is no room beside the plot, so that the side panel lies over it
 * @property {"" | "settings" | "panels" | "notes" | "notice" | "cmap" | "keys" | "place" | "save"} popover the one that is open
 * @property {{open: boolean, text: string, active: number, pick: boolean, picked: import("../../state/state.js").Match | null}} search
 *   pick = choose the best match as soon as it is known; picked = chosen, and perhaps still on its way
 * @property {{filter: string, byCount: boolean, scroll: number, height: number, active: number}} legend
 * @property {{name: "vmin" | "vmax", value: number} | null} drag the limit that is being dragged
 * @property {{size: import("./divider.js").Size, px: number} | null} resize what is being made larger or smaller
 * @property {boolean | null} full whether the view has the whole screen; null = it can never have it
 * @property {"" | "vmin" | "vmax"} badLimit the limit field that holds what is no limit
 * @property {string} limitFault what is wrong with it
 * @property {{panel: string, from: HTMLElement} | null} cameFrom where a hand has just opened a panel, which then takes the focus
 * @property {boolean} dark the page is
 * @property {{x: number, y: number} | null} pointer over the plot, CSS px from its top left
 *
 * @typedef {object} Context what every template is given
 * @property {import("../../state/state.js").State} state
 * @property {Ui} ui
 * @property {import("../../state/actions.js").Actions} actions
 * @property {import("../second_module.js").DrawPanels | null} panels those that are open, once the second module is there
 * @property {(change: Partial<Ui>) => void} update
 * @property {(query: string) => void} ask search, a moment later
 * @property {(scale: number) => void} save download the picture as PNG; px per CSS px
 * @property {() => number[]} room width and height that the plots have, CSS px
 * @property {() => void} fullScreen take the whole screen, or give it back
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

/** What the field holds that an event came from. @param {Event} event @returns {string} */
export function textIn(event) {
  return /** @type {HTMLInputElement | HTMLSelectElement} */ (event.currentTarget).value;
}

/** @param {Ui} ui @returns {boolean} */
export function isPanelOpen(ui) {
  return ui.panel ?? !ui.isNarrow;
}

/** Change some fields of one part of what the view remembers, on top of what it remembers now, not when the handler was made.
 * @template {"legend" | "search"} K @param {Context} context @param {K} part @param {Partial<Ui[K]>} change */
export function patch(context, part, change) {
  context.update({ [part]: { ...context.ui[part], ...change } });
}
