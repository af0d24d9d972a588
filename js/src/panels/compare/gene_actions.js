/** Actions on genes of a comparison: color by one, pin it, add it to a gene set, make a set of those listed. */
import { html, nothing } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { ICONS } from "../../page/icons.js";
import { textIn } from "../../page/parts/ui.js";
import { MOST_PINNED } from "../../wire/constants.js";
import { counted } from "../../words/format.js";
import { nounsOf, setNounOf, withArticle } from "../../words/nouns.js";
import { withSets } from "../genes/paste_field.js";

/** @typedef {import("../../page/parts/ui.js").Context} Context */

/** Maximum number of genes in a set made here: the notebook stores them all. */
const MOST_NAMES = 5_000;

/** @param {Context} context @param {string} name */
export function colorBy({ actions }, name) {
  actions.setTrait("color", `var:${name}`);
}

/** @param {() => void} redraw
 * @returns {(context: Context, chosen: string, listed: () => string[], n: number) => unknown} chosen: "" = none;
 *   listed: names in the table; n: their number */
export function createGeneActions(redraw) {
  let typed = "";
  let result = "";
  /** The genes that the last message is about. */
  let of = "";

  return (context, chosen, listed, n) => {
    const { state, actions } = context;
    const { pinned_genes: pinned, gene_sets: own } = state.traits;
    const { var: noun } = nounsOf(state);
    const setNoun = setNounOf(nounsOf(state));
    const isOffline = state.link === "offline";
    if (of !== `${chosen} ${n}`) [of, result] = [`${chosen} ${n}`, ""];
    /** @param {string[]} genes @param {boolean} isMore */
    const put = (genes, isMore) => {
      const name = typed.trim();
      if (name === "") return void ((result = `Enter a name for the ${setNoun.one} first.`), redraw());
      const before = isMore ? (own.find((one) => one.name === name)?.genes ?? []) : [];
      const all = [...new Set([...before, ...genes])];
      actions.setTrait("gene_sets", withSets(own, [{ name, genes: all }]));
      result = `${name} has ${counted(all.length, noun)}.`;
      redraw();
    };
    const pin = () =>
      actions.setTrait(
        "pinned_genes",
        pinned.includes(chosen) ? pinned.filter((one) => one !== chosen) : [...pinned, chosen],
      );
    const isPinned = pinned.includes(chosen);
    const isShown = (state.nextColor ?? state.color)?.spec === `var:${chosen}`;
    const submit = (/** @type {Event} */ event) => {
      event.preventDefault();
      if (n > 0 && n <= MOST_NAMES) put(listed(), false);
    };
    return html`<div class="gene-actions">
      ${
        chosen === ""
          ? html`<span class="caption">Choose ${withArticle(noun.one)} to color by.</span>`
          : html`<b class="label" title=${chosen}>${chosen}</b>
        <button type="button" class="small" aria-label="Pin ${chosen}" title=${isPinned ? "Unpin" : "Pin"} aria-pressed=${isPinned} ?disabled=${isOffline || (!isPinned && pinned.length >= MOST_PINNED)} @click=${pin}>${ICONS.pin}</button>
        <button type="button" class="small colors" aria-label="Color by ${chosen}" title="Color by ${chosen}" aria-pressed=${isShown} ?disabled=${isOffline} @click=${() => colorBy(context, chosen)}><i></i></button>`
      }
      <form @submit=${submit}><div class="box"><input type="text" list="own-gene-sets" maxlength="200" autocomplete="off" spellcheck="false" aria-label="Name of ${withArticle(setNoun.one)}" placeholder="Name of ${withArticle(setNoun.one)}"
        .value=${live(typed)} @input=${(/** @type {Event} */ event) => void (((typed = textIn(event)), redraw()))}></div>
      <datalist id="own-gene-sets">${own.map(({ name }) => html`<option value=${name}></option>`)}</datalist>
      <button type="submit" class="text" title=${n > MOST_NAMES ? `At most ${counted(MOST_NAMES, noun)}: narrow by search, cut-offs or brush` : `All ${noun.many} in the table; replaces ${withArticle(setNoun.one)} of the same name`} ?disabled=${isOffline || n === 0 || n > MOST_NAMES}>Create ${setNoun.one} of ${counted(n, noun)}</button>
      ${chosen === "" ? nothing : html`<button type="button" class="text" ?disabled=${isOffline} @click=${() => put([chosen], true)}>Add ${chosen}</button>`}
      </form><span class="caption" role="status">${result}</span>
    </div>`;
  };
}
