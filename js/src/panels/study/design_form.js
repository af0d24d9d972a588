/** The form that declares a study: which cells are a sample, and which samples are compared. */
// Changes with cxg_widget/display/study_design.py: the design of a study.
import { html, nothing } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { textIn } from "../../page/parts/ui.js";
import { typeColumns } from "./study_requests.js";

/** @typedef {import("../../page/parts/ui.js").Context} Context */
/** @typedef {import("./study_requests.js").Design} Design */
/** @typedef {import("./study_requests.js").Studying} Studying */

/** @type {Design} */
const EMPTY = { sample: "", condition: "", covariates: [], pair: null, excluded: [] };
const MOST_COVARIATES = 12;

/** @param {() => void} redraw @param {Studying} studying @param {() => void} apply called after a design is set */
export function createDesignForm(redraw, studying, apply) {
  /** The design so far; null = the form is closed. @type {Design | null} */
  let draft = null;

  /** @param {Partial<Design>} change */
  function put(change) {
    draft = { ...(draft ?? EMPTY), ...change };
    redraw();
  }

  return {
    isOpen: () => draft !== null,
    /** @param {Design | null} design */
    toggle(design) {
      draft = draft === null ? { ...EMPTY, ...design } : null;
      redraw();
    },
    /** @param {Context} context */
    draw({ state, actions }) {
      const { study_design: design } = state.traits;
      const now = draft ?? EMPTY;
      const { sample, condition, covariates, pair } = now;
      const proposed = studying.proposals(sample)?.columns ?? [];
      const all = typeColumns(state.dataset);
      const listed = proposed.map((one) => String(one.name));
      const constant = sample === "" ? [] : listed.filter((name) => name !== sample);
      const samples = sample === "" && listed.length > 0 ? listed : all;
      const isWhole = sample !== "" && condition !== "" && sample !== condition;
      const isOffline = state.link === "offline";
      const chooseSample = (/** @type {string} */ to) =>
        put({ ...EMPTY, sample: to, condition: to === condition ? "" : condition });
      const submit = (/** @type {Event} */ event) => {
        event.preventDefault();
        if (!isWhole || isOffline) return;
        const isSame = design?.sample === sample && design.condition === condition;
        actions.setTrait("study_design", { ...now, excluded: isSame ? design.excluded : [] });
        apply();
        draft = null;
        redraw();
      };
      const remove = () => {
        actions.setTrait("study_design", null);
        draft = null;
        redraw();
      };
      const others = constant.filter((name) => name !== condition).slice(0, MOST_COVARIATES);
      const chosen = [...others, ...covariates.filter((name) => !others.includes(name) && name !== condition)];
      const check = (/** @type {string} */ name) =>
        html`<label class="check" title=${name}><input type="checkbox" .checked=${live(covariates.includes(name))} @change=${() => put({ covariates: covariates.includes(name) ? covariates.filter((one) => one !== name) : [...covariates, name] })}><span>${name}</span></label>`;
      return html`<form class="design" @submit=${submit}>
        <p class="caption" role="status">Samples are the points and the n of every test, never cells. A sample is the cells of one donor, mouse or well in one condition.</p>
        <div class="choices-of">
          ${choice("Sample", sample, samples, [], chooseSample, "sample", "choose a column")}
          ${choice(
            "Condition",
            condition,
            constant,
            all.filter((name) => name !== sample && !constant.includes(name)),
            (to) => put({ condition: to, covariates: covariates.filter((one) => one !== to) }),
            "",
            "choose a column",
            sample === "",
          )}
          ${choice("Pair", pair ?? "", sample === "" ? [] : [sample, ...constant.filter((name) => name !== condition)], [], (to) => put({ pair: to || null }), "", "none", sample === "")}
        </div>
        ${chosen.length === 0 ? nothing : html`<fieldset><legend>Covariates</legend>${chosen.map(check)}</fieldset>`}
        <div class="doing"><button type="submit" class="text" ?disabled=${!isWhole || isOffline}>${design === null ? "Show the study" : "Apply"}</button>
          ${draft === null || design === null ? nothing : html`<button type="button" class="text" @click=${() => ((draft = null), redraw())}>Cancel</button><button type="button" class="text" ?disabled=${isOffline} @click=${remove}>Remove the study</button>`}</div>
      </form>`;
    },
  };
}

/**
 * @param {string} name @param {string} value @param {string[]} first proposed columns @param {string[]} others
 * @param {(to: string) => void} choose @param {string} field data-field, by which the panel finds its first focus
 * @param {string} none text of the empty choice @param {boolean} [isOff]
 */
function choice(name, value, first, others, choose, field, none, isOff = false) {
  const option = (/** @type {string} */ one) => html`<option value=${one} ?selected=${one === value}>${one}</option>`;
  const rest = value === "" || first.includes(value) || others.includes(value) ? others : [value, ...others];
  return html`<label class="chosen-of"><span>${name}</span><select class="wide" aria-label=${name} data-field=${field || nothing} .value=${live(value)} ?disabled=${isOff} @change=${(/** @type {Event} */ event) => choose(textIn(event))}>
    <option value="" ?selected=${value === ""}>${none}</option>${first.map(option)}${
      rest.length === 0
        ? nothing
        : html`<optgroup label=${first.length === 0 ? "Columns" : "Several values in a sample"}>${rest.map(option)}</optgroup>`
    }</select></label>`;
}
