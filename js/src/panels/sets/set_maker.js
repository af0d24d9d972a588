/** Creates sets of cells: names the selection, optionally within another set, and combines the chosen sets. */
// Changes with cxg_widget/widget/sets.py: operations on sets.
import { html, nothing } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { textIn } from "../../page/parts/ui.js";
import { counted, wholeNumber } from "../../words/format.js";
import { nounsOf } from "../../words/nouns.js";

/** @typedef {import("../../page/parts/ui.js").Context} Context */
/** @typedef {import("../../state/state.js").State} State */
/** @typedef {import("./set_requests.js").CellSet} CellSet */

/** Operations on the chosen sets, in the order of `combined()`. */
const COMBINED = /** @type {const} */ ([
  ["union", "Union", "∪"],
  ["intersection", "Intersection", "∩"],
  ["difference", "Difference", "−"],
]);

/** @param {Pick<import("../index.js").Given, "redraw" | "sets" | "comparing">} given */
export function createSetMaker({ redraw, sets: list, comparing }) {
  /** Input so far: the name of a new set, and its parent set. */
  let typed = { name: "", within: "" };

  /** @param {() => void} change */
  function then(change) {
    change();
    redraw();
  }

  /** The field that names the selection. @param {Context} context @param {CellSet[]} sets */
  function namer(context, sets) {
    const { state } = context;
    const { n } = state.selection;
    const { obs } = nounsOf(state);
    const gate = sets.find(({ name }) => name === typed.within);
    const within = gate?.name ?? "";
    const named =
      gate === undefined ? counted(n, obs) : `${wholeNumber(gate.nSelected)} of ${counted(n, obs)} within ${within}`;
    const add = (/** @type {Event} */ event) => {
      event.preventDefault();
      if (typed.name.trim() === "" || n === 0) return;
      const { name } = typed; // stays in the field if the name is taken
      // the set may be gone: a key comes faster than a redraw
      const within = sets.some((one) => one.name === typed.within) ? typed.within : "";
      void list.edit({ op: "add", name: name.trim(), within }).then((done) => {
        if (done !== null && typed.name === name) then(() => void (typed = { name: "", within: "" }));
      });
    };
    const choose = (/** @type {Event} */ event) => then(() => void (typed = { ...typed, within: textIn(event) }));
    return html`<form class="namer" @submit=${add}>
      <div class="box"><input type="text" data-field="name" aria-label="Name of the selection" placeholder=${n === 0 ? `Select ${obs.many} to name them` : `Name for ${named}`}
        maxlength="200" autocomplete="off" spellcheck="false" .value=${live(typed.name)} @input=${(/** @type {Event} */ event) => then(() => void (typed = { ...typed, name: textIn(event) }))}></div>
      ${
        sets.length === 0
          ? nothing
          : html`<label class="setting choose"><span>Within</span><select class="wide" .value=${within} @change=${choose}>
            <option value="" ?selected=${within === ""}>all ${obs.many}</option>${sets.map(({ name }) => html`<option value=${name} ?selected=${name === within}>${name}</option>`)}</select></label>`
      }
      <button type="submit" class="text" ?disabled=${n === 0 || gate?.nSelected === 0 || state.link === "offline"}>${n === 0 ? "Name the selection" : html`Name <bdi>${named}</bdi>`}</button>
      ${n === 0 ? nothing : compareButton(context, comparing, "selection", false)}
    </form>`;
  }

  /** Buttons that combine the chosen sets, each with the number of cells it would give.
   * @param {State} state @param {CellSet[]} sets */
  function combiner(state, sets) {
    const known = sets.map(({ name }) => name);
    if (list.chosen.some((name) => !known.includes(name)))
      list.chosen = list.chosen.filter((name) => known.includes(name));
    const { chosen } = list;
    if (chosen.length < 2) return nothing;
    const counts = list.combined();
    const [first, ...others] = chosen;
    return html`<div class="combiner" role="group" aria-label="Combine ${chosen.join(", ")}">${COMBINED.map(
      ([op, label, sign], i) => {
        const made = chosen.join(` ${sign} `).slice(0, 180);
        const name = known.includes(made) ? `${made} ${known.length + 1}` : made;
        const combine = () =>
          list.edit({ op, name, of: chosen }).then((done) => done !== null && ((list.chosen = []), redraw()));
        const title = op === "difference" ? `In ${first}, not in ${others.join(", ")}` : made;
        return html`<button type="button" class="text" title=${title} ?disabled=${state.link === "offline" || !counts[i]} @click=${combine}>${label}${
          counts[i] === undefined ? nothing : html` <span class="kind">${wholeNumber(counts[i])}</span>`
        }</button>`;
      },
    )}</div>`;
  }

  return { namer, combiner };
}

/** A button that compares cells with all others in the Compare panel.
 * @param {Context} context @param {import("../index.js").Given["comparing"]} comparing @param {string} a
 * @param {boolean} isOff */
export function compareButton(context, comparing, a, isOff) {
  const { obs } = nounsOf(context.state);
  const { open_panels: open } = context.state.traits;
  const begin = () => {
    if (!open.includes("compare")) context.actions.setTrait("open_panels", [...open, "compare"]);
    comparing.compare({ a, b: "rest" });
  };
  return html`<button type="button" class="text" title="Compare with all other ${obs.many}, ${nounsOf(context.state).var.one} by ${nounsOf(context.state).var.one}" ?disabled=${isOff || context.state.link === "offline"} @click=${begin}>Compare</button>`;
}
