/** The Compare panel: the question, the volcano plot and the table of genes, which list the same genes. */
import { html, nothing } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { ICONS } from "../../page/icons.js";
import { textIn } from "../../page/parts/ui.js";
import { counted, wholeNumber } from "../../words/format.js";
import { nounsOf } from "../../words/nouns.js";
import { colorBy, createGeneActions } from "./gene_actions.js";
import { columnsOf } from "./gene_columns.js";
import { createGeneGrid } from "./gene_grid.js";
import { kept, ranksOf, sides, sorted } from "./gene_order.js";
import { questionLine } from "./question_form.js";
import { quickList, quickSwitch } from "./quick_list.js";
import { createQuick } from "./quick_requests.js";
import { createVolcano } from "./volcano.js";

/** @typedef {import("../../page/parts/ui.js").Context} Context */
/** @typedef {import("./result.js").Found} Found */
/** @typedef {import("./gene_order.js").Cuts} Cuts */
/** @typedef {import("./gene_order.js").Box} Box */

/** Default cut-offs. @type {Cuts} */
const CUTS = { fold: 1, p: 0.05, share: null };
/** @type {Cuts} */
const NO_CUTS = { fold: null, p: null, share: null };

/** @param {import("../index.js").Given} given @returns {import("../index.js").DrawPanel} */
export function createCompare({ client, redraw, comparing, sets }) {
  const grid = createGeneGrid(redraw, { choose, sortBy });
  const volcano = createVolcano(redraw, {
    choose(gene) {
      choose(gene);
      grid.reveal(gene);
    },
    brush: (to) => list({ box: to }),
  });
  const geneActions = createGeneActions(redraw);
  const quick = createQuick(client, redraw, comparing);
  let areNotesOpen = false;
  /** Filters of the list of genes. @type {{text: string, cuts: Cuts, box: Box | null}} */
  let wanted = { text: "", cuts: CUTS, box: null };
  let sort = { name: "statistic", descending: true };
  let chosen = -1;
  /** @type {Context | null} */
  let now = null;
  /** The last computed order and filter, with their inputs, so that a redraw does not compute them again.
   * @type {{found: Found | null, order: Uint32Array, keep: Uint8Array, rows: Uint32Array, wanted: unknown,
   *   sort: unknown}} */
  const made = {
    found: null,
    order: new Uint32Array(),
    keep: new Uint8Array(),
    rows: new Uint32Array(),
    wanted: null,
    sort: null,
  };

  /** @param {Partial<typeof wanted>} change */
  function list(change) {
    wanted = { ...wanted, ...change };
    grid.begin();
    redraw();
  }

  /** @param {number} gene */
  function choose(gene) {
    const found = comparing.found();
    if (found === null || now === null) return;
    chosen = gene;
    if (now.state.link !== "offline") colorBy(now, found.names[gene]);
    redraw();
  }

  /** Sort by a column: descending at the first click, ascending at the next. Names and p-values start ascending.
   * @param {string} name */
  function sortBy(name) {
    const isFirst = !["name", "p", "p_adj"].includes(name);
    sort = { name, descending: sort.name === name ? !sort.descending : isFirst };
    grid.begin();
    redraw();
  }

  /** @param {Found} found */
  function work(found) {
    if (made.found !== found) {
      const isOther = made.found?.seq !== found.seq;
      if (isOther) chosen = -1;
      wanted = { ...wanted, box: null };
      grid.begin();
    }
    const isSorted = made.found === found && made.sort === sort;
    if (!isSorted) made.order = orderOf(found);
    const isKept = made.found === found && made.wanted === wanted;
    if (!isKept) made.keep = kept(found, wanted.text, wanted.cuts, wanted.box);
    if (!isSorted || !isKept) made.rows = made.order.filter((i) => made.keep[i] === 1);
    Object.assign(made, { found, sort, wanted });
    return made;
  }

  /** @param {Found} found */
  function orderOf(found) {
    const column = columnsOf(found).find(({ name }) => name === sort.name);
    const values = sort.name === "name" ? ranksOf(found.names) : found.columns[column?.key ?? "statistic"];
    return sorted(values, sort.descending);
  }

  return (context) => {
    now = context;
    comparing.follow(context?.state ?? null);
    quick.follow(context?.state ?? null);
    if (context === null) return nothing;
    const found = comparing.found();
    const fault = comparing.fault(context.state);
    // With markers while you draw, the plot must not change its size during a drag.
    return html`<div class="compare ${found === null && !quick.isOn() ? "without" : ""}">
      ${questionLine(context, comparing, sets.now() ?? [], quickSwitch(context, quick))}
      <div class="answer">${fault === "" ? nothing : html`<p class="fault" role="alert">${fault}</p>`}${quickList(context, quick, comparing.isBusy()) ?? (found === null ? none(context) : answer(context, found))}</div>
    </div>`;
  };

  /** @param {Context} context */
  function none({ state }) {
    const { many } = nounsOf(state).obs;
    const { many: genes } = nounsOf(state).var;
    return html`<p class="caption" role="status">${comparing.isBusy() ? "" : `Find ${genes} that distinguish two groups: select ${many} with a lasso or choose a set or a category, then compare. Results of w.compare and w.markers appear here too.`}</p>`;
  }

  /** @param {Context} context @param {Found} found */
  function answer(context, found) {
    const { keep, rows } = work(found);
    const names = () => [...rows].map((i) => found.names[i]);
    return html`
      <div class="compared">${groupChoice(found)}<span class="what" title=${found.title}>${found.title}</span>
        <button type="button" class="text" aria-expanded=${areNotesOpen} @click=${() => ((areNotesOpen = !areNotesOpen), redraw())}>Notes</button>
        <button type="button" class="text" title="Download the full table (to_csv())" ?disabled=${context.state.link === "offline"} @click=${() => void comparing.save(context.state)}>CSV</button></div>
      ${areNotesOpen ? html`<ul class="notes-of" tabindex="0" aria-label="Notes">${found.notes.map((note) => html`<li>${note}</li>`)}</ul>` : nothing}
      ${filters(context, found, rows.length, keep)}
      <div class="both">
        ${volcano(context, { found, keep, rows, cuts: wanted.cuts, chosen, box: wanted.box })}
        ${grid.draw(context, { found, rows, chosen, sort: sort.name, descending: sort.descending })}
      </div>
      ${geneActions(context, chosen < 0 ? "" : found.names[chosen], names, rows.length)}`;
  }

  /** @param {Found} found */
  function groupChoice({ groups, group }) {
    if (groups.length === 0) return nothing;
    return html`<select class="wide" aria-label="Group" .value=${live(String(group))} ?disabled=${comparing.isBusy()} @change=${(/** @type {Event} */ event) => comparing.askFor(Number(textIn(event)))}>
      ${groups.map((name, i) => html`<option value=${i} ?selected=${i === group}>${name}</option>`)}</select>`;
  }

  /** @param {Context} context @param {Found} found @param {number} n listed @param {Uint8Array} keep */
  function filters({ state }, found, n, keep) {
    const noun = nounsOf(state).var;
    const { a, b } = sides(found, keep);
    const isAll = n === found.n;
    const number = isAll ? counted(n, noun) : `${wholeNumber(n)} of ${counted(found.n, noun)}`;
    const higher =
      n === 0 ? "" : `: ${wholeNumber(a)} higher in ${found.sets[0]}, ${wholeNumber(b)} in ${found.sets[1]}`;
    const untested = nUntested(found);
    const never = untested === 0 ? "" : `; ${wholeNumber(untested)} could not be tested`;
    const clear = () => list({ text: "", cuts: NO_CUTS, box: null });
    const { cuts } = wanted;
    const inOther = comparing.canRepeat() ? found.unscaled : "";
    const why = found.hasFold
      ? ""
      : "Scaled values have no fold change because 0 does not mean no expression. The volcano plot shows the statistic instead.";
    return html`<div class="gene-filters">
      <div class="box">${ICONS.search}<input type="text" autocomplete="off" spellcheck="false" aria-label="Find ${noun.many}" placeholder="Find ${noun.many}" .value=${live(wanted.text)} @input=${(/** @type {Event} */ event) => list({ text: textIn(event) })}></div>
      ${cut("|log2fc| ≥", "fold", why === "" ? cuts.fold : null, 0.5, 1, why)}${cut("p_adj ≤", "p", cuts.p, 0.01, 1, "")}${cut("share ≥ %", "share", cuts.share, 5, 100, "")}
      <span class="caption" role="status">${number}${higher}${never}${why === "" ? "" : "; scaled values have no fold change"}</span>
      ${inOther === "" ? nothing : html`<button type="button" class="text" ?disabled=${state.link === "offline" || comparing.isBusy()} @click=${() => comparing.repeatIn(inOther)}>Compare in ${inOther}</button>`}
      ${isAll ? nothing : html`<button type="button" class="text" @click=${clear}>Show all</button>`}
    </div>`;
  }

  /** @param {string} label @param {keyof Cuts} name @param {number | null} value @param {number} step
   * @param {number} scale typed number / value @param {string} why reason for disabling the field; "" = enabled */
  function cut(label, name, value, step, scale, why) {
    const change = (/** @type {Event} */ event) => {
      const [text, number] = [textIn(event).trim(), Number(textIn(event)) / scale];
      const isNone = text === "" || !(number > 0);
      list({ cuts: { ...wanted.cuts, [name]: isNone ? null : number } });
    };
    return html`<label class="cut-off" title=${why || nothing}><span>${label}</span><input type="number" min="0" step=${step} .value=${live(value === null ? "" : String(Number((value * scale).toPrecision(6))))} ?disabled=${why !== ""} @change=${change}></label>`;
  }
}

/** @param {Found} found */
function nUntested({ columns: { statistic } }) {
  let n = 0;
  for (const one of statistic) if (Number.isNaN(one)) n++;
  return n;
}
