/** The frame of a panel: heading, buttons that copy its code and close it, and focus handling. */
import { html } from "lit-html";
import { ICONS } from "../../page/icons.js";
import { nounsOf } from "../../words/nouns.js";
import { copyCode } from "./copied_code.js";

/** @typedef {import("../../page/parts/ui.js").Context} Context */
/** @typedef {Pick<import("../../page/parts/panel_buttons.js").Panel, "id" | "key" | "name">} Panel */

/** @param {{client: import("../../wire/client.js").Client, redraw: () => void}} given
 * @returns {(context: Context, panel: Panel, body: unknown) => unknown} */
export function createDrawer({ client, redraw }) {
  /** The panel whose code was copied last, and what became of it. */
  let copied = { id: "", text: "" };
  /** The element that had the focus before a panel took it. @type {Map<string, HTMLElement>} */
  const back = new Map();
  const focus = createKeptFocus();

  /** A panel takes the focus if the user opened it in this view, but not if Python or another view did.
   * @param {Context} context @param {string} id */
  function enter({ ui, update }, id) {
    if (ui.cameFrom?.panel !== id) return;
    const { from } = ui.cameFrom;
    back.set(id, from);
    update({ cameFrom: null });
    const root = /** @type {ShadowRoot} */ (from.getRootNode());
    // The field exists only after this redraw.
    queueMicrotask(() => /** @type {HTMLElement | null} */ (root.querySelector(`#${id} [data-field]`))?.focus());
  }

  /** Close a panel and return the focus. @param {Context} context @param {string} id @param {Event} event */
  function close({ state, actions }, id, event) {
    const root = /** @type {ShadowRoot} */ (/** @type {Element} */ (event.currentTarget).getRootNode());
    const { open_panels: open } = state.traits;
    actions.setTrait(
      "open_panels",
      open.filter((one) => one !== id),
    );
    const places = [
      back.get(id),
      ...root.querySelectorAll(`.menu-of-panels, [aria-controls=${id}], [role=application]`),
    ];
    const found = places.find((one) => one?.isConnected && one.checkVisibility());
    /** @type {HTMLElement | undefined} */ (found)?.focus({ preventScroll: true });
  }

  /** @param {Panel["id"]} id */
  async function copy(id) {
    copied = { id, text: await copyCode(client, id) };
    redraw();
  }

  /** @param {Context} context @param {Panel["id"]} id */
  function copyButton({ state }, id) {
    const text = copied.id === id ? copied.text : "";
    const forget = () => ((copied = { id: "", text: "" }), redraw());
    const icon = text === "copied" ? ICONS.check : text === "" ? ICONS.code : ICONS.warn;
    return html`<button type="button" class="small" aria-label="Copy as code" title=${text || "Copy as code"} ?disabled=${state.link !== "live"} @click=${() => void copy(id)} @blur=${forget}>${icon}</button><span class="spoken" aria-live="polite">${text}</span>`;
  }

  /** @param {Context} context @param {Panel} panel @param {KeyboardEvent} event */
  function press(context, { id, key }, event) {
    const isLetter = event.key.toUpperCase() === key && !isTyped(event.target);
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (!isLetter && event.key !== "Escape") return;
    event.stopPropagation(); // otherwise Escape would clear the selection, and the letter would reopen the panel
    close(context, id, event);
  }

  return (context, panel, body) => {
    const { id } = panel;
    enter(context, id);
    focus.follow();
    const name = panel.name(nounsOf(context.state));
    return html`<aside class="part" id=${id} aria-label=${name} @focusin=${focus.enter} @focusout=${focus.leave} @keydown=${(/** @type {KeyboardEvent} */ event) => press(context, panel, event)}>
      <div class="head"><h2>${name}</h2>
        <div class="ends">${copyButton(context, id)}<button type="button" class="small" aria-label="Close ${name.toLowerCase()}" title="Close (Esc)"
          @click=${(/** @type {Event} */ event) => close(context, id, event)}>${ICONS.close}</button></div></div>
      ${body}
    </aside>`;
  };
}

/** Whether a key press types into a field. @param {EventTarget | null} field */
function isTyped(field) {
  return field instanceof Element && field.matches("input, select, textarea");
}

/** Selector of the first element to focus in a panel. */
const FIRST = "[data-row], input:enabled, button:enabled";

/** Whether an element was removed or disabled. @param {Element} element */
const isGone = (element) => !element.isConnected || element.matches(":disabled");

export function createKeptFocus() {
  /** The focused element, and the places to search for a replacement.
   * @type {{element: Element, places: (Element | null)[]} | null} */
  let held = null;

  function check() {
    if (held === null || !isGone(held.element)) return;
    const { element, places } = held;
    const panel = /** @type {Element} */ (places.at(-1));
    const { activeElement } = /** @type {ShadowRoot} */ (panel.getRootNode());
    held = null;
    if (!panel.isConnected || (activeElement !== null && activeElement !== element)) return;
    const around = places.find((one) => one?.isConnected);
    const to = (around === panel && panel.querySelector("[data-field]:enabled")) || around?.querySelector(FIRST);
    /** @type {HTMLElement | null | undefined} */ (to)?.focus({ preventScroll: true });
  }

  return {
    /** @param {FocusEvent} event of the panel */
    enter({ target, currentTarget }) {
      const element = /** @type {Element} */ (target);
      held = { element, places: [element.closest("li, form"), /** @type {Element} */ (currentTarget)] };
    },
    /** Some browsers also send focusout for an element that is being removed: keep that one.
     * @param {FocusEvent} event */
    leave: ({ target }) =>
      queueMicrotask(() => void (held?.element === target && !isGone(held.element) && (held = null))),
    /** Called at each redraw of the panel. */
    follow: () => queueMicrotask(check),
  };
}
