/** The status line under the plot: dataset, size of the selection, notes, errors and the state of the kernel. */
// Changes with cxg_widget/session/costs.py: what an action cost.
import { html, nothing } from "lit-html";
import { nSelectedPassing } from "../../state/counts.js";
import { nShown } from "../../state/hidden.js";
import { byteSize, counted, share, wholeNumber } from "../../words/format.js";
import { nounsOf } from "../../words/nouns.js";
import { ICONS } from "../icons.js";
import { placeNote } from "./notes.js";
import { canCome, openBySecondModule } from "./toolbar.js";

/** @typedef {import("./ui.js").Context} Context */

export const NOTES = "Notes on the plot";

/** @param {Context} context @param {unknown} list of the notes */
export function statusLine(context, list) {
  const { state } = context;
  const { dataset, selection, error, link } = state;
  const title = dataset !== null && selection.n === 0 && error === null ? dataset.title : "";
  const shownNotice = notice(context);
  return html`<div class="status ${shownNotice === nothing ? "" : "noted"}">
    ${title === "" ? nothing : html`<b class="title" title=${title}>${title}</b>`}
    <div class="what">${error !== null ? nothing : dataset !== null ? tally(context, dataset) : link === "offline" ? "" : "Opening"}</div>
    ${shownNotice === nothing ? html`${aside(context)}${cost(state)}` : shownNotice}
    ${notes(context, list)}
  </div>`;
}

/** @param {Context} context @param {import("../../state/state.js").Dataset} dataset */
function tally({ state, actions }, { nObs }) {
  const { selection, link } = state;
  const size = counted(nObs, nounsOf(state).obs);
  if (selection.n === 0) {
    const n = nShown(state, nObs);
    return selection.missed ? `0 of ${size} selected` : n < nObs ? `${wholeNumber(n)} of ${size} shown` : size;
  }
  const nPassing = nSelectedPassing(state);
  return html`<b>${wholeNumber(selection.n)}</b> of ${size} selected${nPassing === null ? ` · ${share(selection.n, nObs)}` : html`, <b>${wholeNumber(nPassing)}</b> pass`}${selection.missed ? " · unchanged" : ""}
    <button type="button" class="text" ?disabled=${link === "offline"} @click=${() => actions.clearSelection()}>Clear</button>`;
}

/** The most important note on the picture, shown without a click. @param {Context} context */
function aside({ state, actions }) {
  const { points, building, selection } = state;
  if (building !== null) {
    const { of, done, ends_by, what } = building;
    const work = what || `Indexing ${nounsOf(state).obs.many}`;
    return html`<span class="aside">${of === "datashader" ? work : `${work}, ${Math.floor(100 * done)} %`}</span>
      ${ends_by ? html`<button type="button" class="text" title="Stop and keep the current plot" @click=${() => actions.stop()}>Stop</button>` : nothing}`;
  }
  if (state.awaited) return html`<span class="aside late">Waiting for the ${state.awaited}</span>`;
  const nObs = state.dataset?.nObs ?? 0;
  // Otherwise the tally already shows it.
  const n = selection.n > 0 || selection.missed ? nObs - nShown(state, nObs) : 0;
  const parts = [
    n > 0 ? `${wholeNumber(n)} ${state.traits.filtered === "grey" ? "in grey" : "hidden"}` : "",
    placeNote(state) === "" ? "" : `${wholeNumber(points?.nMissing ?? 0)} not drawn`,
  ];
  const text = parts.filter((part) => part !== "").join(" · ");
  return text === "" ? nothing : html`<span class="aside" title=${placeNote(state) || text}>${text}</span>`;
}

/** Amount of data read by the last action. @param {import("../../state/state.js").State} state */
function cost({ cost: read }) {
  if (!read) return nothing;
  const { nBytes, nReads, isAhead } = read;
  const noun = isAhead ? "request" : "read";
  const reads = `${isAhead ? "up to " : ""}${counted(nReads, { one: noun, many: `${noun}s` })}`;
  const title = `Data read by the last action${isAhead ? "; read-ahead may merge them into fewer, larger requests" : ""}`;
  return html`<span class="cost" title=${title}><span>${nReads === 0 ? "from memory" : `${byteSize(nBytes)} in ${reads}`}</span></span>`;
}

/** @param {Context} context @param {unknown} list of notes, drawn by the second module */
function notes(context, list) {
  if (context.state.dataset === null) return nothing;
  const open = context.ui.popover === "notes";
  return html`<div class="anchor" data-popover="notes">
    <button type="button" class="small" aria-label=${NOTES} title=${open ? nothing : NOTES} aria-expanded=${open}
      ?disabled=${!canCome(context)} @click=${() => openBySecondModule(context, open ? "" : "notes")}>${ICONS.info}</button>
    ${list}
  </div>`;
}

const STAYS =
  "The current plot stays visible. To color, select or zoom in to more detail, run the cell that shows the widget again.";

/** @param {import("../../state/state.js").State} state @returns {{sentence: string, more: string, isFailure: boolean} | null} */
export function noticeOf({ error, link, dataset }) {
  if (error !== null) return { sentence: error.message, more: error.details ?? "", isFailure: true };
  if (link === "cut")
    return {
      sentence: "Connection lost. Waiting for the kernel.",
      more: "What you do now happens when the connection is back.",
      isFailure: false,
    };
  if (link !== "offline") return null;
  const what = dataset === null ? "Static picture: no kernel is running." : "The kernel restarted.";
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
