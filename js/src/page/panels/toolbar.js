/** The buttons above the plot: what a drag does, the view, the picture, settings. */
import { html, nothing } from "lit-html";
import { MODES_TOLD } from "../../plot/lasso.js";
import { toolOf } from "../../state/state.js";
import { ICONS } from "../icons.js";
import { settingsPopover } from "./settings.js";
import { isPanelOpen } from "./ui.js";

/** @typedef {import("./ui.js").Context} Context */

/** @type {{tool: "pan" | "lasso" | "rectangle", name: string, tip: string, key: string}[]} */
export const TOOLS = [
  { tool: "pan", name: "Pan", tip: "Drag moves, the wheel zooms, Shift-drag selects", key: "P" },
  { tool: "lasso", name: "Lasso", tip: MODES_TOLD, key: "L" },
  { tool: "rectangle", name: "Rectangle", tip: MODES_TOLD, key: "R" },
];
const PAN_WITHOUT_WHEEL = "Drag moves, Ctrl and the wheel zoom, Shift-drag selects";
export const RESET_KEY = "0";
export const FULL_KEY = "F";

/** @param {Context} context */
export function toolbar(context) {
  const { state, ui, actions, update, save } = context;
  const off = state.dataset === null;
  const noKernel = off || state.link === "offline";
  const tool = (/** @type {(typeof TOOLS)[number]} */ one) => html`
    <button type="button" class="tool" aria-label=${one.name} aria-keyshortcuts=${one.key} aria-pressed=${toolOf(state) === one.tool}
      ?disabled=${noKernel} @click=${() => actions.setTrait("tool", one.tool)}>
      ${ICONS[one.tool]}${tip(one.name, one.tool === "pan" && !state.traits.wheel_zoom ? PAN_WITHOUT_WHEEL : one.tip, one.key)}
    </button>`;
  return html`<div class="toolbar" role="toolbar" aria-label="Plot">
    <div class="group">${TOOLS.map(tool)}</div>
    <div class="group">
      <button type="button" class="tool" aria-label="Reset view" aria-keyshortcuts=${RESET_KEY} ?disabled=${off} @click=${() => actions.resetView()}>
        ${ICONS.reset}${tip("Reset view", "", RESET_KEY)}
      </button>
      <button type="button" class="tool" aria-label="Download PNG" ?disabled=${state.dataset === null} @click=${save}>
        ${ICONS.png}${tip("Download PNG")}
      </button>
      <div class="anchor" data-popover="settings">
        <button type="button" class="tool" aria-label="Point size and opacity" aria-haspopup="dialog" aria-expanded=${ui.popover === "settings"}
          ?disabled=${off} @click=${() => update({ popover: ui.popover === "settings" ? "" : "settings" })}>
          ${ICONS.settings}${ui.popover === "settings" ? nothing : tip("Point size and opacity")}
        </button>
        ${ui.popover === "settings" ? settingsPopover(context) : nothing}
      </div>
      ${ui.full === null ? nothing : fullScreenButton(context)}
    </div>
  </div>`;
}

/** @param {Context} context */
function fullScreenButton({ ui, fullScreen }) {
  const name = ui.full ? "Leave full screen" : "Full screen";
  return html`<button type="button" class="tool" aria-label=${name} aria-keyshortcuts=${FULL_KEY} @click=${fullScreen}>
    ${ui.full ? ICONS.leave : ICONS.full}${tip(name, "", FULL_KEY)}
  </button>`;
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

/** @param {string} name @param {string} [more] @param {string} [key] */
function tip(name, more = "", key = "") {
  return html`<span class="tip" aria-hidden="true">${name}${key === "" ? nothing : html` <kbd>${key}</kbd>`}${more === "" ? nothing : html`<small>${more}</small>`}</span>`;
}
