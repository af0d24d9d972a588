/** The row of the legend for cells without a category or a value. */
import { html, nothing } from "lit-html";
import { legendCounts } from "../../state/counts.js";
import { MISSING_LABEL } from "../../wire/protocol.js";
import { missingLabel } from "../../words/missing.js";
import { actOn, describeRow, rowEnd } from "./legend_row_end.js";

/** @param {import("./ui.js").Context} context @param {import("../../state/state.js").Coloring} color */
export function missingRow(context, color) {
  if (color.nMissing === 0) return nothing;
  const { state, actions } = context;
  const { first, second, key } = legendCounts(state, color);
  const [count, selected] = [second[second.length - 1], first?.[first.length - 1]];
  const label = missingLabel(color);
  const name = label === MISSING_LABEL ? `without a value in ${color.name}` : label;
  const title = `${describeRow(context, count, selected, key)} ${name}`;
  const isCategory = color.scale === "categorical";
  const end = isCategory ? rowEnd(context, count, selected) : rowEnd(context, count, selected, false);
  const parts = html`<i class="swatch"></i><span class="label">${label}</span>${end}`;
  if (!isCategory) return html`<div class="row missing" title=${title}>${parts}</div>`;
  const isHidden = state.traits.hidden.includes(MISSING_LABEL);
  const act = (/** @type {MouseEvent | KeyboardEvent} */ event) => actOn(context, event, color.categories.length);
  return html`<button type="button" class="row missing ${isHidden ? "hidden" : ""}" title=${title} aria-pressed=${!isHidden} aria-keyshortcuts="S"
    ?disabled=${state.link === "offline"} @keydown=${act}
    @click=${(/** @type {MouseEvent} */ event) => act(event) || actions.toggleCategory(color.categories.length)}>${parts}</button>`;
}
