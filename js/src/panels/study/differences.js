/** Differences: a table of types by pairs of conditions with the number of genes that differ; a field opens its genes. */
import { html, nothing } from "lit-html";
import { wholeNumber } from "../../words/format.js";
import { nounsOf } from "../../words/nouns.js";

/** @typedef {import("../../page/parts/ui.js").Context} Context */
/** @typedef {import("../../wire/protocol.js").StudyPart} StudyPart */
/** @typedef {{open: (category: string, pair: number[]) => void, pick: (of: {category: string}, event: MouseEvent) => void}} Does */

/** Share of the accent color behind the largest number, in percent. */
const MOST_INK = 42;

/** @param {() => void} redraw @param {Does} does */
export function createDifferences(redraw, does) {
  /** The field that Tab reaches: row and column; column 0 = the type. */
  let active = [0, 1];

  /** @param {KeyboardEvent} event @param {number} nRows @param {number} nPairs */
  function press(event, nRows, nPairs) {
    const steps = {
      ArrowUp: [-1, 0],
      ArrowDown: [1, 0],
      ArrowLeft: [0, -1],
      ArrowRight: [0, 1],
      Home: [-nRows, 0],
      End: [nRows, 0],
    };
    const step = /** @type {Record<string, number[]>} */ (steps)[event.key];
    if (step === undefined || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const [row, column] = active.map((one, k) => one + step[k]);
    active = [Math.max(0, Math.min(nRows - 1, row)), Math.max(0, Math.min(nPairs, column))];
    const grid = /** @type {HTMLElement} */ (event.currentTarget);
    event.preventDefault();
    event.stopPropagation();
    redraw();
    requestAnimationFrame(() => /** @type {HTMLElement | null} */ (grid.querySelector("[tabindex='0']"))?.focus());
  }

  /** @param {Context} context @param {StudyPart} part @param {boolean} isOld */
  return ({ state }, { rows, pairs, conditions, arrays: { tests } }, isOld) => {
    const { many } = nounsOf(state).var;
    const at = (/** @type {number} */ k, /** @type {number} */ row, /** @type {number} */ pair) =>
      tests[(k * rows.length + row) * pairs.length + pair];
    const counts = tests.subarray(0, rows.length * pairs.length).filter((one) => one > 0);
    const most = counts.reduce((a, b) => Math.max(a, b), 1);
    active = [Math.min(active[0], rows.length - 1), Math.min(active[1], pairs.length)];
    const tabOf = (/** @type {number} */ row, /** @type {number} */ column) =>
      row === active[0] && column === active[1] ? 0 : -1;
    const isOffline = state.link === "offline";
    const field = (/** @type {number} */ row, /** @type {number} */ pair) => {
      const [n, nTested] = [at(0, row, pair), at(1, row, pair)];
      const [a, b] = pairs[pair].map((i) => conditions[i]);
      const isTested = nTested > 0;
      const samples = `${wholeNumber(at(4, row, pair) || 0)} and ${wholeNumber(at(5, row, pair) || 0)} samples`;
      const title = `${rows[row].category}, ${a} against ${b}: ${isTested ? `${wholeNumber(n)} of ${wholeNumber(nTested)} ${many} differ` : "not tested"}, ${samples}`;
      const ink = isTested ? Math.round(MOST_INK * Math.sqrt(n / most)) : 0;
      const open = () => (
        (active = [row, pair + 1]), isTested && !isOffline && does.open(rows[row].category, pairs[pair])
      );
      return html`<td role="gridcell"><button type="button" class="count-of" tabindex=${tabOf(row, pair + 1)} aria-disabled=${isTested ? nothing : "true"} aria-label=${title} title=${isTested ? `${title}. Click for the table` : title} style="--ink:${ink}%" @click=${open}>${isTested ? wholeNumber(n) : "–"}</button></td>`;
    };
    return html`<div class="differences" tabindex="-1" aria-busy=${isOld}><table role="grid" aria-label="Number of ${many} that differ" @keydown=${(/** @type {KeyboardEvent} */ event) => press(event, rows.length, pairs.length)}>
      <thead><tr role="row"><td role="gridcell"></td>${pairs.map(([a, b]) => html`<th role="columnheader" title="${conditions[a]} against ${conditions[b]}"><bdi>${conditions[a]}</bdi><br><small>against</small> <bdi>${conditions[b]}</bdi></th>`)}</tr></thead>
      <tbody>${rows.map(
        ({ category }, row) =>
          html`<tr role="row"><th role="rowheader"><button type="button" class="label" tabindex=${tabOf(row, 0)} title="${category}: select its cells" @click=${(/** @type {MouseEvent} */ event) => ((active = [row, 0]), does.pick({ category }, event), redraw())}>${category === "" ? "all" : category}</button></th>${pairs.map((_, pair) => field(row, pair))}</tr>`,
      )}</tbody></table></div>`;
  };
}
