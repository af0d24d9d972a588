/** The field for a pasted list of genes or a GMT. The kernel reads it and names the genes it does not know. */
// Changes with cxg_widget/display/gene_sets.py: lists of genes as users paste them.
import { html, nothing } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { textIn } from "../../page/parts/ui.js";
import { counted } from "../../words/format.js";
import { nounsOf, setNounOf } from "../../words/nouns.js";
import { askGenes } from "./gene_set_requests.js";

/** @typedef {import("../../page/parts/ui.js").Context} Context */
/** @typedef {{name: string, genes: string[]}} Own */

/** @param {import("../../wire/client.js").Client} client @param {() => void} redraw @returns {(context: Context) => unknown} */
export function createPasteField(client, redraw) {
  let isOpen = false;
  let isAsking = false;
  /** Input so far; it stays when the panel closes. */
  let typed = { genes: "", name: "" };
  let result = "";
  let fault = "";

  /** Scroll the result into view after the redraw: the list of sets above may be long.
   * @param {Element | null | undefined} place */
  function reveal(place) {
    redraw();
    requestAnimationFrame(() => place?.scrollIntoView({ block: "nearest" }));
  }

  /** @param {Context} context @param {HTMLFormElement} form */
  async function read(context, form) {
    const { genes: text, name } = typed;
    if (text.trim() === "" || isAsking) return;
    [isAsking, result, fault] = [true, "", ""];
    redraw();
    const found = await askGenes(client, text, name);
    isAsking = false;
    if (found === null) {
      const { error } = context.state;
      fault = error?.of === "genes" ? error.message : "The kernel did not respond.";
      return reveal(form.parentElement);
    }
    const sets = found.sets.map(({ name, genes }) => ({ name, genes }));
    context.actions.setTrait("gene_sets", withSets(context.state.traits.gene_sets, sets));
    result = `Added ${counted(sets.length, setNounOf(nounsOf(context.state)))}. ${found.sentence}`;
    typed = { genes: "", name: "" };
    reveal(form.parentElement);
  }

  return (context) => {
    const { many } = nounsOf(context.state).var;
    const isOffline = context.state.link === "offline";
    const noun = setNounOf(nounsOf(context.state));
    const submit = (/** @type {SubmitEvent} */ event) => {
      event.preventDefault();
      void read(context, /** @type {HTMLFormElement} */ (event.currentTarget));
    };
    const type = (/** @type {"genes" | "name"} */ which) => (/** @type {Event} */ event) =>
      void (typed = { ...typed, [which]: textIn(event) });
    /** @param {MouseEvent} event */
    const toggle = ({ currentTarget }) => {
      isOpen = !isOpen;
      redraw();
      const place = /** @type {Element} */ (currentTarget).parentElement;
      requestAnimationFrame(() => {
        place?.querySelector("textarea")?.focus({ preventScroll: true });
        if (isOpen) place?.scrollIntoView({ block: "nearest" });
      });
    };
    return html`<div class="paste">
      <button type="button" class="text" aria-expanded=${isOpen} ?disabled=${isOffline} @click=${toggle}>Paste ${many} or GMT</button>
      ${
        isOpen
          ? html`<form @submit=${submit}>
            <textarea name="genes" rows="4" aria-label="List of ${many} or GMT lines" placeholder="List of ${many} or GMT lines" spellcheck="false" ?disabled=${isOffline}
              .value=${live(typed.genes)} @input=${type("genes")}></textarea>
            <div class="box"><input name="name" type="text" maxlength="200" autocomplete="off" spellcheck="false" aria-label="Name of the ${noun.one}" placeholder="Name (for a plain list)" ?disabled=${isOffline}
              .value=${live(typed.name)} @input=${type("name")}></div>
            <button type="submit" class="text" ?disabled=${isOffline || isAsking}>${isAsking ? "Reading…" : `Create ${noun.one}`}</button></form>`
          : nothing
      }
      <p class="caption" role="status">${result}</p>
      ${fault === "" ? nothing : html`<p class="fault" role="alert" title="Use the names of ${many} in this dataset">${fault}</p>`}
    </div>`;
  };
}

/** Add sets; each replaces one of the same name. @param {Own[]} sets @param {Own[]} more @returns {Own[]} */
export function withSets(sets, more) {
  const made = new Map([...sets, ...more].map((one) => [one.name, one]));
  return [...made.values()];
}
