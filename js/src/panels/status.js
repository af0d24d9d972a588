/** The quiet line under the plot: what was opened, how much is selected, what there is to know. */
import { html, nothing } from "lit-html";
import { ICONS } from "../icons.js";
import { counted, share, wholeNumber } from "./format.js";
import { notesOf } from "./notes.js";
import { nounsOf } from "./nouns.js";

/** @typedef {import("./ui.js").Context} Context */

const NOTE = { one: "note", many: "notes" };

/** @param {Context} context */
export function statusLine(context) {
  return html`<div class="status">
    <div class="what" role="status">${selected(context)}</div>
    ${aside(context)}
    ${notes(context)}
  </div>`;
}

/** @param {Context} context */
function selected({ state, actions }) {
  const { dataset, selection, link } = state;
  if (dataset === null) return html`<span class="label">${link === "offline" ? "" : "Opening"}</span>`;
  const size = counted(dataset.nObs, nounsOf(state).obs);
  if (selection.n === 0) return html`<span class="label" title=${dataset.title}><b>${dataset.title}</b> ${size}</span>`;
  return html`<span class="label"><b>${wholeNumber(selection.n)}</b> of ${size} selected · ${share(selection.n, dataset.nObs)}</span>
    <button type="button" class="text" ?disabled=${link === "offline"} @click=${() => actions.clearSelection()}>Clear</button>`;
}

/** The one thing about the picture that should not wait for a click. @param {Context} context */
function aside({ state }) {
  const { points } = state;
  if (state.building !== null) return html`<span class="aside">Indexing ${nounsOf(state).obs.many}, ${Math.floor(100 * state.building)} %</span>`;
  if (points === null || points.nMissing === 0 || points.nMissing === points.nObs) return nothing;
  return html`<span class="aside" title=${notesOf(state)[0]}>${wholeNumber(points.nMissing)} not drawn</span>`;
}

/** @param {Context} context */
function notes({ state, ui, update }) {
  const all = notesOf(state);
  if (all.length === 0) return nothing;
  const open = ui.popover === "notes";
  const title = counted(all.length, NOTE);
  return html`<div class="anchor" data-popover="notes">
    <button type="button" class="small" aria-label=${title} title=${open ? nothing : title} aria-expanded=${open}
      @click=${() => update({ popover: open ? "" : "notes" })}>${ICONS.info}</button>
    ${open ? html`<div class="popover notes" role="dialog" aria-label="Notes"><ul>${all.map((note) => html`<li>${note}</li>`)}</ul></div>` : nothing}
  </div>`;
}
