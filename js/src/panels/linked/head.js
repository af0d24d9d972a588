/** The line above a panel: its name, what its colours mean, and the cross that takes it away. */
import { html, nothing } from "lit-html";
import { ICONS } from "../../page/icons.js";
import { keyOf } from "../../words/key.js";
import { capitalized, nounsOf } from "../../words/nouns.js";
import { nameOf, told } from "../../words/rule_told.js";

/**
 * @typedef {import("../../state/state.js").State} State
 * @typedef {import("../../wire/constants.js").Look} Setting
 */

/** Categories whose colours are shown, as far as there is room; the list of all comes up where the pointer rests. */
const MOST_ROWS = 8;

/** What a panel is called. @param {State} state as it shows it @param {Setting} look @returns {string} */
export function titleOf(state, look) {
  const part = look.within === undefined ? "" : partOf(look.within);
  const color = (part === "" || "color" in look) && state.color?.name;
  return [part, color].filter(Boolean).join(" · ") || `All ${nounsOf(state).obs.many}`;
}

/** @param {any} rule @returns {string} */
function partOf(rule) {
  return "and" in rule || "or" in rule ? "some" : told(rule);
}

/** What stands in full where the name is too long, and which column the cells are of. @param {State} state @param {Setting} look */
function hintOf(state, look) {
  const { within } = look;
  const isOfColumn = within && !("and" in within || "or" in within);
  return isOfColumn ? `${nameOf(within)}: ${titleOf(state, look)}` : titleOf(state, look);
}

/** Does it show some of the cells in the colours of the plot, which are those of the legend beside? @param {Setting} look */
export const isPart = (look) => look.within !== undefined && !("color" in look);

/** @param {State} state as it shows it @param {Setting} look @param {boolean} dark @param {(() => void) | null} remove null = it cannot be */
export function head(state, look, dark, remove) {
  const name = titleOf(state, look);
  return html`<h3 title=${hintOf(state, look)}>${name}</h3>
    ${isPart(look) ? nothing : meaning(state, dark)}
    <button type="button" class="small" aria-label="Remove the panel ${name}" title="Remove" ?disabled=${remove === null} @click=${remove}>${ICONS.close}</button>`;
}

/** @param {State} state @param {boolean} dark */
function meaning(state, dark) {
  const { ramp, ends, rows, more, said } = keyOf(state, dark);
  if (said !== "") return html`<span class="meaning">${said}</span>`;
  if (ramp.length > 0) {
    const colors = `background:linear-gradient(to right,${ramp.join()})`;
    return html`<span class="meaning"><span>${ends[0]}</span><i class="bar-of-colors" style=${colors}></i><span>${ends[1]}</span></span>`;
  }
  const all = [...rows.map(([label]) => label), more > 0 ? `and ${more} more` : ""].join("\n");
  return html`<span class="meaning colors-told" title=${all}>${rows
    .slice(0, MOST_ROWS)
    .map(
      ([label, , color]) => html`<span><i style=${`background:${color || "var(--missing)"}`}></i>${label}</span>`,
    )}</span>`;
}

/** @param {State} state @param {number} n panels */
export function saidOf(state, n) {
  return n > 1 ? `${n} panels beside each other.` : `${capitalized(nounsOf(state).obs.many)} in one panel.`;
}
