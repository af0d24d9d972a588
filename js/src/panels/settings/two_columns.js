/** Chooses two columns or genes as the axes, with a search field for each. The kernel searches. */
// Changes with cxg_widget/datasets/base/column_pairs.py: scales of two columns as axes.
import { html, nothing } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { rowAfterKey } from "../../page/parts/legend_rows.js";
import { textIn } from "../../page/parts/ui.js";
import { LOG } from "../../wire/constants.js";
import { nounsOf } from "../../words/nouns.js";
import { matchList, scrollToOption } from "../shared/match_list.js";

/** @typedef {import("../../page/parts/ui.js").Context} Context @typedef {import("../../state/state.js").Match} Match */

const MATCHES = 50;
const AXES = ["Horizontal", "Vertical"];
/** The typed text and its matches.
 * @type {{axis: number, text: string, active: number, query: string | null, matches: Match[]}} */
const CLOSED = { axis: -1, text: "", active: 0, query: null, matches: [] };

/** @param {{client: import("../../wire/client.js").Client, redraw: () => void}} given */
export function createTwoColumns({ client, redraw }) {
  let field = CLOSED;
  /** The choice so far, while one axis is still empty. @type {string[]} */
  let chosen = ["", ""];

  /** @param {Partial<typeof field>} change */
  function set(change) {
    field = { ...field, ...change };
    redraw();
  }

  /** @param {number} axis @param {string} text @param {Context} context */
  async function seek(axis, text, { state }) {
    set({ ...(axis === field.axis ? {} : CLOSED), axis, text, active: 0 });
    const answer = await client.ask({ kind: "search", query: text, limit: MATCHES });
    const found = /** @type {import("../../wire/protocol.js").Matches | undefined} */ (answer?.[0]);
    if (found === undefined || field.axis !== axis || field.text !== text) return;
    set({ query: text, matches: onAnAxis(/** @type {Match[]} */ (found.matches), state.dataset?.columns ?? []) });
  }

  /** @param {Context | null} context */
  return (context) => {
    if (context === null) return nothing;
    const { state, ui, actions, update } = context;
    const { embedding, layer } = state.traits;
    const isPair = Array.isArray(embedding);
    if (isPair || ui.popover !== "place") chosen = ["", ""];
    if (!isPair && ui.popover !== "place") {
      field = CLOSED;
      return nothing;
    }
    const pair = isPair ? embedding : chosen;

    /** @param {number} axis @param {string} spec */
    function choose(axis, spec) {
      const next = pair.slice(0, 2).map((one, i) => (i === axis ? spec : one));
      const kept = isPair ? (embedding[2] ?? null) : layer;
      const of = nameOf(spec).startsWith("var:") && spec !== pair[axis] ? layer : kept;
      field = CLOSED;
      chosen = next;
      if (next.every((one) => one !== "")) actions.setTrait("embedding", withLayer(next, of));
      update({ popover: "place" });
    }

    return html`<div class="two-columns" role="group" aria-label="Two columns">${AXES.map((label, axis) => {
      const spec = pair[axis];
      return html`<div class="axis-of">${box(axis, label, spec)}
        <label class="check" title="log(1 + x)"><input type="checkbox" aria-label="${label} log1p" ?disabled=${spec === "" || state.link === "offline"}
          .checked=${live(spec.startsWith(LOG))} @change=${() => choose(axis, spec.startsWith(LOG) ? spec.slice(LOG.length) : LOG + spec)}>log</label>
        ${field.axis === axis ? listed(axis) : nothing}</div>`;
    })}</div>`;

    /** @param {number} axis @param {string} label @param {string} spec */
    function box(axis, label, spec) {
      const isOpen = field.axis === axis;
      const shown = nameOf(spec).slice(4);
      const what = `Column or ${nounsOf(state).var.one}`;
      return html`<div class="box"><input type="text" role="combobox" aria-label="${label} column" placeholder=${shown || what} title=${shown || nothing}
        autocomplete="off" spellcheck="false" aria-expanded=${isOpen} aria-controls="axis-columns" aria-autocomplete="list" ?disabled=${state.link === "offline"}
        aria-activedescendant=${isOpen && field.matches.length > 0 ? `axis-columns-${field.active}` : nothing}
        .value=${live(isOpen ? field.text : shown)} @focus=${() => void seek(axis, "", /** @type {Context} */ (context))}
        @input=${(/** @type {Event} */ event) => void seek(axis, textIn(event), /** @type {Context} */ (context))}
        @blur=${() => field.axis === axis && set(CLOSED)} @keydown=${(/** @type {KeyboardEvent} */ event) => press(event, axis)}></div>`;
    }

    /** @param {number} axis */
    function listed(axis) {
      const { matches, active, text, query } = field;
      const none = `No numeric column or ${nounsOf(state).var.one} matches “${text.trim()}”.`;
      const isSelected = (/** @type {Match} */ match) => match.spec === nameOf(pair[axis]);
      const shown = { text, active, isBusy: query !== text, none, isSelected };
      return matchList(
        "axis-columns",
        `${AXES[axis]} column`,
        matches,
        shown,
        (i) => set({ active: i }),
        (match) => choose(axis, match.spec),
      );
    }

    /** @param {KeyboardEvent} event @param {number} axis */
    function press(event, axis) {
      const { active, matches, text, query } = field; // read again: keys come faster than redraws
      if (event.isComposing) return;
      const row = rowAfterKey(event.key, active, matches.length);
      if (event.key === "Escape" && field.axis === axis) set(CLOSED);
      else if (event.key === "Enter" && query === text && matches[active] !== undefined)
        choose(axis, matches[active].spec);
      else if (event.key === "ArrowDown" && field.axis !== axis) void seek(axis, "", /** @type {Context} */ (context));
      else if (row !== null && !["Home", "End"].includes(event.key)) {
        set({ active: row });
        scrollToOption(event, "axis-columns", row);
      } else return;
      event.preventDefault();
      event.stopPropagation();
    }
  };
}

/** The spec of an axis without the logarithm. @param {string} spec */
function nameOf(spec) {
  return spec.startsWith(LOG) ? spec.slice(LOG.length) : spec;
}

/** Matches that an axis can show: columns of numbers and genes.
 * @param {Match[]} matches @param {{name: string, kind: string}[]} columns @returns {Match[]} */
export function onAnAxis(matches, columns) {
  const numbers = new Set(
    columns.filter(({ kind }) => kind === "int" || kind === "float").map(({ name }) => `obs:${name}`),
  );
  return matches.filter(({ spec }) => spec.startsWith("var:") || numbers.has(spec));
}

/** The value of the trait: two columns, plus the layer if a gene is read from one.
 * @param {string[]} pair @param {string | null} layer @returns {string[]} */
export function withLayer(pair, layer) {
  const hasGene = pair.some((one) => nameOf(one).startsWith("var:"));
  return layer !== null && hasGene ? [...pair, layer] : pair;
}
