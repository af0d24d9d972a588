/** Pointer presses in a view: tells a drag from a click, and gives keys to the widget that was pressed. */
import { createTravel } from "../plot/drag.js";

/** They decide themselves: a hand that trembles on a button has pressed it. The last row of the legend is a button too. */
const CONTROLS = "button:not(.row), input, select, textarea, label, a, summary";

/** @param {HTMLElement} mount @param {AbortSignal} signal */
export function listenToPresses(mount, signal) {
  const travel = createTravel();
  const capture = { signal, capture: true, passive: true };
  mount.tabIndex = -1; // whatever cannot take the focus itself gives it to the view, not to a cell of the notebook
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
  for (const type of ["pointerdown", "mousedown"])
    mount.addEventListener(type, (event) => event.defaultPrevented && takeKeys(mount), { signal }); // it moves no focus
}

/** Give the keys to a view that does not have them. @param {HTMLElement} mount */
function takeKeys(mount) {
  if (focusedIn(mount) === null) mount.focus({ preventScroll: true });
}

/** @param {HTMLElement} mount @returns {Element | null} */
export function focusedIn(mount) {
  return /** @type {ShadowRoot} */ (mount.getRootNode()).activeElement ?? null;
}

/** Where what had the focus has gone, or can do no more, as a button that has cleared the selection, the plot has the keys.
 * Panels look for a better place before. @param {HTMLElement} mount */
export function keepKeys(mount) {
  queueMicrotask(() => {
    const now = focusedIn(mount);
    if (!mount.isConnected || (now !== null && !now.matches(":disabled"))) return;
    const plot = /** @type {HTMLElement | null} */ (mount.querySelector("[role=application]"));
    (plot?.checkVisibility() ? plot : mount).focus({ preventScroll: true });
  });
}
