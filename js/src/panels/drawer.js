/** The frame of a panel: its heading, closing it, and where the focus goes. */
import { html } from "lit-html";
import { ICONS } from "../page/icons.js";
import { COLUMNS_KEY } from "../page/panels/columns_button.js";

/** @typedef {import("../page/panels/ui.js").Context} Context */

/** @returns {(context: Context, id: string, name: string, body: unknown) => unknown} */
export function createDrawer() {
  /** What had the focus when the panel took it. @type {HTMLElement | null} */
  let back = null;

  /** A panel that a hand opened takes the focus; one that Python opened, or another view, does not. @param {Context} context @param {string} id */
  function enter({ ui, update }, id) {
    if (ui.cameFrom === null) return;
    back = ui.cameFrom;
    update({ cameFrom: null });
    const root = /** @type {ShadowRoot} */ (back.getRootNode());
    // The field is there once this drawing is done.
    queueMicrotask(() => /** @type {HTMLElement | null} */ (root.querySelector(`#${id} [data-field]`))?.focus());
  }

  /** Close it, and give the focus back. @param {Context} context @param {Event} event */
  function close({ actions }, event) {
    const root = /** @type {ShadowRoot} */ (/** @type {Element} */ (event.currentTarget).getRootNode());
    actions.setTrait("open_panels", []);
    const places = [back, ...root.querySelectorAll("[aria-controls=columns], [role=application]")];
    const found = places.find((one) => one?.isConnected && one.checkVisibility());
    /** @type {HTMLElement | undefined} */ (found)?.focus({ preventScroll: true });
  }

  /** @param {Context} context @param {KeyboardEvent} event */
  function press(context, event) {
    const isLetter = event.key.toUpperCase() === COLUMNS_KEY && !(event.target instanceof HTMLInputElement);
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (!isLetter && event.key !== "Escape") return;
    event.stopPropagation(); // else Escape would clear the selection, and the letter open it again
    close(context, event);
  }

  return (context, id, name, body) => {
    enter(context, id);
    return html`<aside class="panel drawer" id=${id} aria-label=${name} @keydown=${(/** @type {KeyboardEvent} */ event) => press(context, event)}>
      <div class="head"><h2>${name}</h2>
        <button type="button" class="small" aria-label="Close ${name.toLowerCase()}" title="Close (Esc)"
          @click=${(/** @type {Event} */ event) => close(context, event)}>${ICONS.close}</button></div>
      ${body}
    </aside>`;
  };
}
