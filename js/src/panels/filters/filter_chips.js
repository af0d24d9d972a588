/** The filters as chips over the plot, each with a cross that takes it away; they are seen with Columns closed too. */
import { html, nothing } from "lit-html";
import { ICONS } from "../../page/icons.js";
import { describeRule, nameOf } from "../../words/rule_words.js";
import { columnOf, shortest, withRule } from "./rules.js";

/** @typedef {import("../../page/panels/ui.js").Context} Context */

/** So many are listed; a button counts the others, and opens Columns, which has them all. */
const MOST = 4;

/** @param {Context} context */
export function filterChips({ state, actions }) {
  /** @type {import("./rules.js").Rule[]} */
  const rules = state.traits.filters;
  if (rules.length === 0) return nothing;
  const isOffline = state.link === "offline";
  const open = state.traits.open_panels;
  const remove = (/** @type {import("./rules.js").Rule} */ rule) =>
    actions.setTrait("filters", withRule(state.traits.filters, columnOf(rule), null));
  const more = rules.length - MOST;
  return html`<ul class="plot-filters" aria-label="Active filters">${rules.slice(0, MOST).map((rule) => {
    const [name, text] = [nameOf(rule), describeRule(shortest(rule, state.color))];
    return html`<li class="chip" title="${name}: ${text}"><span class="label"><bdi><b>${name}</b></bdi> <bdi>${text}</bdi></span>
      <button type="button" class="small" aria-label="Remove filter: ${name} ${text}" title="Remove filter" ?disabled=${isOffline} @click=${() => remove(rule)}>${ICONS.close}</button></li>`;
  })}${more > 0 ? html`<li><button type="button" class="chip more" ?disabled=${open.includes("columns")} @click=${() => actions.setTrait("open_panels", [...open, "columns"])}>${more} more</button></li>` : nothing}</ul>`;
}
