/** Drawing a shape by keys: loads the second module, which draws it, and queues key presses until then. */
import { toolOf } from "../state/state.js";

/**
 * @typedef {{key: string, shiftKey: boolean, altKey: boolean}} Press
 *
 * @typedef {object} KeyShape
 * @property {(press: Press) => boolean} press handles a key press; returns false if it ignores the key
 * @property {() => void} cancel discards the shape, when a pointer or another tool takes over
 * @property {() => void} refresh updates the shape after the view has moved
 *
 * @typedef {(element: HTMLElement, meaning: import("./gestures.js").Meaning) => KeyShape} CreateKeyShape
 */

/** @param {HTMLElement} element @param {import("./gestures.js").Meaning} meaning
 * @param {string} begin the key that starts a shape
 * @param {string[]} more keys that are handled after it
 * @returns {KeyShape & {goOn: () => void}} `goOn`: to be called after the second module has loaded or failed to */
export function createKeyShape(element, meaning, begin, more) {
  /** @type {KeyShape | null} */
  let drawing = null;
  /** @type {Press[]} */
  let waiting = [];

  /** @param {Press} pressed */
  function press({ key, shiftKey, altKey }) {
    const create = meaning.state().keyShape;
    if (create !== null) return (drawing ??= create(element, meaning)).press({ key, shiftKey, altKey });
    if (waiting.length === 0 && (key !== begin || toolOf(meaning.state()) === "pan")) return false;
    if (key === "Escape") waiting = [];
    else if (key === begin || more.includes(key)) waiting.push({ key, shiftKey, altKey });
    else return false;
    meaning.needKeyShape();
    return true;
  }

  return {
    press,
    goOn() {
      for (const one of waiting.splice(0)) if (meaning.state().keyShape !== null) press(one);
    },
    cancel() {
      waiting = [];
      drawing?.cancel();
    },
    refresh: () => drawing?.refresh(),
  };
}
