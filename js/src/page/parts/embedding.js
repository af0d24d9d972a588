/** Chooses the embedding and, if it has more than two axes, the two axes to draw. */
import { html, nothing } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { ICONS } from "../icons.js";
import { textIn } from "./ui.js";

const TWO = "Two columns…";

/** @param {import("./ui.js").Context} context @param {unknown} columns template that chooses two columns */
export function embeddingBox({ state, actions, update }, columns) {
  const { dataset, traits } = state;
  if (dataset === null) return nothing;
  const current = dataset.embeddings.find((embedding) => embedding.name === traits.embedding);
  const off = state.link === "offline";
  const value = current?.name ?? (traits.embedding ? TWO : "");
  const choose = (/** @type {string} */ name) => {
    if (name !== TWO) return actions.setTrait("embedding", name);
    actions.needPanels();
    update({ popover: "place" });
  };
  return html`<div class="field" data-popover="place">
    <span class="caption" aria-hidden="true">Embedding</span>
    ${menu({ label: "Embedding", values: [...dataset.embeddings.map(({ name }) => name), TWO], value, off, choose })}
    ${columns} ${current !== undefined && current.axes > 2 ? axesChooser(current.axes, traits.axes, off, (axes) => actions.setTrait("axes", axes)) : nothing}
  </div>`;
}

/** @param {number} nAxes @param {number[]} axes @param {boolean} off @param {(axes: number[]) => void} change */
function axesChooser(nAxes, axes, off, change) {
  const values = Array.from({ length: nAxes }, (_, i) => String(i + 1));
  const chooser = (/** @type {number} */ place, /** @type {string} */ label) =>
    menu({
      label,
      values,
      value: String((axes[place] ?? place) + 1),
      off,
      choose: (value) => change(swapped(axes, place, Number(value) - 1)),
    });
  return html`<div class="axes">${chooser(0, "Horizontal axis")}<span aria-hidden="true">×</span>${chooser(1, "Vertical axis")}</div>`;
}

/** Puts an axis in a place; if the other place has it, the two axes are swapped. @param {number[]} axes
 * @param {number} place @param {number} axis */
export function swapped(axes, place, axis) {
  const [x, y] = axes;
  const other = place === 0 ? y : x;
  const freed = other === axis ? axes[place] : other;
  return place === 0 ? [axis, freed] : [freed, axis];
}

/** @param {{label: string, values: string[], value: string, off: boolean, choose: (value: string) => void}} menu */
function menu({ label, values, value, off, choose }) {
  return html`<span class="menu">
    <select aria-label=${label} title=${value} ?disabled=${off} .value=${live(value)}
      @change=${(/** @type {Event} */ event) => choose(textIn(event))}>
      ${values.map((one) => html`<option value=${one} ?selected=${one === value}>${one}</option>`)}
    </select>${ICONS.down}
  </span>`;
}
