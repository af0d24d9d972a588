/** Keys pressed in a view that no single panel owns: shortcuts, and Escape. */
import { RESET_KEY, TOOL_KEYS } from "../plot/gestures.js";
import { PANELS, togglePanel } from "./panels/panel_buttons.js";
import { FULL_KEY } from "./panels/toolbar.js";

/** @typedef {import("./panels/ui.js").Context} Context */

/** @param {Context} context @param {HTMLElement} mount @param {KeyboardEvent} event */
export function pressKey(context, mount, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  event.stopPropagation(); // VS Code and Colab would act on single letters
  const { actions, state } = context;
  const inField = /** @type {Element} */ (event.target).matches("input, select, textarea");
  if (closeByKey(context, mount, event) || inField || event.defaultPrevented) return;
  const key = event.key.toUpperCase();
  if (key === RESET_KEY) actions.resetView();
  if (key === FULL_KEY && context.ui.full !== null) context.fullScreen();
  const panel = PANELS.find((one) => one.key === key);
  if (panel !== undefined && state.dataset !== null && state.link !== "offline") {
    event.preventDefault(); // of the letter in the field that gets the focus
    togglePanel(context, panel.id, event);
  }
  if (key in TOOL_KEYS && state.link !== "offline") actions.setTrait("tool", TOOL_KEYS[key]);
}

/** Browsers leave full screen by Escape themselves, but not all of them do it always. @param {Context} context @param {KeyboardEvent} event */
export function leaveByKey({ ui, fullScreen }, event) {
  if (event.key !== "Escape" || !ui.full || ui.popover !== "" || ui.search.open) return;
  event.stopPropagation(); // else it would clear the selection too
  fullScreen();
}

/** Escape closes the popover and gives the focus back to its button. @param {Context} context @param {HTMLElement} mount @param {KeyboardEvent} event */
function closeByKey({ ui, update }, mount, event) {
  if (event.key !== "Escape" || ui.popover === "") return false;
  /** @type {HTMLElement | null} */ (mount.querySelector(`[data-popover=${ui.popover}] button`))?.focus();
  update({ popover: "" });
  return true;
}
