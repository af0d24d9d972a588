/** The buttons that open panels: in the toolbar if there is enough width, else in a menu. */
import { html, nothing } from "lit-html";
import { capitalized, nounsOf } from "../../words/nouns.js";
import { ICONS } from "../icons.js";

/** @typedef {import("./ui.js").Context} Context */
/** @typedef {import("../../state/state.js").Nouns} Nouns */
/** @typedef {import("../../wire/constants.js").PanelName} PanelName */
/** @typedef {{id: PanelName, key: string, name: (nouns: Nouns) => string, about: (nouns: Nouns) => string}} Panel */

/** Panels in the order of their buttons. @type {Record<PanelName, Omit<Panel, "id">>} */
const BY_NAME = {
  columns: { key: "C", name: () => "Columns", about: ({ obs }) => `Count and filter ${obs.many} by any column` },
  genes: { key: "G", name: (nouns) => capitalized(nouns.var.many), about: () => "Pin, count and group them" },
  sets: { key: "N", name: ({ obs }) => `Sets of ${obs.many}`, about: () => "Name, combine and compare selections" },
  annotations: { key: "A", name: () => "Annotations", about: ({ obs }) => `Label ${obs.many}` },
  table: { key: "T", name: ({ obs }) => `Table of ${obs.many}`, about: ({ obs }) => `One row per ${obs.one}` },
  compare: { key: "V", name: () => "Compare", about: (nouns) => `Find ${nouns.var.many} that distinguish two groups` },
  study: { key: "Y", name: () => "Study", about: () => "Compare samples between conditions" },
};
export const PANELS = /** @type {PanelName[]} */ (Object.keys(BY_NAME)).map((id) => ({ id, ...BY_NAME[id] }));

/** One set of buttons: style.css arranges them in the toolbar or as a menu with its own button.
 * @param {Context} context */
export function panelButtons(context) {
  const { ui, update } = context;
  const { dataset, link, traits } = context.state;
  if (dataset === null) return nothing;
  const isOff = link === "offline";
  const isOpen = ui.popover === "panels";
  const nouns = nounsOf(context.state);
  return html`<div class="group anchor" data-popover="panels">
    <button type="button" class="tool word menu-of-panels" aria-expanded=${isOpen} ?disabled=${isOff}
      @click=${() => update({ popover: isOpen ? "" : "panels" })}>${ICONS.analysis}Analysis${ICONS.down}</button>
    <div class="openers popover ${isOpen ? "open" : ""}" role="group" aria-label="Analysis">${PANELS.map((panel) => {
      const { id, key } = panel;
      const name = panel.name(nouns);
      return html`<button type="button" class="tool word" aria-label=${name} aria-controls=${id} aria-expanded=${traits.open_panels.includes(id)} aria-keyshortcuts=${key}
        data-key=${key} ?disabled=${isOff} @click=${(/** @type {Event} */ event) => togglePanel(context, id, event)}><span class="label">${name.split(" of ")[0]}</span><span class="tip" aria-hidden="true"><span data-text=${panel.about(nouns)}></span><kbd data-text=${key}></kbd></span></button>`;
    })}</div></div>`;
}

/** @param {Context} context @param {string} id @param {Event} event of the user; the focus moves to the opened panel */
export function togglePanel({ state, actions, update }, id, { target }) {
  const { open_panels: open } = state.traits;
  const isOpen = open.includes(id);
  const from = /** @type {HTMLElement} */ (target);
  update({ popover: "", cameFrom: isOpen ? null : { panel: id, from: from.closest("button") ?? from } });
  actions.setTrait("open_panels", isOpen ? open.filter((one) => one !== id) : [...open, id]);
}
