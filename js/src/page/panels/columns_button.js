/** The button that opens the columns, which the second module draws. */
import { html } from "lit-html";

/** @typedef {import("./ui.js").Context} Context */

export const COLUMNS_KEY = "C";

/** @param {Context} context */
export function columnsButton(context) {
  const { dataset, link, traits } = context.state;
  return html`<button type="button" class="text" aria-controls="columns" aria-expanded=${traits.open_panels.length > 0} aria-keyshortcuts=${COLUMNS_KEY}
    title="All columns (${COLUMNS_KEY})" ?disabled=${dataset === null || link === "offline"}
    @click=${(/** @type {Event} */ event) => toggleColumns(context, event)}>Columns</button>`;
}

/** @param {Context} context @param {Event} event of a hand, which the focus follows */
export function toggleColumns({ state, actions, update }, { target }) {
  const isOpen = state.traits.open_panels.length > 0;
  update({ cameFrom: isOpen ? null : /** @type {HTMLElement} */ (target) });
  actions.setTrait("open_panels", isOpen ? [] : ["columns"]);
}
