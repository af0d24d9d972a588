/** The list of colormaps, each with a sample. */
import { html, nothing } from "lit-html";
import { nameOf } from "../../page/parts/colormap_menu.js";
import { gradient } from "../../page/parts/legend_histogram.js";
import { rowAfterKey } from "../../page/parts/legend_rows.js";
import { stopsOf } from "../../style/point_style.js";

/** @typedef {import("../../page/parts/ui.js").Context} Context */

/** In a view of less height the list opens upwards. */
const ROOM_BELOW_FROM_PX = 500;

/** @param {Context} context */
export function colormapList(context) {
  const { state, ui, actions } = context;
  if (ui.popover !== "cmap") return nothing;
  const names = state.dataset?.colormaps ?? [];
  const option = (/** @type {string} */ name) => html`
    <div class="option" role="option" tabindex=${name === nameOf(state) ? 0 : -1} aria-selected=${name === nameOf(state)}
      @click=${(/** @type {Event} */ event) => (actions.setTrait("cmap", name), close(context, event))}>
      <i class="sample" style="background:${gradient(stopsOf(name, ui.dark))}"></i><span class="label">${name}</span>
    </div>`;
  return html`<div class="popover cmaps ${state.traits.height < ROOM_BELOW_FROM_PX ? "up" : ""}" role="listbox" aria-label="Colormap"
    @keydown=${(/** @type {KeyboardEvent} */ event) => press(context, names, event)}>
    ${names.map(option)}
  </div>`;
}

/** @param {Context} context @param {Event} event */
function close({ update }, event) {
  const menu = /** @type {Element} */ (event.currentTarget).closest("[data-popover]");
  update({ popover: "" });
  menu?.querySelector("button")?.focus();
}

/** Arrow keys choose at once, as in a native menu.
 * @param {Context} context @param {string[]} names @param {KeyboardEvent} event */
function press(context, names, event) {
  const row = rowAfterKey(event.key, names.indexOf(nameOf(context.state)), names.length);
  const done = event.key === "Enter" || event.key === " ";
  if (row === null && !done) return;
  event.preventDefault();
  event.stopPropagation();
  if (row === null) return close(context, event);
  context.actions.setTrait("cmap", names[row]);
  const list = /** @type {HTMLElement} */ (event.currentTarget);
  /** @type {HTMLElement | undefined} */ (list.querySelectorAll("[role=option]")[row])?.focus();
}
