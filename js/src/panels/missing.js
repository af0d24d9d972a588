/** The legend's row for what has no category or no value. */
import { html, nothing } from "lit-html";
import { MISSING_LABEL } from "../protocol.js";
import { counted, shortCount } from "./format.js";
import { nounsOf } from "./nouns.js";

/** @param {import("./ui.js").Context} context @param {import("../state.js").Coloring} color */
export function missingRow({ state, actions }, color) {
  if (color.nMissing === 0) return nothing;
  const { hidden } = state.traits;
  const title = `${counted(color.nMissing, nounsOf(state).obs)} without a value in ${color.name}`;
  const parts = html`<i class="swatch"></i><span class="label">${MISSING_LABEL}</span><span class="count">${shortCount(color.nMissing)}</span>`;
  if (color.scale !== "categorical") return html`<div class="row missing" title=${title}>${parts}</div>`;
  const isHidden = hidden.includes(MISSING_LABEL);
  const toggle = () => actions.setTrait("hidden", isHidden ? hidden.filter((label) => label !== MISSING_LABEL) : [...hidden, MISSING_LABEL]);
  return html`<button type="button" class="row missing ${isHidden ? "hidden" : ""}" title=${title} aria-pressed=${!isHidden}
    ?disabled=${state.link === "offline"} @click=${toggle}>${parts}</button>`;
}
