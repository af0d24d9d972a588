/** The choices of the Study panel: its part, the column of types, the cells, and the two conditions of the tests. */
import { html, nothing } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { textIn } from "../../page/parts/ui.js";
import { nounsOf } from "../../words/nouns.js";
import { isOfShare, typeColumns } from "./study_requests.js";

/** @typedef {import("../../page/parts/ui.js").Context} Context */
/** @typedef {import("./study_requests.js").Section} Section */
/** @typedef {import("./study_requests.js").Studying} Studying */

/** @type {Record<Section, string>} */
export const SECTIONS = {
  composition: "Composition",
  expression: "Expression",
  differences: "Differences",
  covariates: "Covariates",
  lost: "Lost cells",
};
const NAMES = /** @type {Section[]} */ (Object.keys(SECTIONS));
const STEPS = /** @type {Record<string, number>} */ ({ ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 });

/** @param {Context} context @param {Studying} studying @param {() => void} begin called before other cards are shown
 * @param {() => void} openForm */
export function studyChoices({ state }, studying, begin, openForm) {
  const { section, by, within, pair } = studying.choice();
  const { many } = nounsOf(state).obs;
  const part = studying.part();
  /** @param {Parameters<Studying["put"]>[0]} change */
  const put = (change) => {
    begin();
    studying.put(change);
  };
  /** @param {KeyboardEvent} event */
  const press = (event) => {
    const step = STEPS[event.key];
    if (step === undefined) return;
    const to = (NAMES.indexOf(section) + step + NAMES.length) % NAMES.length;
    const group = /** @type {HTMLElement} */ (event.currentTarget);
    /** @type {HTMLElement} */ (group.children[to]).focus();
    put({ section: NAMES[to] });
    event.preventDefault();
    event.stopPropagation();
  };
  const isTyped = section === "composition" || section === "expression" || section === "differences";
  const none = section === "composition" ? "the selection" : `all ${many}`;
  const types = [["", none], ...typeColumns(state.dataset).map((one) => [one, one])];
  const passing = state.traits.filters.length > 0 ? `${many} that pass the filters` : `all ${many}`;
  const cells = [
    ["filter", passing],
    ["selection", "the selection"],
  ];
  const pairs = part !== null && isTyped && section !== "differences" ? part.pairs : [];
  const tests = pairs.map(([a, b], i) => [String(i), `${part?.conditions[a]} against ${part?.conditions[b]}`]);
  return html`<div class="modes" role="radiogroup" aria-label="Part of the study" @keydown=${press}>${NAMES.map(
    (id) =>
      html`<button type="button" role="radio" data-field=${id === section ? "section" : nothing} aria-checked=${id === section} tabindex=${id === section ? 0 : -1} @click=${() => id !== section && put({ section: id })}>${SECTIONS[id]}</button>`,
  )}</div>
  ${isTyped ? choice("by", by, types, (to) => put({ by: to })) : nothing}
  ${isOfShare(studying.choice()) ? nothing : choice("of", within, cells, (to) => put({ within: /** @type {typeof within} */ (to) }))}
  ${tests.length > 1 ? choice("test", String(pair), tests, (to) => put({ pair: Number(to) }), "pair-of") : tests.map(([, name]) => html`<span class="caption">${name}</span>`)}
  <button type="button" class="text design-button" @click=${openForm}>Design…</button>`;
}

/** @param {string} name @param {string} value @param {string[][]} options value and text
 * @param {(to: string) => void} choose @param {string} [kind] class */
function choice(name, value, options, choose, kind = "") {
  return html`<label class="chosen-of"><span>${name}</span><select class="wide ${kind}" aria-label=${name} .value=${live(value)} @change=${(/** @type {Event} */ event) => choose(textIn(event))}>
    ${options.map(([id, text]) => html`<option value=${id} ?selected=${id === value}>${text}</option>`)}</select></label>`;
}
