/** The field that narrows an open column down to the categories that contain a text. The kernel searches; this only asks. */
import { html } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { ICONS } from "../../page/icons.js";
import { textIn } from "../../page/panels/ui.js";

/** @param {string} name of the column @param {string} text what is typed @param {(text: string) => void} seek */
export function valueField(name, text, seek) {
  const press = (/** @type {KeyboardEvent} */ event) => {
    const list = /** @type {Element} */ (event.currentTarget).closest(".count-list")?.querySelector("[role=listbox]");
    if (event.key === "Escape" && textIn(event) !== "") seek("");
    else if (event.key === "ArrowDown") /** @type {HTMLElement} */ (list).focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return html`<div class="box">${ICONS.search}<input type="text" aria-label="Find a value of ${name}" placeholder="Find a value" autocomplete="off" spellcheck="false"
    .value=${live(text)} @input=${(/** @type {Event} */ event) => seek(textIn(event))} @keydown=${press}></div>`;
}
