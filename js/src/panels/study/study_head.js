/** What stands above the cards of a part: its title, progress, notes and the excluded samples. */
import { html, nothing } from "lit-html";
import { counted } from "../../words/format.js";

/** @typedef {import("../../state/state.js").State} State */
/** @typedef {import("../../wire/protocol.js").StudyPart} StudyPart */
/** @typedef {import("./study_requests.js").Studying} Studying */

const NOTES = { one: "note", many: "notes" };

/** The title and the number of notes. @param {State} state @param {Studying} studying @param {boolean} areNotesOpen
 * @param {() => void} toggleNotes */
export function studyHead(state, studying, areNotesOpen, toggleNotes) {
  const part = studying.part();
  const fault = studying.fault(state);
  const { title = fault === "" ? "Reading…" : "", notes = [] } = part ?? {};
  const opener = html`<button type="button" class="text" aria-expanded=${areNotesOpen} @click=${toggleNotes}>${counted(notes.length, NOTES)}</button>`;
  return html`${fault === "" ? nothing : html`<p class="fault" role="alert">${fault}</p>`}
    <div class="compared"><span class="what" role="status" title=${title}>${title}</span>${progress(state, studying)}${notes.length === 0 ? nothing : opener}</div>`;
}

/** @param {State} state @param {Studying} studying */
function progress({ building }, studying) {
  if (studying.isStopped())
    return html`<button type="button" class="text" @click=${() => studying.again()}>Compute</button>`;
  const work = building?.ends_by === "study" ? building : null;
  if (!studying.isBusy() || work === null) return nothing;
  return html`<span class="caption">${work.what}, ${Math.floor(100 * work.done)}\u00a0%</span><button type="button" class="text" @click=${() => studying.cancel()}>Cancel</button>`;
}

/** @param {StudyPart | null} part */
export const notesOf = (part) =>
  part === null || part.notes.length === 0
    ? nothing
    : html`<ul class="notes-of" tabindex="0" aria-label="Notes">${part.notes.map((note) => html`<li>${note}</li>`)}</ul>`;

/** Excluded samples, each with a way back. @param {State} state @param {(sample: {name: string}) => void} include */
export function excludedOf({ traits, link }, include) {
  const excluded = traits.study_design?.excluded ?? [];
  if (excluded.length === 0) return nothing;
  return html`<div class="names excluded-of"><span class="caption">Excluded</span>${excluded.map(
    (name) =>
      html`<button type="button" class="name" title="Include ${name} again" aria-label="Include ${name} again" ?disabled=${link === "offline"} @click=${() => include({ name })}>${name} ×</button>`,
  )}</div>`;
}
