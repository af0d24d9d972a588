/** The Genes panel: pins genes, opens their histograms, and lists the gene sets. */
import { html, nothing } from "lit-html";
import { ICONS } from "../../page/icons.js";
import { MOST_PINNED } from "../../wire/constants.js";
import { counted } from "../../words/format.js";
import { nounsOf } from "../../words/nouns.js";
import { createModes } from "../columns/mode_switch.js";
import { ruleOf } from "../filters/filter_rules.js";
import { sideBySide } from "../linked/add_panels.js";
import { moveByKey } from "../shared/row_keys.js";
import { createGeneSets } from "./gene_sets.js";
import { createPinField } from "./pin_field.js";

/** @typedef {import("../../page/parts/ui.js").Context} Context */

/** @param {import("../index.js").Given} given @returns {import("../index.js").DrawPanel} */
export function createGenes({ client, redraw, opened }) {
  const pinField = createPinField(redraw);
  const geneSets = createGeneSets(client, redraw);
  const modes = createModes(redraw);
  /** The row that Tab moves to. */
  let active = "";

  /** @param {() => void} change */
  function then(change) {
    change();
    redraw();
  }

  /** Pin genes that are not pinned yet, up to the maximum. @param {Context} context @param {string[]} names */
  function pin({ state, actions }, names) {
    const { pinned_genes: pinned } = state.traits;
    const more = names.filter((name) => !pinned.includes(name)).slice(0, MOST_PINNED - pinned.length);
    if (more.length > 0) actions.setTrait("pinned_genes", [...pinned, ...more]);
    if (names.length === 1 && !opened.has(specOf(names[0]))) opened.toggle(specOf(names[0]));
    redraw();
  }

  /** @param {Context} context @param {string} name */
  function unpin({ state, actions }, name) {
    actions.setTrait(
      "pinned_genes",
      state.traits.pinned_genes.filter((one) => one !== name),
    );
  }

  /** @param {Context} context @param {string} name @param {number} i @param {boolean} isFirst */
  function row(context, name, i, isFirst) {
    const { state, actions } = context;
    const spec = specOf(name);
    const [isOpen, isOffline] = [opened.has(spec), state.link === "offline"];
    const isShown = (state.nextColor ?? state.color)?.spec === spec;
    return html`<li class=${isOpen ? "open" : ""}><div class="column">
      <button type="button" class="opener" data-row=${i} tabindex=${isFirst ? 0 : -1} aria-expanded=${isOpen} title=${name} ?disabled=${isOffline}
        @click=${() => then(() => ((active = name), opened.toggle(spec)))}>${ICONS.down}<span class="label">${name}</span>
        ${ruleOf(state.traits.filters, spec) === undefined ? nothing : html`<span class="filtered" title="Has a filter"></span>`}</button>
      <button type="button" class="small" aria-label="Unpin ${name}" title="Unpin" ?disabled=${isOffline} @click=${() => unpin(context, name)}>${ICONS.close}</button>
      <button type="button" class="small colors" aria-label="Color by ${name}" title="Color by ${name}" aria-pressed=${isShown} ?disabled=${isOffline}
        @click=${() => actions.setTrait("color", spec)}><i></i></button>
    </div>${opened.body(context, { name, spec, id: `gene-${i}`, mode: modes.get() })}</li>`;
  }

  return (context, dataset) => {
    if (context === null || dataset === undefined) {
      geneSets(null);
      return nothing;
    }
    const { pinned_genes: pinned } = context.state.traits;
    const noun = nounsOf(context.state).var;
    const first = pinned.includes(active) ? active : pinned[0];
    const press = (/** @type {KeyboardEvent} */ event) => {
      const at = moveByKey(event, pinned.length);
      if (at !== null) then(() => void (active = pinned[at] ?? active));
    };
    return html`<div class="columns">
      <div class="pinned" @keydown=${press}>
        ${pinField(context, (names) => pin(context, names))}
        <div class="counted-pins"><p class="caption" role="status">${pinned.length === 0 ? `No pinned ${noun.many}.` : `${counted(pinned.length, noun)} pinned`}${
          pinned.length < MOST_PINNED ? nothing : ` (maximum)`
        }</p>${pinned.length < 2 ? nothing : html`${sideBySide(context, pinned.map(specOf))}<button type="button" class="text" ?disabled=${context.state.link === "offline"} @click=${() => context.actions.setTrait("pinned_genes", [])}>Unpin all</button>`}</div>
        ${pinned.length === 0 ? nothing : modes.draw(context)}
        <ul class="list" aria-label="Pinned ${noun.many}">${pinned.map((name, i) => row(context, name, i, name === first))}</ul>
      </div>
      ${geneSets(context, { pin: (names) => pin(context, names), unpin: (name) => unpin(context, name) })}
    </div>`;
  };
}

/** @param {string} name */
const specOf = (name) => `var:${name}`;
