/** The notice of a failure or a missing kernel: one line under the plot, the rest of it on request. */
import { html, nothing } from "lit-html";
import { ICONS } from "../icons.js";

/** @typedef {import("./ui.js").Context} Context */

const STAYS =
  "The current plot stays visible. To color, select or zoom in to more detail, run the cell that shows the widget again.";

/** @param {import("../../state/state.js").State} state @returns {{sentence: string, more: string, isFailure: boolean} | null} */
export function noticeOf({ error, link, dataset }) {
  if (error !== null) return { sentence: error.message, more: error.details ?? "", isFailure: true };
  if (link !== "offline") return null;
  const what = dataset === null ? "Static picture, no kernel." : "The kernel restarted.";
  return { sentence: `${what} Run this cell again.`, more: dataset === null ? "" : STAYS, isFailure: false };
}

/** @param {Context} context */
export function notice({ state, ui, update, actions }) {
  const found = noticeOf(state);
  if (found === null) return nothing;
  const { sentence, more, isFailure } = found;
  const open = ui.popover === "notice";
  return html`<div class="notice ${isFailure ? "failure" : ""}" data-popover="notice">
    <div class="line" role=${isFailure ? "alert" : "status"}><button type="button" class="sentence" aria-expanded=${open} title=${open ? nothing : "Details"} @click=${() => update({ popover: open ? "" : "notice" })}>
      ${isFailure ? ICONS.warn : ICONS.info}<span class="label">${sentence}</span>${ICONS.down}
    </button></div>
    ${isFailure ? html`<button type="button" class="small" aria-label="Dismiss" @click=${() => actions.dismissError()}>${ICONS.close}</button>` : nothing}
    ${open ? html`<div class="popover notes" role="dialog" aria-label="Details" tabindex="0"><p>${sentence}</p>${more === "" ? nothing : html`<p class="raw">${more}</p>`}</div>` : nothing}
  </div>`;
}
