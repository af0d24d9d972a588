/** The tooltip of a point, and the menu that a click adds to it. Names are text, whatever they hold. */
import { html, nothing } from "lit-html";
import { nounsOf } from "../../words/nouns.js";

/** @typedef {import("../../page/parts/ui.js").Context} Context */
/** @typedef {import("./study_cards.js").Sample} Sample */

/**
 * @param {{sample: Sample, condition: string, fields: string[][]}} about fields: names and values
 * @param {string} place CSS @param {unknown} menu nothing = a tooltip without a menu
 */
export function sampleTip({ sample: { name, pair, excluded }, condition, fields }, place, menu) {
  const isOpen = menu !== nothing;
  return html`<div class="tooltip ${isOpen ? "open" : ""}" role=${isOpen ? "group" : nothing} aria-label=${isOpen ? `Sample ${name}` : nothing} aria-hidden=${isOpen ? nothing : "true"} style=${place}>
    <div class="value">${name}</div><div class="name">${condition}${excluded ? ", excluded" : ""}</div>
    <dl>${fields.map(([field, value]) => html`<dt>${field}</dt><dd>${value}</dd>`)}${pair === "" ? nothing : html`<dt>pair</dt><dd>${pair}</dd>`}</dl>${menu}
  </div>`;
}

/** @param {Context["state"]} state @param {Sample} sample
 * @param {((event: MouseEvent) => void) | null} pick selects its cells; null = the click has selected them
 * @param {() => void} exclude excludes the sample, or includes it again */
export function sampleMenu(state, { excluded }, pick, exclude) {
  const isOff = state.link === "offline";
  return html`<div class="menu-of-sample">${pick === null ? nothing : html`<button type="button" class="text" ?disabled=${isOff} @click=${pick}>Select its ${nounsOf(state).obs.many}</button>`}
    <button type="button" class="text" ?disabled=${isOff} @click=${exclude}>${excluded ? "Include again" : "Exclude sample"}</button></div>`;
}
