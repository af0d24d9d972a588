/** The Study panel: samples as points, by condition. */
import { html } from "lit-html";

/** @param {import("../index.js").Given} _ @returns {import("../index.js").DrawPanel} */
export function createStudy(_) {
  return (context) =>
    context === null
      ? null
      : html`<p class="quiet">Choose the columns in Python: w.study(sample="donor_id", condition="disease").</p>`;
}
