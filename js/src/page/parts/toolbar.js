/** The toolbar above the plot: tools, undo, view, saving, settings and keys. */
// Changes with js/src/plot/drag.js and js/src/plot/overlay.js and js/src/plot/gestures.js: tools of the toolbar.
// Changes with js/src/plot/lasso.js and js/src/panels/keyboard_shape.js: tools of the toolbar.
// Changes with cxg_widget/display/settings.py: tools of the toolbar.
import { html, nothing } from "lit-html";
import { RESET_KEY, TOOL_KEYS } from "../../plot/gestures.js";
import { MODES_HINT } from "../../plot/lasso.js";
import { toolOf } from "../../state/state.js";
import { ICONS } from "../icons.js";
import { panelButtons } from "./panel_buttons.js";
import { isPanelOpen } from "./ui.js";

/** @typedef {import("./ui.js").Context} Context */

/** @type {Record<import("../../wire/constants.js").Settings["tool"], {name: string, tip: string}>} */
const TOOLS = {
  pan: { name: "Pan", tip: "Drag to pan, scroll to zoom, Shift-drag to select" },
  lasso: { name: "Lasso", tip: MODES_HINT },
  rectangle: { name: "Rectangle", tip: MODES_HINT },
};
const PAN_WITHOUT_WHEEL = "Drag to pan, Ctrl-scroll to zoom, Shift-drag to select";
export const FULL_KEY = "F";
export const LIST_KEY = "?";

/** @param {Context} context @param {unknown} settings the popover of settings
 * @param {unknown} saving the popover of saved pictures */
export function toolbar(context, settings, saving) {
  const { state, ui, actions } = context;
  const off = state.dataset === null;
  const noKernel = off || state.link === "offline";
  const button = (/** @type {string} */ key) => {
    const tool = TOOL_KEYS[key];
    const hint = tool === "pan" && !state.traits.wheel_zoom ? PAN_WITHOUT_WHEEL : TOOLS[tool].tip;
    return html`<button type="button" class="tool" aria-label=${TOOLS[tool].name} aria-keyshortcuts=${key} aria-pressed=${toolOf(state) === tool}
      ?disabled=${noKernel} @click=${() => actions.setTrait("tool", tool)}>
      ${ICONS[tool]}${tip(TOOLS[tool].name, hint, key)}
    </button>`;
  };
  return html`<div class="toolbar" role="toolbar" aria-label="Plot">
    <div class="group">${Object.keys(TOOL_KEYS).map(button)}</div>
    <div class="group">${[false, true].map((redo) => stepButton(context, redo))}</div>
    <div class="group">
      <button type="button" class="tool" aria-label="Reset view" aria-keyshortcuts=${RESET_KEY} ?disabled=${off} @click=${() => actions.resetView()}>
        ${ICONS.reset}${tip("Reset view", "", RESET_KEY)}
      </button>
      ${opener(context, "save", "Save picture", ICONS.png, saving)}
      ${opener(context, "settings", "Settings", ICONS.settings, settings)}
      ${ui.full === null ? nothing : fullScreenButton(context)}
      ${keysButton(context)}
    </div>
    ${panelButtons(context)}
  </div>`;
}

/** A button with its popover. @param {Context} context @param {"save" | "settings"} popover @param {string} name
 * @param {unknown} icon @param {unknown} opened */
function opener(context, popover, name, icon, opened) {
  const isOpen = context.ui.popover === popover;
  return html`<div class="anchor" data-popover=${popover}>
    <button type="button" class="tool" aria-label=${name} aria-haspopup="dialog" aria-expanded=${isOpen}
      ?disabled=${context.state.dataset === null || !canCome(context)} @click=${() => openBySecondModule(context, isOpen ? "" : popover)}>
      ${icon}${isOpen ? nothing : tip(name)}
    </button>
    ${opened}
  </div>`;
}

/** @param {Context} context @param {boolean} redo */
function stepButton({ state, actions }, redo) {
  const what = state.traits.steps[redo ? "redo" : "undo"];
  const name = `${redo ? "Redo" : "Undo"} ${what}`.trim();
  const key = redo ? "Control+Shift+Z" : "Control+Z";
  return html`<button type="button" class="tool" aria-label=${name} aria-keyshortcuts=${key} ?disabled=${what === "" || state.link === "offline"}
    @click=${() => actions.undo(redo)}>${ICONS[redo ? "redo" : "undo"]}${tip(name, "", redo ? "Ctrl+Shift+Z" : "Ctrl+Z")}</button>`;
}

/** @param {Context} context */
function fullScreenButton({ ui, fullScreen }) {
  const name = ui.full ? "Exit full screen" : "Full screen";
  return html`<button type="button" class="tool full-screen" aria-label=${name} aria-keyshortcuts=${FULL_KEY} @click=${fullScreen}>
    ${ui.full ? ICONS.leave : ICONS.full}${tip(name, "", FULL_KEY)}
  </button>`;
}

/** Opens a popover that the second module draws. @param {Context} context
 * @param {import("./ui.js").Ui["popover"]} popover */
export function openBySecondModule({ update, actions }, popover) {
  update({ popover });
  actions.needPanels();
}

/** @param {Context} context */
export const openKeyList = (context) => openBySecondModule(context, "keys");

/** True if the second module is loaded or can be loaded. @param {Context} context */
export const canCome = ({ panels, state }) => panels !== null || state.link === "live";

/** @param {Context} context */
function keysButton(context) {
  return html`<div data-popover="keys"><button type="button" class="tool" aria-label="Keys and gestures" aria-haspopup="dialog" aria-keyshortcuts=${LIST_KEY}
    ?disabled=${!canCome(context)} @click=${() => openKeyList(context)}>?${tip("Keys and gestures", "", LIST_KEY)}</button></div>`;
}

/** The button that shows and hides the side panel. @param {Context} context */
export function panelButton({ ui, update }) {
  const open = isPanelOpen(ui);
  const name = open ? "Hide side panel" : "Show side panel";
  return html`<div class="fold">
    <button type="button" class="tool" aria-label=${name} aria-expanded=${open} aria-controls="panel" @click=${() => update({ panel: !open })}>
      ${ICONS.panel}${tip(name)}
    </button></div>`;
}

/** A tooltip of a button. The style sheet writes the hint and the key from `data-text`, so that they are not part of
 * the button's text. @param {string} name @param {string} [more] @param {string} [key] */
function tip(name, more = "", key = "") {
  return html`<span class="tip" aria-hidden="true">${name}${key === "" ? nothing : html`<kbd data-text=${key}></kbd>`}${more === "" ? nothing : html`<small data-text=${more}></small>`}</span>`;
}
