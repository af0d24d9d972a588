/** Dividers that the user drags or moves by arrow keys: the lower edge of the widget and the left edge of its side
 * panel. */

import { html } from "lit-html";
import { clamp } from "../../screen/clamp.js";

/** @typedef {import("./ui.js").Context} Context */
/** @typedef {"height" | "panel_width"} Size */

const STEP_PX = 16;
/** Step with Shift. */
const STRIDE_PX = 96;

/** least, most: CSS px; keys: the key that decreases the size, and the key that increases it. */
const KINDS = {
  height: {
    label: "Height of the widget",
    line: "horizontal",
    least: 120,
    most: 2_000,
    axis: "clientY",
    grows: 1,
    keys: ["ArrowUp", "ArrowDown"],
  },
  panel_width: {
    label: "Width of the side panel",
    line: "vertical",
    least: 160,
    most: 800,
    axis: "clientX",
    grows: -1,
    keys: ["ArrowRight", "ArrowLeft"],
  },
};

/** The size during a drag, else the saved size. @param {Context} context @param {Size} size @returns {number} CSS px */
export function sizeOf({ state, ui }, size) {
  return ui.resize?.size === size ? ui.resize.px : state.traits[size];
}

/** @param {Context} context @param {Size} size */
export function divider(context, size) {
  const { label, line, least, most, axis, grows, keys } = KINDS[size];
  const now = sizeOf(context, size);
  const within = (/** @type {number} */ px) => Math.round(clamp(px, least, most));

  /** @param {PointerEvent} event */
  function hold(event) {
    if (event.button !== 0) return;
    const handle = /** @type {HTMLElement} */ (event.currentTarget);
    const at = (/** @type {PointerEvent} */ one) => one[/** @type {"clientX" | "clientY"} */ (axis)];
    const [from, before] = [at(event), sizeOf(context, size)];
    handle.setPointerCapture(event.pointerId);
    handle.onpointermove = (moved) =>
      context.update({ resize: { size, px: within(before + grows * (at(moved) - from)) } });
    handle.onpointercancel = () => end(false);
    handle.onpointerup = () => end(true);
    const end = (/** @type {boolean} */ isMeant) => {
      handle.onpointermove = handle.onpointerup = handle.onpointercancel = null;
      const { resize } = context.ui;
      if (isMeant && resize !== null) context.actions.setTrait(size, resize.px);
      context.update({ resize: null });
    };
  }

  /** @param {KeyboardEvent} event */
  function press(event) {
    const direction = 2 * keys.indexOf(event.key) - 1;
    if (direction < -1) return;
    event.preventDefault();
    context.actions.setTrait(size, within(sizeOf(context, size) + direction * (event.shiftKey ? STRIDE_PX : STEP_PX)));
  }

  return html`<div class="divider ${size}" role="separator" tabindex="0" aria-label=${label} aria-orientation=${line} aria-valuemin=${least}
    aria-valuemax=${most} aria-valuenow=${now} aria-valuetext="${now} pixels" @pointerdown=${hold} @mousedown=${keepText} @keydown=${press}></div>`;
}

/** Prevents a drag from selecting text. @param {Event} event */
function keepText(event) {
  event.preventDefault();
}
