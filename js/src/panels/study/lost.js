/** Cells and samples lost to filters: a bar per sample, with a button that excludes it or includes it again. */
import { html, nothing } from "lit-html";
import { counted, share, wholeNumber } from "../../words/format.js";
import { nounsOf } from "../../words/nouns.js";
import { moveByKey } from "../shared/row_keys.js";

/** @typedef {import("../../page/parts/ui.js").Context} Context */
/** @typedef {import("./study_cards.js").Sample} Sample */
/** @typedef {{pick: (of: {sample: string, condition: string}, event: MouseEvent) => void, exclude: (sample: Sample) => void}} Does */

export const SAMPLES = { one: "sample", many: "samples" };

/** What is lost, in a sentence. @param {Sample[]} samples @param {import("../../state/state.js").Noun} noun */
export function describeLost(samples, noun) {
  const sum = (/** @type {(one: Sample) => number} */ of) => samples.reduce((n, one) => n + of(one), 0);
  const [n, nAll] = [sum((one) => one.n_cells), sum((one) => one.n_all)];
  const empty = samples.filter((one) => one.n_cells === 0).length;
  const left = `${wholeNumber(n)} of ${counted(nAll, noun)} of ${counted(samples.length, SAMPLES)} are left`;
  const lost = n === nAll ? "none is lost" : `${wholeNumber(nAll - n)} are lost (${share(nAll - n, nAll)})`;
  const without =
    empty === 0 ? "every sample has some" : `${counted(empty, SAMPLES)} ${empty === 1 ? "has" : "have"} none`;
  return `${left}: ${lost}; ${without}.`;
}

/** @param {() => void} redraw @param {Does} does */
export function createLost(redraw, does) {
  let active = 0;

  /** @param {Context} context @param {Pick<import("./strip_list.js").Shown, "samples" | "conditions" | "inks" | "isOld">} shown */
  return ({ state }, { samples, conditions, inks, isOld }) => {
    const noun = nounsOf(state).obs;
    const most = Math.max(1, ...samples.map(({ n_all }) => n_all));
    active = Math.min(active, samples.length - 1);
    const press = (/** @type {KeyboardEvent} */ event) => {
      const row = moveByKey(event, samples.length);
      if (row !== null && row >= 0) (active = row), redraw();
    };
    return html`<p class="caption lost-sum">${describeLost(samples, noun)}</p>
    <ul class="losses" aria-label="Samples" aria-busy=${isOld} @keydown=${press}>${samples.map((one, i) => {
      const { name, n_cells: n, n_all: all, excluded } = one;
      const title = `${name}, ${conditions[one.condition]}: ${wholeNumber(n)} of ${counted(all, noun)}. Click to select them`;
      const pick = (/** @type {MouseEvent} */ event) => {
        active = i;
        does.pick({ sample: one.sample, condition: conditions[one.condition] }, event);
        redraw();
      };
      return html`<li class=${excluded ? "excluded" : ""}><button type="button" class="loss" data-row=${i} tabindex=${i === active ? 0 : -1} title=${title} ?disabled=${state.link === "offline"} @click=${pick} style="--c:${inks[one.condition]}">
        <i></i><span class="label">${name}</span><span class="kind">${conditions[one.condition]}</span>
        <span class="bars" aria-hidden="true"><i class="all" style="width:${(100 * all) / most}%"></i><i class="left-of" style="width:${(100 * n) / most}%"></i></span>
        <span class="amount">${n === all ? nothing : html`<b>${wholeNumber(n)}</b> / `}${wholeNumber(all)}</span></button>
        <button type="button" class="text" aria-label="${excluded ? "Include" : "Exclude"} ${name}" ?disabled=${state.link === "offline"} @click=${() => does.exclude(one)}>${excluded ? "Include" : "Exclude"}</button></li>`;
    })}</ul>`;
  };
}
