/** The active filters: number of passing cells, a chip per filter in Columns and over the plot, and the query field. */
import { html, nothing } from "lit-html";
import { ICONS } from "../../page/icons.js";
import { nHidden } from "../../state/hidden.js";
import { wholeNumber } from "../../words/format.js";
import { nounsOf } from "../../words/nouns.js";
import { wordsOf } from "../../words/rule_words.js";
import { columnOf, ruleOf, shortest, withRule } from "./filter_rules.js";
import { createQueryField } from "./query_field.js";
import { nameIn } from "./query_word.js";

/** @typedef {import("../../page/parts/ui.js").Context} Context */
/** @typedef {import("../../state/state.js").Dataset} Dataset */

/** @param {import("../index.js").Given} given @returns {(context: Context, dataset: Dataset) => unknown} */
export function createOverview(given) {
  const queryField = createQueryField(given);
  /** The last submitted query; the kernel may reject it. */
  let tried = "";

  return (context, dataset) => {
    const { state, actions } = context;
    /** @type {import("./filter_rules.js").Rule[]} */
    const rules = state.traits.filters;
    const isOffline = state.link === "offline";
    const put = (/** @type {string} */ column, /** @type {import("./filter_rules.js").Rule | null} */ rule) =>
      actions.setTrait("filters", withRule(context.state.traits.filters, column, rule));
    const query = ruleOf(rules, "query")?.query ?? "";
    const nPassing = state.brush?.n ?? state.filter.n ?? dataset.nObs - (rules.length > 0 ? nHidden(state) : 0);
    const isRefused = tried !== "" && tried !== query && state.error?.of === "filter";
    const commit = (/** @type {string} */ text) => {
      tried = text.trim();
      if (tried !== query) put("query", tried === "" ? null : { query: tried });
      else if (isRefused) actions.dismissError(); // the active query was typed again
    };
    return html`<div class="overview">
      <div class="passing"><p><b>${wholeNumber(nPassing)}</b> of ${wholeNumber(dataset.nObs)} ${nounsOf(state).obs.many} pass</p>
        ${rules.length > 1 ? html`<button type="button" class="text" ?disabled=${isOffline} @click=${() => actions.clearFilters()}>Clear all</button>` : nothing}</div>
      ${
        rules.length === 0
          ? html`<p class="chip none">No filters</p>`
          : html`<ul class="chips" aria-label="Filters">${rules.map((rule) => {
              const [name, text] = wordsOf(shortest(rule, state.color));
              return html`<li class="chip" title="${name}: ${text}"><span class="label"><bdi><b>${name}</b></bdi> <bdi>${text}</bdi></span>
                <button type="button" class="small" aria-label="Remove filter on ${name}" title="Remove" ?disabled=${isOffline}
                  @click=${() => put(columnOf(rule), null)}>${ICONS.close}</button></li>`;
            })}</ul>`
      }
      ${queryField(context, { value: isRefused ? tried : query, placeholder: exampleOf(dataset), isRefused, commit })}
      ${isRefused ? html`<p class="fault" role="alert">${state.error?.message}</p>` : nothing}
    </div>`;
  };
}

/** Placeholder of the query field, with a column of this dataset. @param {Dataset} dataset @returns {string} */
export function exampleOf({ columns }) {
  const name = columns.find(({ kind }) => kind === "int" || kind === "float")?.name ?? "";
  return name === "" ? "Query" : `e.g. ${nameIn(name)} > 0`;
}

/** Maximum number of chips over the plot; a button counts the others and opens Columns, which lists all. */
const MOST = 4;

/** @param {Context} context */
export function filterChips({ state, actions }) {
  /** @type {import("./filter_rules.js").Rule[]} */
  const rules = state.traits.filters;
  if (rules.length === 0) return nothing;
  const isOffline = state.link === "offline";
  const open = state.traits.open_panels;
  const remove = (/** @type {import("./filter_rules.js").Rule} */ rule) =>
    actions.setTrait("filters", withRule(state.traits.filters, columnOf(rule), null));
  const more = rules.length - MOST;
  return html`<ul class="plot-filters ${state.traits.panels.length > 0 ? "below-heads" : ""}" aria-label="Active filters">${rules
    .slice(0, MOST)
    .map((rule) => {
      const [name, text] = wordsOf(shortest(rule, state.color));
      return html`<li class="chip" title="${name}: ${text}"><span class="label"><bdi><b>${name}</b></bdi> <bdi>${text}</bdi></span>
      <button type="button" class="small" aria-label="Remove filter: ${name} ${text}" title="Remove filter" ?disabled=${isOffline} @click=${() => remove(rule)}>${ICONS.close}</button></li>`;
    })}${more > 0 ? html`<li><button type="button" class="chip more" ?disabled=${open.includes("columns")} @click=${() => actions.setTrait("open_panels", [...open, "columns"])}>${more} more</button></li>` : nothing}</ul>`;
}
