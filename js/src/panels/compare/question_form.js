/** The form of a comparison: two groups of cells, the method, and its options. */
// Changes with cxg_widget/compare/question.py: options of a comparison.
import { html, nothing } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { textIn } from "../../page/parts/ui.js";
import { nSelectedPassing } from "../../state/counts.js";
import { EMPTY_LABEL } from "../../wire/constants.js";
import { wholeNumber } from "../../words/format.js";
import { nounsOf } from "../../words/nouns.js";
import { asCategory, categoryOf } from "./comparison_requests.js";

/** @typedef {import("../../page/parts/ui.js").Context} Context */
/** @typedef {import("../sets/set_requests.js").CellSet} CellSet */
/** @typedef {import("./comparison_requests.js").Comparing} Comparing */

/** @type {Record<import("./comparison_requests.js").Question["method"], string>} */
const METHODS = { "t-test": "t-test", wilcoxon: "Wilcoxon" };

/** @param {Context} context @param {Comparing} comparing @param {CellSet[]} sets
 * @param {unknown} more options */
export function questionLine({ state }, comparing, sets, more) {
  const { a, b, method, normalize, within } = comparing.question();
  const isFiltered = state.traits.filters.length > 0;
  const isOffline = state.link === "offline";
  const isPassing = isFiltered && within === "filter";
  const n = (isPassing ? nSelectedPassing(state) : null) ?? state.selection.n;
  const known = new Set(sets.map(({ name }) => `set:${name}`));
  const options = sets.map(
    (one) =>
      /** @type {[string, string, boolean]} */ ([
        `set:${one.name}`,
        `${one.name} (${wholeNumber(isPassing ? one.nFiltered : one.n)})`,
        one.fault !== "",
      ]),
  );
  const left = known.has(a) || categoryOf(a) || (a === "filter" && isFiltered) ? a : "selection";
  const right = known.has(b) || categoryOf(b) || b === "neighborhood" ? b : "rest";
  const isEmpty = (left === "selection" && n === 0) || [left, right].some((one) => categoryOf(one)?.[1] === null);
  const columns = (state.dataset?.columns ?? []).filter(({ kind }) => kind !== "int" && kind !== "float");
  const isBusy = comparing.isBusy();
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (isBusy) comparing.cancel();
    else if (!isEmpty && !isOffline) comparing.compare({ a: left, b: right });
  };
  /** Options for the categories of the column that a side uses. @param {"a" | "b"} side @param {string} now */
  const categories = (side, now) => {
    const [column, label] = categoryOf(now) ?? [];
    if (column === undefined) return nothing;
    const labels = comparing.labels(column) ?? (label ? [label] : []);
    return choice(
      `Category of ${column}`,
      now,
      labels.map((/** @type {string} */ one) => [asCategory(column, one), one || EMPTY_LABEL, false]),
      (to) => comparing.put({ [side]: to }),
      side === "a" ? "category" : "other category",
    );
  };
  const work = state.building?.ends_by === "compare" ? state.building : null;
  const { many } = nounsOf(state).obs;
  /** @type {[string, string, boolean][]} */
  const passing = isFiltered ? [["filter", `the filtered ${many}`, false]] : [];
  return html`<form class="question-line" @submit=${submit}>
    ${choice("Compare", left, [["selection", n === 0 ? "the selection" : `the selection (${wholeNumber(n)})`, false], ...passing, ...options], (to) => comparing.put({ a: to }), "a", columns)}
    ${categories("a", left)}
    ${choice("with", right, [["rest", "the rest", false], ["neighborhood", "its neighborhood", false], ...options.filter(([id]) => id !== left)], (to) => comparing.put({ b: to }), "", columns)}
    ${categories("b", right)}
    ${choice(
      "by",
      method,
      Object.entries(METHODS).map(([id, name]) => [id, name, false]),
      (to) => comparing.put({ method: /** @type {any} */ (to) }),
      "",
    )}
    ${
      isFiltered
        ? choice(
            "among",
            within,
            [
              ["filter", `passing ${many}`, false],
              ["", `all ${many}`, false],
            ],
            (to) => comparing.put({ within: /** @type {any} */ (to) }),
            "",
          )
        : nothing
    }
    <label class="check" title="For counts: log1p of counts per 10,000"><input type="checkbox" .checked=${live(normalize)}
      @change=${(/** @type {Event} */ event) => comparing.put({ normalize: /** @type {HTMLInputElement} */ (event.target).checked })}>Normalize</label>
    <button type="submit" class="text" ?disabled=${isOffline || (isEmpty && !isBusy)} title=${isEmpty ? `Select ${many} first, or choose a set or a category` : nothing}>${isBusy ? "Cancel" : "Compare"}</button>
    ${more}
    ${isBusy ? html`<span class="caption" role="status">${work === null ? "Reading…" : `${work.what}, ${Math.floor(100 * work.done)}\u00a0%`}</span>` : nothing}
  </form>`;
}

/** Prefix of an option that stands for a column. */
const OF = "of:";

/** @param {string} name @param {string} value
 * @param {[string, string, boolean][]} options value, name, whether it is disabled
 * @param {(to: string) => void} choose
 * @param {string} field data-field, by which the panel finds its first focus; "" = none
 * @param {{name: string}[]} [columns] columns whose categories can be chosen */
function choice(name, value, options, choose, field, columns = []) {
  const of = columns.length > 0 ? categoryOf(value)?.[0] : undefined;
  const shown = of === undefined ? value : `${OF}${of}`;
  const take = (/** @type {string} */ to) => choose(to.startsWith(OF) ? asCategory(to.slice(OF.length), null) : to);
  return html`<label class="chosen-of">${field === "" ? html`<span>${name}</span>` : nothing}<select class="wide" aria-label=${name} title=${options.find(([id]) => id === shown)?.[1] ?? nothing} data-field=${field || nothing} .value=${live(shown)} @change=${(/** @type {Event} */ event) => take(textIn(event))}>
    ${options.map(([id, text, isOff]) => html`<option value=${id} ?selected=${id === shown} ?disabled=${isOff}>${text}</option>`)}
    ${columns.length === 0 ? nothing : html`<optgroup label="A category of">${columns.map((one) => html`<option value="${OF}${one.name}" ?selected=${`${OF}${one.name}` === shown}>${one.name}</option>`)}</optgroup>`}</select></label>`;
}
