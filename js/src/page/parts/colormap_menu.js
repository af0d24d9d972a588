/** The button of the menu of colormaps, which the second module draws. */
import { html } from "lit-html";
import { stopsOf } from "../../style/point_style.js";
import { ICONS } from "../icons.js";
import { gradient } from "./legend_histogram.js";
import { openBySecondModule } from "./toolbar.js";

/** @typedef {import("./ui.js").Context} Context */

/** @param {Context} context @param {unknown} list of colormaps, if it is open */
export function colormapMenu(context, list) {
  const { state, ui } = context;
  const open = ui.popover === "cmap";
  const name = nameOf(state);
  return html`<div class="anchor cmap" data-popover="cmap">
    <button type="button" class="choice" aria-label="Colormap: ${name}" aria-haspopup="listbox" aria-expanded=${open}
      ?disabled=${state.link === "offline"} @click=${() => openBySecondModule(context, open ? "" : "cmap")}>
      <i class="sample" style="background:${gradient(stopsOf(state.traits.cmap, ui.dark))}"></i><span class="label">${name}</span>${ICONS.down}
    </button>
    ${list}
  </div>`;
}

/** @param {Context["state"]} state @returns {string} */
export function nameOf({ traits: { cmap } }) {
  return typeof cmap === "string" ? cmap : cmap.name;
}
