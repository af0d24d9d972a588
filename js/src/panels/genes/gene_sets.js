/** The gene sets of the user and of the store: color by one, pin its genes, delete it, add another. */
import { html, nothing } from "lit-html";
import { ICONS } from "../../page/icons.js";
import { textIn } from "../../page/parts/ui.js";
import { counted, wholeNumber } from "../../words/format.js";
import { capitalized, nounsOf, setNounOf, withArticle } from "../../words/nouns.js";
import { moveByKey } from "../shared/row_keys.js";
import { askGenes } from "./gene_set_requests.js";
import { createPasteField } from "./paste_field.js";

/** @typedef {import("../../page/parts/ui.js").Context} Context */
/** @typedef {{name: string, genes: string[], n: number}} GeneSet n: number of genes; `genes` may list fewer */
/** @typedef {GeneSet & {isOwn: boolean}} Listed */
/** @typedef {{pin: (names: string[]) => void, unpin: (name: string) => void}} Pins */

/** Maximum number of rows, and the number of sets from which a search field is shown. */
const MOST_LISTED = 100;
const FILTER_FROM = 12;

/** The sets of the store, requested once for all views of a widget. @type {WeakMap<object, {sets: GeneSet[] | null, isRequested: boolean, waiting: Set<() => void>}>} */
const STORES = new WeakMap();

/** @param {import("../../wire/client.js").Client} client @param {() => void} redraw
 * @returns {(context: Context | null, pins?: Pins) => unknown} call it with null when the panel is closed */
export function createGeneSets(client, redraw) {
  const store = STORES.get(client) ?? { sets: null, isRequested: false, waiting: new Set() };
  STORES.set(client, store);
  const pasteField = createPasteField(client, redraw);
  let filter = "";
  let active = "";
  /** Names of the open sets. @type {Set<string>} */
  const open = new Set();

  /** @param {() => void} change */
  function then(change) {
    change();
    redraw();
  }

  /** @param {Context["state"]} state */
  function ask({ link }) {
    if (store.sets !== null || link !== "live") return;
    store.waiting.add(redraw);
    if (store.isRequested) return;
    store.isRequested = true;
    void askGenes(client, "").then((found) => {
      store.sets = /** @type {GeneSet[] | undefined} */ (found?.sets) ?? [];
      for (const draw of store.waiting) draw();
      store.waiting.clear();
    });
  }

  /** @param {Context} context @param {Listed} set @param {number} i @param {boolean} isFirst @param {Pins} pins */
  function row(context, { name, genes, n, isOwn }, i, isFirst, pins) {
    const { state, actions } = context;
    const isOffline = state.link === "offline";
    const [isOpen, isShown] = [open.has(name), (state.nextColor ?? state.color)?.spec === `set:${name}`];
    const { many } = nounsOf(state).var;
    const drop = () =>
      actions.setTrait(
        "gene_sets",
        context.state.traits.gene_sets.filter((one) => one.name !== name),
      );
    return html`<li class=${isOpen ? "open" : ""}><div class="column">
      <button type="button" class="opener" data-row=${i} tabindex=${isFirst ? 0 : -1} aria-expanded=${isOpen} title=${name}
        @click=${() => then(() => ((active = name), open.delete(name) || open.add(name)))}>${ICONS.down}<span class="label">${name}</span><span class="kind">${wholeNumber(n)}</span></button>
      ${isOwn ? html`<button type="button" class="small" aria-label="Delete ${name}" title="Delete" ?disabled=${isOffline} @click=${drop}>${ICONS.close}</button>` : nothing}
      <button type="button" class="small" aria-label="Pin all ${many} of ${name}" title="Pin all ${many}" ?disabled=${isOffline} @click=${() => pins.pin(genes)}>${ICONS.pin}</button>
      <button type="button" class="small colors" aria-label="Color by ${name}" title="Color by the mean of ${name}" aria-pressed=${isShown} ?disabled=${isOffline}
        @click=${() => actions.setTrait("color", `set:${name}`)}><i></i></button>
    </div>${isOpen ? html`<div class="body">${chips(context, genes, n, pins)}</div>` : nothing}</li>`;
  }

  /** Buttons for the genes of a set; a click pins or unpins one.
   * @param {Context} context @param {string[]} genes @param {number} n @param {Pins} pins */
  function chips({ state }, genes, n, pins) {
    const pinned = new Set(state.traits.pinned_genes);
    const listed = genes.slice(0, MOST_LISTED);
    return html`<div class="names">${listed.map(
      (
        name,
      ) => html`<button type="button" class="name" aria-label="Pin ${name}" aria-pressed=${pinned.has(name)} ?disabled=${state.link === "offline"}
        @click=${() => (pinned.has(name) ? pins.unpin(name) : pins.pin([name]))}>${name}</button>`,
    )}${n > listed.length ? html`<span class="caption">and ${wholeNumber(n - listed.length)} more</span>` : nothing}</div>`;
  }

  return (context, pins) => {
    if (context === null || pins === undefined) {
      store.waiting.delete(redraw);
      // Retry when the panel opens again: an empty list may be a failed request.
      if (store.sets?.length === 0) Object.assign(store, { sets: null, isRequested: false });
      return nothing;
    }
    const { state } = context;
    ask(state);
    const noun = setNounOf(nounsOf(state));
    const all = setsOf(state.traits.gene_sets, store.sets ?? []);
    const wanted = filter.trim().toLowerCase();
    const found = all.filter(({ name }) => name.toLowerCase().includes(wanted));
    const sets = found.slice(0, MOST_LISTED);
    const first = sets.some(({ name }) => name === active) ? active : sets[0]?.name;
    const press = (/** @type {KeyboardEvent} */ event) => {
      const at = moveByKey(event, sets.length);
      if (at !== null) then(() => void (active = sets[at]?.name ?? active));
    };
    return html`<section class="gene-sets" aria-label=${capitalized(noun.many)} @keydown=${press}>
      <h3>${capitalized(noun.many)}</h3>
      ${
        all.length >= FILTER_FROM
          ? html`<div class="find"><div class="box">${ICONS.search}<input type="text" data-field="sets" aria-label="Find ${withArticle(noun.one)}" placeholder="Find ${withArticle(noun.one)}" autocomplete="off"
            spellcheck="false" .value=${filter} @input=${(/** @type {Event} */ event) => then(() => void (filter = textIn(event)))}></div></div>`
          : nothing
      }
      <p class="caption" role="status">${store.sets === null && state.link === "live" ? "Reading…" : all.length === 0 ? `No ${noun.many} yet.` : counted(found.length, noun)}</p>
      <ul class="list" aria-label=${capitalized(noun.many)}>${sets.map((set, i) => row(context, set, i, set.name === first, pins))}</ul>
      ${found.length > sets.length ? html`<p class="caption">${wholeNumber(found.length - sets.length)} more. Type to narrow down.</p>` : nothing}
      ${pasteField(context)}
    </section>`;
  };
}

/** All sets, the user's first. A user's set hides a store's set of the same name.
 * @param {{name: string, genes: string[]}[]} own @param {GeneSet[]} ofStore @returns {Listed[]} */
export function setsOf(own, ofStore) {
  const names = new Set(own.map(({ name }) => name));
  const others = ofStore.filter(({ name }) => !names.has(name)).map((one) => ({ ...one, isOwn: false }));
  return [...own.map(({ name, genes }) => ({ name, genes, n: genes.length, isOwn: true })), ...others];
}
