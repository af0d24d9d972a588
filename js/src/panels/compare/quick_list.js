/** The list of genes while a shape moves, and what its numbers are. */
import { html, nothing } from "lit-html";
import { byteSize, counted, share, shortNumber, wholeNumber } from "../../words/format.js";
import { nounsOf } from "../../words/nouns.js";
import { colorBy } from "./gene_actions.js";

/** @typedef {import("../../page/parts/ui.js").Context} Context */
/** @typedef {import("./quick_requests.js").QuickMarkers} QuickMarkers */
/** @typedef {import("../../wire/protocol.js").Quick} Quick */

export const TITLE = "Markers while you draw";

/** Genes below each other: all of them fit the panel, in two columns. */
const IN_A_COLUMN = 10;

/** Describes which cells the numbers of a list count. @param {Quick} list @param {{one: string, many: string}} noun */
export function describeList({ n_cells, n_read }, noun) {
  const others = `against all other ${noun.many}`;
  if (n_read === n_cells) return `${counted(n_cells, noun)} ${others}, exact sums`;
  return `≈ estimate ${others}: ${wholeNumber(n_read)} of ${counted(n_cells, noun)} counted exactly, the others from ${noun.many} close to them`;
}

/** The switch. @param {Context} context @param {QuickMarkers} quick */
export function quickSwitch({ state }, quick) {
  const { many } = nounsOf(state).var;
  return html`<label class="check" title="List the ${many} that set ${nounsOf(state).obs.many} apart while a lasso, rectangle or histogram brush moves, and test each selection"><input type="checkbox" data-field="quick" .checked=${quick.isOn()} ?disabled=${state.link === "offline"} @change=${() => quick.put(!quick.isOn())}>${TITLE}</label>`;
}

/** What is shown in place of a result; null = the result. @param {Context} context @param {QuickMarkers} quick
 * @param {boolean} isTesting */
export function quickList(context, quick, isTesting) {
  if (!quick.isOn()) return null;
  if (quick.isMaking()) return making(context, quick);
  const missing = quick.missing();
  if (missing !== null) return offer(context, quick, missing);
  const list = quick.list();
  return list === null ? null : genes(context, list, quick.isDrawing(), isTesting);
}

/** @param {Context} context @param {QuickMarkers} quick */
function making({ state }, quick) {
  const work = state.building?.ends_by === "sketch" ? state.building : null;
  const size = byteSize(quick.missing()?.n_bytes ?? 0);
  const done = work === null ? "Reading…" : `${work.what}, ${Math.floor(100 * work.done)}\u00a0%`;
  return html`<div class="compared"><span class="what" role="status">Making the sketch, once, at most ${size} on disk: ${done}</span>
    <button type="button" class="text" @click=${() => quick.put(false)}>Cancel</button></div>`;
}

/** @param {Context} context @param {QuickMarkers} quick @param {Quick} missing */
function offer({ state }, quick, { n_bytes, read_bytes, is_remote }) {
  const from = is_remote ? " from remote storage" : "";
  return html`<div class="compared"><span class="what" role="status">No sketch yet: reads up to ${byteSize(read_bytes)}${from} once, keeps at most ${byteSize(n_bytes)} on disk.</span>
    <button type="button" class="text" ?disabled=${state.link === "offline"} @click=${() => quick.make()}>Make it</button></div>`;
}

/** @param {Context} context @param {Quick} list @param {boolean} isDrawing @param {boolean} isTesting */
function genes(context, list, isDrawing, isTesting) {
  const { obs, var: noun } = nounsOf(context.state);
  const n = list.names.length;
  const isEstimate = list.n_read < list.n_cells;
  const [folds, a, b] = [4, 2, 3].map((row) => list.arrays.values.subarray(row * n, (row + 1) * n));
  const sign = isEstimate ? "≈\u00a0" : "";
  const fold = (/** @type {number} */ one) => shortNumber(isEstimate ? Number(one.toPrecision(2)) : one);
  // Ten announcements a second would drown all others.
  const caption = html`<p class="caption" role=${isDrawing ? nothing : "status"}>${describeList(list, obs)}${isTesting ? "; testing…" : ""}</p>`;
  if (n === 0) return none(list, obs, noun);
  const row = (
    /** @type {number} */ i,
  ) => html`<tr><th scope="row"><button type="button" class="text" title=${list.names[i]} @click=${() => colorBy(context, list.names[i])}>${list.symbols[i] ?? list.names[i]}</button></th>
      <td>${Number.isNaN(folds[i]) ? "–" : `${sign}${fold(folds[i])}`}</td><td>${sign}${share(a[i], 1)}</td><td>${sign}${share(b[i], 1)}</td></tr>`;
  const head = html`<thead><tr><th scope="col">${noun.one}</th><th scope="col">log2fc</th><th scope="col">share_a</th><th scope="col">share_b</th></tr></thead>`;
  const columns = [0, IN_A_COLUMN].filter((start) => start < n);
  return html`${caption}<div class="quick ${isEstimate ? "estimate" : ""}">${columns.map((start) => html`<table>${head}<tbody>${Array.from({ length: Math.min(IN_A_COLUMN, n - start) }, (_, i) => row(start + i))}</tbody></table>`)}</div>`;
}

/** @param {Quick} list @param {import("../../state/state.js").Noun} obs @param {import("../../state/state.js").Noun} noun */
function none({ n_cells }, obs, noun) {
  const hint =
    n_cells === 0
      ? `Draw with the lasso or the rectangle, or drag in a histogram, to list the ${noun.many} that set ${obs.many} apart.`
      : `Too few ${obs.many} on one side to rank ${noun.many}.`;
  return html`<p class="caption" role="status">${hint}</p>`;
}
