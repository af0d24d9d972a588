/** The list of matches below a search field. */
import { html, nothing } from "lit-html";
import { marked } from "../../page/parts/marked.js";

/** @typedef {{label: string, detail: string}} Option */

/**
 * @template {Option} T
 * @param {string} id of the list; option i has the id `${id}-${i}`
 * @param {string} label
 * @param {T[]} options
 * @param {{text: string, active: number, isBusy?: boolean, none?: string, isSelected?: (option: T) => boolean}} shown
 *   none: the message if nothing was found
 * @param {(i: number) => void} point
 * @param {(option: T, event: Event) => void} choose
 */
export function matchList(id, label, options, { text, active, isBusy = false, none, isSelected }, point, choose) {
  return html`<div class="found" aria-busy=${isBusy} @pointerdown=${(/** @type {Event} */ event) => event.preventDefault()}>
    <div id=${id} role="listbox" aria-label=${label} tabindex="-1">${options.map(
      (option, i) => html`<div id="${id}-${i}" role="option" class="option ${i === active ? "active" : ""}"
        aria-selected=${isSelected ? isSelected(option) : i === active} title=${option.detail === "" ? option.label : `${option.label}\n${option.detail}`}
        @pointermove=${() => i !== active && point(i)} @click=${(/** @type {Event} */ event) => choose(option, event)}>
        <span class="label">${marked(option.label, text)}</span><span class="detail">${marked(option.detail, text)}</span></div>`,
    )}</div>
    ${none && !isBusy && options.length === 0 ? html`<p class="none" role="status">${none}</p>` : nothing}</div>`;
}

/** Scroll an option of the list into view. @param {Event} event in the field @param {string} id @param {number} i */
export function scrollToOption(event, id, i) {
  const root = /** @type {ShadowRoot} */ (/** @type {Element} */ (event.currentTarget).getRootNode());
  requestAnimationFrame(() => root.querySelector(`#${id}-${i}`)?.scrollIntoView({ block: "nearest" }));
}
