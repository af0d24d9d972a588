/** The Annotations panel: chooses an annotation, labels the selection, lists the labels, saves them. */
import { html, nothing } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { textIn } from "../../page/parts/ui.js";
import { counted, wholeNumber } from "../../words/format.js";
import { nounsOf } from "../../words/nouns.js";
import { moveByKey } from "../shared/row_keys.js";
import { createAnnotationList } from "./annotation_requests.js";
import { createLabelRows } from "./label_rows.js";
import { createSaveForm } from "./save_form.js";

/** @typedef {import("../../page/parts/ui.js").Context} Context */
/** @typedef {import("./annotation_requests.js").Listed} Listed */

const LABELS = { one: "label", many: "labels" };

/** @param {import("../index.js").Given} given @returns {import("../index.js").DrawPanel} */
export function createAnnotations({ client, redraw }) {
  const list = createAnnotationList(client, redraw);
  const rows = createLabelRows(list.edit, redraw);
  const saveForm = createSaveForm(list.edit, redraw);
  let chosen = "";
  /** Input so far: a label for the selection, which also filters the list. */
  let typed = "";
  let making = { isOpen: false, name: "", of: "" };

  /** @param {() => void} change */
  function then(change) {
    change();
    redraw();
  }

  /** Chooses an annotation, colors by it, or opens the form for a new one.
   * @param {Context} context @param {Listed} listed */
  function chooser({ state, actions }, { annotations, name }) {
    const spec = `obs:${name}`;
    const isOffline = state.link === "offline";
    const isShown = (state.nextColor ?? state.color)?.spec === spec;
    const choose = (/** @type {Event} */ event) => {
      [chosen, typed] = [textIn(event), ""];
      then(rows.close);
    };
    return html`<div class="chooser">
      <select class="wide" aria-label="Annotation" .value=${live(name)} @change=${choose}>${annotations.map((one) => html`<option value=${one.name} ?selected=${one.name === name}>${one.is_saved === false ? `${one.name} •` : one.name}</option>`)}</select>
      <button type="button" class="small colors" aria-label="Color by ${name}" title="Color by ${name}" aria-pressed=${isShown} ?disabled=${isOffline} @click=${() => actions.setTrait("color", spec)}><i></i></button>
      <button type="button" class="text" aria-expanded=${making.isOpen} ?disabled=${isOffline} @click=${() => then(() => void (making = { ...making, isOpen: !making.isOpen }))}>New</button>
    </div>`;
  }

  /** The form that creates an annotation. @param {Context} context @param {boolean} isFirst there is none yet */
  function maker({ state }, isFirst) {
    const columns = (state.dataset?.columns ?? []).filter(({ kind }) => kind === "categorical" || kind === "boolean");
    const make = (/** @type {Event} */ event) => {
      event.preventDefault();
      const name = making.name.trim();
      if (name === "") return;
      void list.edit({ op: "new", name, to: making.of }).then((done) => {
        if (done !== null) then(() => void ([chosen, making] = [name, { isOpen: false, name: "", of: "" }]));
      });
    };
    return html`<form class="maker" @submit=${make}>
      <div class="box"><input type="text" data-field=${isFirst ? "name" : nothing} aria-label="Name of the annotation" placeholder="e.g. my types" maxlength="200" autocomplete="off" spellcheck="false"
        .value=${live(making.name)} @input=${(/** @type {Event} */ event) => then(() => void (making = { ...making, name: textIn(event) }))}></div>
      <label class="setting choose"><span>Start from</span><select class="wide" .value=${making.of} @change=${(/** @type {Event} */ event) => then(() => void (making = { ...making, of: textIn(event) }))}>
        <option value="" ?selected=${making.of === ""}>no labels</option>${columns.map(({ name }) => html`<option value=${name} ?selected=${name === making.of}>${name}</option>`)}</select></label>
      <button type="submit" class="text" ?disabled=${state.link === "offline"}>New annotation</button>
    </form>`;
  }

  /** The field that labels the selection; its text also filters the list.
   * @param {Context} context @param {Listed} listed */
  function labeler({ state }, { name, labels, nLeftOut }) {
    const { n } = state.selection;
    const { obs } = nounsOf(state);
    const label = typed.trim();
    const isKnown = labels.some((one) => one.label === label);
    const assign = (/** @type {Event} */ event) => {
      event.preventDefault();
      const label = typed.trim(); // read again: a key comes faster than a redraw
      if (label === "" || n === 0) return;
      void list.edit({ op: "assign", name, label }).then((done) => {
        if (done !== null && typed.trim() === label) then(() => void (typed = ""));
      });
    };
    const clear = (/** @type {KeyboardEvent} */ event) => {
      if (event.key !== "Escape" || typed === "") return;
      event.preventDefault();
      event.stopPropagation();
      then(() => void (typed = ""));
    };
    const hint =
      n === 0
        ? `No ${obs.many} selected. Select ${obs.many} with a lasso, in the legend or from a set.`
        : nLeftOut === 0
          ? ""
          : `Filters hide ${wholeNumber(nLeftOut)} of the ${counted(n, obs)} selected; these are labeled too.`;
    return html`<form class="labeler" @submit=${assign}>
      <div class="box"><input type="text" data-field="label" aria-label="Label" placeholder=${n === 0 ? "Find a label" : `Label for ${counted(n, obs)}`} maxlength="200" autocomplete="off" spellcheck="false"
        .value=${live(typed)} @keydown=${clear} @input=${(/** @type {Event} */ event) => then(() => void (typed = textIn(event)))}></div>
      <button type="submit" class="text" ?disabled=${n === 0 || state.link === "offline"}>${label === "" || isKnown ? "Label selection" : "Create label for selection"}</button>
      ${hint === "" ? nothing : html`<p class="caption">${hint}</p>`}
    </form>`;
  }

  /** @param {Context} context @param {Listed} listed */
  function body(context, listed) {
    const { state, actions } = context;
    const { name, labels, nFound, annotations } = listed;
    const chosenOne = annotations.find((one) => one.name === name);
    const nAll = chosenOne?.n_labels ?? 0;
    const nShown = labels.length - 1;
    const isOffline = state.link === "offline";
    const forget = () =>
      void list.edit({ op: "drop", name }).then((done) => done !== null && then(() => void (chosen = "")));
    return html`${labeler(context, listed)}${failure()}
      <p class="caption" role="status">${nAll === 0 ? "No labels yet." : nFound < nAll ? `${wholeNumber(nFound)} of ${counted(nAll, LABELS)}` : counted(nAll, LABELS)}</p>
      <ul class="list" aria-label="Labels">${rows.draw(context, listed)}</ul>${rows.known(listed)}
      ${nFound > nShown ? html`<p class="caption">${wholeNumber(nFound - nShown)} more. Type to narrow down.</p>` : nothing}
      <div class="doing foot">
        <button type="button" class="text" aria-expanded=${saveForm.isOpen()} ?disabled=${isOffline} @click=${saveForm.toggle}>Save…</button>
        ${chosenOne?.is_saved === false ? html`<span class="caption unsaved" title="Labels changed since they were last saved">Not saved to a file</span>` : nothing}
        ${state.traits.steps.undo === "annotation" ? html`<button type="button" class="text" ?disabled=${isOffline} @click=${() => actions.undo(false)}>Undo</button>` : nothing}
        <button type="button" class="text" ?disabled=${isOffline} @click=${forget}>Delete annotation</button>
      </div>
      ${saveForm.draw(context, listed)}`;
  }

  const failure = () => (list.fault() === "" ? nothing : html`<p class="fault" role="alert">${list.fault()}</p>`);

  return (context) => {
    const listed = list.follow(context?.state ?? null, chosen, typed);
    if (context === null) return nothing;
    if (listed === null)
      return html`<div class="columns annotations"><p class="caption" role="status" tabindex="-1" data-field="reading">Reading…</p></div>`;
    const isFirst = listed.annotations.length === 0;
    const { many } = nounsOf(context.state).obs;
    const hint = `An annotation is a column of your own labels. Name it, select ${many}, then label them.`;
    const press = (/** @type {KeyboardEvent} */ event) => void moveByKey(event, listed.labels.length);
    return html`<div class="columns annotations" @keydown=${press}>
      ${isFirst ? html`<p class="caption">${hint}</p>` : chooser(context, listed)}
      ${isFirst || making.isOpen ? maker(context, isFirst) : nothing}
      ${isFirst ? failure() : body(context, listed)}
    </div>`;
  };
}
