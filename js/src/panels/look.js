/** The popover that sets how points look: size and opacity. */
import { html } from "lit-html";
import { live } from "lit-html/directives/live.js";

const SIZE_MIN_PX = 0.5;
const SIZE_MAX_PX = 12;
/** Where the slider starts when the size was automatic. */
const SIZE_START_PX = 3;

/** @param {import("./ui.js").Context} context */
export function lookPopover({ state, actions }) {
  const { point_size: size, opacity } = state.traits;
  const number = (/** @type {Event} */ event) => Number(/** @type {HTMLInputElement} */ (event.currentTarget).value);
  return html`<div class="popover look" role="dialog" aria-label="Point size and opacity">
    <div class="setting">
      <span>Point size</span>
      <output>${size === null ? "" : `${size} px`}</output>
      <label class="check">
        <input type="checkbox" .checked=${live(size === null)}
          @change=${() => actions.setTrait("point_size", size === null ? SIZE_START_PX : null)}>Auto
      </label>
      <input type="range" aria-label="Point size" min=${SIZE_MIN_PX} max=${SIZE_MAX_PX} step="0.5" class=${size === null ? "quiet" : ""}
        aria-valuetext=${size === null ? "automatic" : `${size} pixels`} .value=${live(String(size ?? SIZE_START_PX))}
        @input=${(/** @type {Event} */ event) => actions.setTrait("point_size", number(event))}>
    </div>
    <div class="setting">
      <span>Opacity</span>
      <output class="wide">${Math.round(opacity * 100)} %</output>
      <input type="range" aria-label="Opacity" min="0.02" max="1" step="0.01" aria-valuetext="${Math.round(opacity * 100)} percent"
        .value=${live(String(opacity))} @input=${(/** @type {Event} */ event) => actions.setTrait("opacity", number(event))}>
    </div>
  </div>`;
}
