/** The form that saves an annotation to a file and offers ways to resolve a conflict with labels there. */
// Changes with cxg_widget/annotations/sidecar.py: formats of saved annotations.
import { html, nothing } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { textIn } from "../../page/parts/ui.js";
import { wholeNumber } from "../../words/format.js";
import { nounsOf } from "../../words/nouns.js";

/** @typedef {import("../../page/parts/ui.js").Context} Context */

/** Scroll the form into view: the result may be below. @param {Element | null} form */
function reveal(form) {
  requestAnimationFrame(() => form?.scrollIntoView({ block: "nearest" }));
}

/** @param {ReturnType<typeof import("./annotation_requests.js").createAnnotationList>["edit"]} edit @param {() => void} redraw */
export function createSaveForm(edit, redraw) {
  let isOpen = false;
  /** The typed path; null = none yet. @type {string | null} */
  let path = null;
  /** The last conflict with existing labels. @type {{name: string, to: string, counts: number[]} | null} */
  let conflict = null;
  let saved = { name: "", sentence: "" };

  /** @param {string} name @param {string} to "" = obs of the AnnData @param {string} way */
  async function save(name, to, way = "error") {
    [conflict, saved] = [null, { name: "", sentence: "" }];
    const done = await edit({ op: "save", name, to, on_conflict: way });
    if (done !== null && done.conflict.length > 0) conflict = { name, to, counts: done.conflict };
    else if (done !== null) saved = { name, sentence: done.sentence };
    redraw();
  }

  /** @param {Context} context @param {{name: string, to: string, counts: number[]}} other */
  function question({ state }, { name, to, counts }) {
    const [nOurs, nTheirs, nDiffering] = counts.map(wholeNumber);
    const { many } = nounsOf(state).obs;
    const elsewhere = (/** @type {Event} */ { currentTarget }) => {
      conflict = null;
      redraw();
      const form = /** @type {Element} */ (currentTarget).closest("form");
      /** @type {HTMLInputElement | null} */ (form?.querySelector("input") ?? null)?.select();
    };
    return html`<div class="question" role="alert"><p>${to === "" ? "obs" : to} already has labels “${name}”: ${nTheirs} ${many} there, ${nOurs} here, ${nDiffering} differ.</p>
      <div class="doing"><button type="button" class="text" @click=${() => save(name, to, "ours")}>Overwrite with mine</button>
      <button type="button" class="text" @click=${() => save(name, to, "theirs")}>Keep existing, add mine</button>
      <button type="button" class="text" @click=${elsewhere}>Choose another file</button></div></div>`;
  }

  return {
    isOpen: () => isOpen,
    toggle() {
      isOpen = !isOpen;
      redraw();
    },
    /** @param {Context} context @param {import("./annotation_requests.js").Listed} listed */
    draw(context, { name, hasObs }) {
      if (!isOpen) return nothing;
      const isOffline = context.state.link === "offline";
      const to = path ?? `${name.replace(/[^\p{L}\p{N}_.-]+/gu, "_")}.parquet`;
      const submit = (/** @type {Event} */ event) => {
        event.preventDefault();
        const form = /** @type {HTMLFormElement} */ (event.currentTarget);
        const file = (path ?? to).trim(); // read again: a key comes faster than a redraw
        if (file !== "") void save(name, file).then(() => reveal(form));
      };
      return html`<form class="saver" @submit=${submit}>
        <div class="box"><input type="text" aria-label="File" autocomplete="off" spellcheck="false" .value=${live(to)} @input=${(
          /** @type {Event} */ event,
        ) => {
          [path, conflict] = [textIn(event), null];
          redraw();
        }}></div>
        <p class="caption">Writes a new .parquet, .csv or .cxg next to the notebook, or into an existing .h5ad.</p>
        <div class="doing"><button type="submit" class="text" ?disabled=${isOffline}>Save</button>
        ${
          hasObs
            ? html`<button type="button" class="text" ?disabled=${isOffline} @click=${(/** @type {Event} */ event) => {
                const { form } = /** @type {HTMLButtonElement} */ (event.currentTarget);
                void save(name, "").then(() => reveal(form));
              }}>Save to adata.obs</button>`
            : nothing
        }</div>
        ${conflict?.name === name ? question(context, conflict) : nothing}
        <p class="caption" role="status">${saved.name === name ? saved.sentence : ""}</p>
      </form>`;
    },
  };
}
