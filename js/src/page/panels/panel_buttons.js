/** The panels that are opened, which the second module draws, and the button of each. */
import { html } from "lit-html";
import { capitalized, nounsOf } from "../../words/nouns.js";
import { ICONS } from "../icons.js";

/** @typedef {import("./ui.js").Context} Context */
/** @typedef {{id: string, key: string, icon: unknown, name: (nouns: import("../../state/state.js").Nouns) => string}} Panel */

/** As the names of the setting `open_panels` have them. @type {Panel[]} */
export const PANELS = [
  { id: "columns", key: "C", icon: ICONS.columns, name: () => "Columns" },
  { id: "genes", key: "G", icon: ICONS.genes, name: (nouns) => capitalized(nouns.var.many) },
  { id: "sets", key: "N", icon: ICONS.sets, name: ({ obs }) => `Sets of ${obs.many}` },
  { id: "annotations", key: "A", icon: ICONS.tag, name: () => "Annotations" },
  { id: "table", key: "T", icon: ICONS.table, name: ({ obs }) => `Table of ${obs.many}` },
  { id: "compare", key: "V", icon: ICONS.volcano, name: () => "Compare" },
];

/** @param {Context} context */
export function panelButtons(context) {
  const { dataset, link, traits } = context.state;
  return html`<span class="openers">${PANELS.map((panel) => {
    const { id, key, icon } = panel;
    const name = panel.name(nounsOf(context.state));
    return html`<button type="button" class="small" aria-label=${name} aria-controls=${id} aria-expanded=${traits.open_panels.includes(id)} aria-keyshortcuts=${key}
      title="${name} (${key})" ?disabled=${dataset === null || link === "offline"} @click=${(/** @type {Event} */ event) => togglePanel(context, id, event)}>${icon}</button>`;
  })}</span>`;
}

/** @param {Context} context @param {string} id @param {Event} event of a hand, which the focus follows */
export function togglePanel({ state, actions, update }, id, { target }) {
  const { open_panels: open } = state.traits;
  const isOpen = open.includes(id);
  const from = /** @type {HTMLElement} */ (target);
  update({ cameFrom: isOpen ? null : { panel: id, from: from.closest("button") ?? from } });
  actions.setTrait("open_panels", isOpen ? open.filter((one) => one !== id) : [...open, id]);
}
