/** The setting of the tissue image and its opacity. */
import { html, nothing } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { textIn } from "../../page/parts/ui.js";

/** @param {Pick<import("../index.js").Given, "client" | "redraw">} given */
export function createTissueChoice({ client, redraw }) {
  /** Names of the dataset's images; null = none received. @type {string[] | null} */
  let names = null;
  let isRequested = false;

  async function ask() {
    isRequested = true;
    const answer = await client.ask({ kind: "sections" });
    names = answer === null ? null : /** @type {import("../../wire/protocol.js").SectionList} */ (answer[0]).names;
    redraw();
  }

  /** @param {import("../../page/parts/ui.js").Context} context */
  return ({ state: { traits, points, link }, actions }) => {
    // the image belongs to the spatial embedding only
    if (!points?.yDown || String(points.axes) !== "0,1") return nothing;
    if (!isRequested && link === "live") void ask();
    if (names === null || names.length === 0) return nothing;
    const { tissue, tissue_opacity: opacity } = traits;
    const choose = (/** @type {Event} */ event) => actions.setTrait("tissue", textIn(event) || null);
    const fade = (/** @type {Event} */ event) => actions.setTrait("tissue_opacity", Number(textIn(event)));
    return html`<label class="setting choose"><span>Tissue</span>
        <select class="wide" .value=${live(tissue ?? "")} @change=${choose}>
          <option value="" ?selected=${tissue === null}>none</option>
          ${names.map((name) => html`<option value=${name} ?selected=${name === tissue}>${name}</option>`)}</select></label>
      ${
        tissue === null
          ? nothing
          : html`<div class="setting"><span>Tissue opacity</span><output class="wide">${Math.round(opacity * 100)} %</output>
        <input type="range" aria-label="Tissue opacity" min="0" max="1" step="0.01" aria-valuetext="${Math.round(opacity * 100)} percent"
          .value=${live(String(opacity))} @input=${fade}></div>`
      }`;
  };
}
