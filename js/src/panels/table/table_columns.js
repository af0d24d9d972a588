/** Chooses the columns of the table: a search field for columns and genes, with a checkbox for each. */
import { html, nothing } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { marked } from "../../page/parts/marked.js";
import { textIn } from "../../page/parts/ui.js";
import { nounsOf } from "../../words/nouns.js";

/** @typedef {import("../../page/parts/ui.js").Context} Context @typedef {import("../../state/state.js").Match} Match */

const MATCHES = 50;
/** Specs that the table can show. */
const SPECS = /^(obs|var|set):/;

/** @param {{client: import("../../wire/client.js").Client, redraw: () => void}} given */
export function createColumnChoice({ client, redraw }) {
  let isOpen = false;
  let text = "";
  /** @type {Match[]} */
  let matches = [];

  async function seek() {
    const query = text;
    const answer = await client.ask({ kind: "search", query: query, limit: MATCHES });
    const found = /** @type {import("../../wire/protocol.js").Matches | undefined} */ (answer?.[0]);
    if (found === undefined || query !== text) return;
    matches = /** @type {Match[]} */ (found.matches).filter(({ spec }) => SPECS.test(spec));
    redraw();
  }

  /** @param {boolean} wanted */
  function toggle(wanted) {
    isOpen = wanted;
    if (isOpen) void seek();
    redraw();
  }

  /** Escape closes the list, as does a click outside. @param {KeyboardEvent} event */
  function press(event) {
    if (event.key !== "Escape" || !isOpen) return;
    event.stopPropagation();
    const place = /** @type {Element} */ (event.currentTarget);
    /** @type {HTMLElement | null} */ (place.querySelector("[aria-expanded]"))?.focus();
    toggle(false);
  }

  /** @param {FocusEvent} event */
  function leave(event) {
    const place = /** @type {Element} */ (event.currentTarget);
    if (isOpen && event.relatedTarget instanceof Node && !place.contains(event.relatedTarget)) toggle(false);
  }

  /** @param {Context} context @param {string[]} columns the current ones
   * @param {(columns: string[] | undefined) => void} choose undefined = the default */
  return (context, columns, choose) => {
    const { state } = context;
    const what = `Find a column or ${nounsOf(state).var.one}`;
    const change = (/** @type {string} */ spec) =>
      choose(columns.includes(spec) ? columns.filter((one) => one !== spec) : [...columns, spec]);
    const enter = (/** @type {KeyboardEvent} */ event) => {
      if (event.key === "Enter" && matches.length > 0) change(matches[0].spec);
    };
    return html`<div class="anchor choice-of-columns" @keydown=${press} @focusout=${leave}>
      <button type="button" class="text" aria-expanded=${isOpen} ?disabled=${state.link === "offline"} @click=${() => toggle(!isOpen)}>Columns</button>
      ${
        isOpen
          ? html`<div class="popover columns-on-offer" tabindex="-1">
        <div class="box"><input type="text" aria-label=${what} placeholder=${what} autocomplete="off" spellcheck="false" .value=${live(text)}
          @input=${(/** @type {Event} */ event) => ((text = textIn(event)), void seek())} @keydown=${enter}></div>
        <ul>${matches.map(
          ({
            spec,
            label,
            detail,
          }) => html`<li><label class="check"><input type="checkbox" .checked=${live(columns.includes(spec))} @change=${() => change(spec)}>
            <span class="label">${marked(label, text)}</span><small>${detail}</small></label></li>`,
        )}</ul>
        <button type="button" class="text" @click=${() => choose(undefined)}>Reset columns</button>
      </div>`
          : nothing
      }
    </div>`;
  };
}
