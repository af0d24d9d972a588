/** Keyboard shortcuts of the whole widget, and Escape. */
// Changes with js/src/plot/gestures.js and js/src/panels/keyboard_help.js: keys, and the list of them.
import { RESET_KEY, TOOL_KEYS } from "../plot/gestures.js";
import { PANELS, togglePanel } from "./parts/panel_buttons.js";
import { FULL_KEY, LIST_KEY, openKeyList } from "./parts/toolbar.js";

/** @typedef {import("./parts/ui.js").Context} Context */

/** Keys that work anywhere in a view, by action; the keyboard help lists them from here.
 * @type {Record<"tool" | "everything" | "undo" | "redo" | "full" | "panel" | "list", {keys: string[], act: (context: Context, event: KeyboardEvent, key: string) => void}>} */
export const PAGE_KEYS = {
  tool: {
    keys: Object.keys(TOOL_KEYS),
    act({ state, actions }, _, key) {
      if (state.link !== "offline") actions.setTrait("tool", TOOL_KEYS[key]);
    },
  },
  everything: { keys: [RESET_KEY], act: ({ actions }) => actions.resetView() },
  undo: { keys: ["Ctrl+Z"], act: (context, event) => step(context, event, false) },
  redo: { keys: ["Ctrl+Shift+Z", "Ctrl+Y"], act: (context, event) => step(context, event, true) },
  full: { keys: [FULL_KEY], act: ({ ui, fullScreen }) => ui.full !== null && fullScreen() },
  panel: {
    keys: PANELS.map(({ key }) => key),
    act(context, event, pressed) {
      const panel = PANELS.find(({ key }) => key === pressed);
      if (panel === undefined || context.state.dataset === null || context.state.link === "offline") return;
      event.preventDefault(); // otherwise the field that gets the focus would receive the letter
      togglePanel(context, panel.id, event);
    },
  },
  list: { keys: [LIST_KEY], act: openKeyList },
};

/** @param {Context} context @param {KeyboardEvent} event @param {boolean} redo */
function step({ actions, state }, event, redo) {
  if (state.link === "offline") return;
  event.preventDefault();
  event.stopPropagation(); // a notebook would restore a deleted cell
  actions.undo(redo);
}

/** The name of a key as in `PAGE_KEYS`; Cmd counts as Ctrl. @param {KeyboardEvent} event */
function nameOf({ key, ctrlKey, metaKey, shiftKey }) {
  return `${ctrlKey || metaKey ? `Ctrl+${shiftKey ? "Shift+" : ""}` : ""}${key.toUpperCase()}`;
}

/** @param {Context} context @param {HTMLElement} mount @param {KeyboardEvent} event */
export function pressKey(context, mount, event) {
  if (event.altKey) return;
  if (!event.ctrlKey && !event.metaKey) event.stopPropagation(); // VS Code and Colab would act on single letters
  const inField = /** @type {Element} */ (event.target).matches("input, select, textarea");
  if (closeByKey(context, mount, event) || inField || event.defaultPrevented) return;
  const pressed = nameOf(event);
  Object.values(PAGE_KEYS)
    .find(({ keys }) => keys.includes(pressed))
    ?.act(context, event, pressed);
}

/** Exits full screen with Escape, which browsers do themselves, but not reliably. @param {Context} context
 * @param {KeyboardEvent} event */
export function leaveByKey({ ui, fullScreen }, event) {
  if (event.key !== "Escape" || !ui.full || ui.popover !== "" || ui.search.open) return;
  event.stopPropagation(); // otherwise it would also clear the selection
  fullScreen();
}

/** Escape closes the popover and gives the focus back to its button. @param {Context} context @param {HTMLElement} mount @param {KeyboardEvent} event */
function closeByKey({ ui, update }, mount, event) {
  if (event.key !== "Escape" || ui.popover === "") return false;
  /** @type {HTMLElement | null} */ (mount.querySelector(`[data-popover=${ui.popover}] button`))?.focus();
  update({ popover: "" });
  return true;
}
