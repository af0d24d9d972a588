/** The legend: a heading, and below it the rows or the color bar. */
import { html, nothing } from "lit-html";
import { countsOf, legendCounts } from "../../state/counts.js";
import { MOST_PINNED } from "../../wire/constants.js";
import { cornersOf } from "../../words/legend_words.js";
import { colorable, nounsOf } from "../../words/nouns.js";
import { ICONS } from "../icons.js";
import { createCategoryLegend } from "./legend_categories.js";
import { missingRow } from "./legend_missing.js";
import { numberLegend, swatches } from "./legend_numbers.js";
import { countWidths } from "./legend_row_end.js";

/** @typedef {import("./ui.js").Context} Context */

/** @returns {(context: Context, more: unknown) => unknown} more: template from the second module */
export function createLegend() {
  const categoryLegend = createCategoryLegend();
  return (context, more) => {
    const { color, dataset, link, error } = context.state;
    if (
      color === null &&
      error === null &&
      link !== "offline" &&
      (dataset === null || context.state.traits.color !== null)
    )
      return skeleton();
    if (color === null || color.scale === "none") return hint(context);
    const mixed = cornersOf(color, context.ui.dark);
    const body =
      mixed.length > 0
        ? [more && more !== nothing ? more : swatches(mixed), missingRow(context, color)]
        : color.scale === "categorical"
          ? categoryLegend(context, color)
          : numberLegend(context, color, more);
    const { key: both } = legendCounts(context.state, color);
    const isOfSelected = countsOf(context.state, color) !== null;
    const pass = context.state.traits.filters.length > 0 ? ", passing" : "";
    const key = color.scale === "categorical" ? both : isOfSelected ? html`<i></i>selected${pass}` : "";
    return html`<section class="legend ${color.scale}" style=${countWidths(context.state, color)} aria-label="Legend">
      <div class="head"><h2 title=${color.name}>${color.name}</h2>${key ? html`<span class="key" aria-hidden="true">${key}</span>` : nothing}${pinButton(context, color.spec)}</div>
      ${color.detail === "" ? nothing : html`<p class="detail" title=${color.detail}>${color.detail}</p>`}
      ${color.unscaled ? unscaledButton(context, color.unscaled) : nothing}
      ${body}
    </section>`;
  };
}

/** Button that switches to an unscaled layer if X is scaled. @param {Context} context @param {string} layer */
const unscaledButton = ({ state, actions }, layer) =>
  html`<p class="detail"><button type="button" class="text" title="scanpy's default" ?disabled=${state.link === "offline"} @click=${() => actions.setTrait("layer", layer)}>Use ${layer}</button></p>`;

/** Button that pins a gene. @param {Context} context @param {string} spec */
function pinButton({ state, actions }, spec) {
  if (!spec.startsWith("var:")) return nothing;
  const name = spec.slice(4);
  const others = state.traits.pinned_genes.filter((one) => one !== name);
  const isPinned = others.length < state.traits.pinned_genes.length;
  return html`<button type="button" class="small" aria-label="Pin ${name}" title="Pin" aria-pressed=${isPinned} ?disabled=${state.link === "offline" || others.length === MOST_PINNED}
    @click=${() => actions.setTrait("pinned_genes", isPinned ? others : [...others, name])}>${ICONS.pin}</button>`;
}

/** @param {Context} context */
function hint({ state }) {
  const text = state.link === "offline" ? "" : `Color the ${nounsOf(state).obs.many} by any ${colorable(state)}.`;
  return html`<section class="legend" aria-label="Legend"><p class="none">${text}</p></section>`;
}

/** Placeholder while a legend is loading. */
function skeleton() {
  const widths = [62, 48, 75, 40, 66, 54];
  return html`<section class="legend skeleton" aria-hidden="true">${widths.map((width) => html`<div class="row"><i class="swatch"></i><i style="width:${width}%"></i></div>`)}</section>`;
}
