/** Keeps the focus in a panel when what had it goes, as a row does that is deleted: in its row or form, else in the panel's field. */

/** What the keys of a panel lead to first. */
const FIRST = "[data-row], input:enabled, button:enabled";

/** Has it left the page, or can it no longer be used? @param {Element} element */
const isGone = (element) => !element.isConnected || element.matches(":disabled");

export function createKeptFocus() {
  /** What has the focus, and what to look for another place in. @type {{element: Element, places: (Element | null)[]} | null} */
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
    /** Some browsers tell of an element that they take away, too. @param {FocusEvent} event */
    leave: ({ target }) =>
      queueMicrotask(() => void (held?.element === target && !isGone(held.element) && (held = null))),
    /** At each drawing of the panel. */
    follow: () => queueMicrotask(check),
  };
}
