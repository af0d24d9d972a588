/** Pointer presses in a view: distinguishes drags from clicks, and gives the keyboard focus to the pressed widget. */
import { createTravel } from "../plot/drag.js";

/** Controls that decide themselves: a press on a button counts even if the pointer trembles. Excludes the last row of
 * the legend, which is a button too. */
const CONTROLS = "button:not(.row), input, select, textarea, label, a, summary";

/** @param {HTMLElement} mount @param {AbortSignal} signal */
export function listenToPresses(mount, signal) {
  const travel = createTravel();
  const capture = { signal, capture: true, passive: true };
  mount.tabIndex = -1; // a press on an element that takes no focus focuses the view, not a cell of the notebook
  mount.addEventListener("pointerdown", travel.down, capture);
  mount.addEventListener("pointermove", travel.move, capture);
  mount.addEventListener("pointerup", travel.move, capture);
  for (const type of /** @type {const} */ (["click", "dblclick"]))
    mount.addEventListener(
      type,
      (event) => {
        const isByPointer = event.detail > 0;
        const { target } = event;
        if (!isByPointer || !travel.isDrag() || !(target instanceof Element) || target.closest(CONTROLS)) return;
        event.stopPropagation();
      },
      capture,
    );
  // A press with its default prevented moves no focus.
  for (const type of ["pointerdown", "mousedown"])
    mount.addEventListener(type, (event) => event.defaultPrevented && takeKeys(mount), { signal });
}

/** Focuses a view unless it has the focus. @param {HTMLElement} mount */
function takeKeys(mount) {
  if (focusedIn(mount) === null) mount.focus({ preventScroll: true });
}

/** @param {HTMLElement} mount @returns {Element | null} */
export function focusedIn(mount) {
  return /** @type {ShadowRoot} */ (mount.getRootNode()).activeElement ?? null;
}

/** Focuses the plot if the focused element was removed or disabled, such as the button that clears the selection.
 * Panels choose a better element before. @param {HTMLElement} mount */
export function keepKeys(mount) {
  queueMicrotask(() => {
    const now = focusedIn(mount);
    if (!mount.isConnected || (now !== null && !now.matches(":disabled"))) return;
    const plot = /** @type {HTMLElement | null} */ (mount.querySelector("[role=application]"));
    (plot?.checkVisibility() ? plot : mount).focus({ preventScroll: true });
  });
}
