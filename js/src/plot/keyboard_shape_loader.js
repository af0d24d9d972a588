/** A shape drawn by keys, as gestures know it: the second module draws it; till that has come, keys wait. */
import { toolOf } from "../state/state.js";

/**
 * @typedef {{key: string, shiftKey: boolean, altKey: boolean}} Press
 *
 * @typedef {object} KeyShape
 * @property {(press: Press) => boolean} press whether it means something
 * @property {() => void} cancel a hand or another tool takes over
 * @property {() => void} refresh the view has moved beneath the cursor
 *
 * @typedef {(element: HTMLElement, meaning: import("./gestures.js").Meaning) => KeyShape} CreateKeyShape
 */

/** @param {HTMLElement} element @param {import("./gestures.js").Meaning} meaning @param {string} begin the key that begins one
 * @param {string[]} more keys that mean something from then on
 * @returns {KeyShape & {goOn: () => void}} `goOn`: what draws has come, or cannot be had */
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
