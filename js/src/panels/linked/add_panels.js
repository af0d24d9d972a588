/** Buttons that show panels side by side: of pinned genes, of a column, of its categories. */
import { html, nothing } from "lit-html";
import { MOST_PANELS } from "../../wire/constants.js";
import { nounsOf } from "../../words/nouns.js";

/**
 * @typedef {import("../../page/parts/ui.js").Context} Context
 * @typedef {import("../../wire/constants.js").Look} Setting
 */

/** Give new panels ids that no current panel has.
 * @param {Setting[]} panels @param {Omit<Setting, "id">[]} looks @returns {Setting[]} */
function numbered(panels, looks) {
  const last = Math.max(0, ...panels.map(({ id }) => id));
  return looks.map((look, i) => ({ id: last + 1 + i, ...look }));
}

/** Show the plot and one panel for each other gene. @param {Context} context @param {string[]} specs */
export function sideBySide({ state, actions }, specs) {
  const { panels } = state.traits;
  const others = specs.filter((one) => one !== state.color?.spec).slice(0, MOST_PANELS - 1);
  const show = () => actions.setTrait("panels", numbered(panels, [{}, ...others.map((color) => ({ color }))]));
  return html`<button type="button" class="text beside" title="Show the plot and one panel per pinned ${nounsOf(state).var.one} (at most ${MOST_PANELS})"
    ?disabled=${state.link === "offline"} @click=${show}>Side by side</button>`;
}

/** Buttons that show a column beside the plot. @param {Context} context @param {{name: string, kind: string}} column */
export function besideButtons({ state, actions }, { name, kind }) {
  const { panels } = state.traits;
  const isOffline = state.link === "offline";
  const isFull = panels.length >= MOST_PANELS;
  const add = () => {
    const before = panels.length > 0 ? panels : numbered([], [{}]);
    actions.setTrait("panels", [...before, ...numbered(before, [{ color: `obs:${name}` }])]);
  };
  const split = kind === "int" || kind === "float" ? nothing : splitButton({ state, actions }, name);
  return html`<div class="beside-buttons">
    <button type="button" class="text" title="Add a panel colored by this column" ?disabled=${isOffline || isFull} @click=${add}>Add panel</button>${split}</div>`;
}

/** @param {Pick<Context, "state" | "actions">} context @param {string} name of a column of categories */
function splitButton({ state, actions }, name) {
  const labels = state.columns[`obs:${name}`]?.categories ?? [];
  const isPossible = labels.length > 0 && labels.length <= MOST_PANELS;
  const looks = () => labels.map((label) => ({ within: { obs: name, in: [label] } }));
  const split = () => actions.setTrait("panels", numbered(state.traits.panels, looks()));
  const title = isPossible ? "Show one panel per category" : `Works for at most ${MOST_PANELS} categories`;
  return html`<button type="button" class="text" title=${title} ?disabled=${!isPossible || state.link === "offline"} @click=${split}>Split into panels</button>`;
}
