/** The panel of all obs columns: which filters hold, a field that narrows the list, and a row for each, which opens it. */
import { html, nothing } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { ICONS } from "../page/icons.js";
import { marked } from "../page/panels/marked.js";
import { rowAfterKey } from "../page/panels/rows.js";
import { textIn } from "../page/panels/ui.js";
import { memo } from "../state/memo.js";
import { wholeNumber } from "../words/format.js";
import { createBrush } from "./brush.js";
import { categoryCounts, rowsDrawn } from "./category_counts.js";
import { createCounting } from "./counting.js";
import { numberCounts } from "./number_counts.js";
import { createOverview } from "./overview.js";
import { endsOf, ruleOf, within, withRule } from "./rules.js";

/** @typedef {import("../page/panels/ui.js").Context} Context */
/** @typedef {import("../state/state.js").Dataset} Dataset */
/** @typedef {import("./category_counts.js").Place} Place */
/** @typedef {{name: string, kind: string}} Column */
/** @typedef {import("./rules.js").Rule} Rule */

/** What a kind of column holds; all others hold numbers. @type {Record<string, string>} */
const WORDS = { categorical: "categories", boolean: "yes / no", string: "text" };
/** What would be taken for more than a name. */
const PREFIXED = /^(obs|var|set):/;
/** @type {Place} */
const TOP = { scroll: 0, active: -1, byCount: false };

/** @param {{client: import("../wire/client.js").Client, redraw: () => void}} given @returns {(context: Context | null, dataset?: Dataset) => unknown}
 * called with null where the panel is closed */
export function createColumns({ client, redraw }) {
  const overview = createOverview();
  const count = createCounting(client);
  const listed = /** @type {ReturnType<typeof memo<Column[]>>} */ (memo());
  let filter = "";
  let byName = false;
  /** The one that the Tab key leads to. */
  let active = "";
  /** Those that are open, with where each is scrolled to. @type {Map<string, Place>} */
  const open = new Map();
  const brush = createBrush(client, redraw);
  /** @type {{column: string, sentence: string}} */
  let wrong = { column: "", sentence: "" };

  /** @param {() => void} change */
  function then(change) {
    change();
    redraw();
  }

  /** @param {string} column */
  function toggle(column) {
    if (!open.delete(column)) open.set(column, TOP);
  }

  /** Arrow keys go through the rows, and from the first of them back to the field. @param {KeyboardEvent} event @param {Column[]} columns */
  function press(event, columns) {
    const { row: at, field } = /** @type {HTMLElement} */ (event.target).dataset;
    const here = Number(at ?? -1);
    const row = rowAfterKey(event.key, here, columns.length);
    if (row === null || (at === undefined && field === undefined) || (here < 0 && event.key !== "ArrowDown")) return;
    event.preventDefault();
    const goesBack = here === 0 && event.key === "ArrowUp";
    const to = /** @type {Element} */ (event.currentTarget).querySelector(
      goesBack ? "[data-field]" : `[data-row="${row}"]`,
    );
    /** @type {HTMLElement | null} */ (to)?.focus();
    then(() => void (active = goesBack ? active : (columns[row]?.name ?? "")));
  }

  /** The columns that are open and counted, with the categories that are drawn. @param {Context["state"]} state */
  function drawnOf({ columns }) {
    const isCounted = (/** @type {[string, Place]} */ [column]) => columns[column]?.error === "";
    return [...open].filter(isCounted).map(([column, place]) => {
      const counts = columns[column];
      return { column, rows: counts.scale === "categorical" ? rowsDrawn(counts, place) : [] };
    });
  }

  /** @param {Context} context @param {Column} column @param {string} spec @param {number} i */
  function body(context, { name, kind }, spec, i) {
    const { state, actions } = context;
    const known = state.columns[spec];
    if (known === undefined) return html`<p class="none" role="status">Counting…</p>`;
    if (known.error !== "") return html`<p class="fault" role="alert">${known.error}</p>`;
    const counts = brush.counted(spec, known);
    const rule = ruleOf(state.traits.filters, spec);
    // Keys and clicks come faster than drawings.
    const setRule = (/** @type {(now: Rule | undefined) => Rule | null} */ make) => {
      const { filters } = context.state.traits;
      actions.setTrait("filters", withRule(filters, spec, make(ruleOf(filters, spec))));
    };
    if (counts.scale === "categorical") {
      const move = (/** @type {Partial<Place>} */ change) =>
        then(() => void (open.has(spec) && open.set(spec, { .../** @type {Place} */ (open.get(spec)), ...change })));
      const place = open.get(spec) ?? TOP;
      return categoryCounts({ id: `count-${i}`, column: spec, name, counts, rule, place, setRule, move }, context);
    }
    const isInteger = kind === "int";
    const now = () => brush.endsOf(spec) ?? endsOf(ruleOf(context.state.traits.filters, spec));
    const take = () => then(() => brush.take(context, spec, isInteger, now()));
    const drag = (/** @type {[number | null, number | null]} */ wanted, /** @type {boolean} */ done) => {
      wrong = { column: "", sentence: "" };
      brush.move(wanted);
      if (done) {
        setRule(() => within(spec, wanted, context.state.traits.layer));
        brush.release();
      }
      redraw();
    };
    const fail = (/** @type {string} */ sentence) => then(() => void (wrong = { column: spec, sentence }));
    const said = wrong.column === spec ? wrong.sentence : "";
    return numberCounts({ name, counts, isInteger, now, wrong: said, take, drag, fail }, context);
  }

  /** @param {Context} context @param {Column} column @param {number} i @param {boolean} isFirst */
  function row(context, column, i, isFirst) {
    const { state, actions } = context;
    const { name, kind } = column;
    const spec = `obs:${name}`;
    const isShown = (state.nextColor ?? state.color)?.spec === spec;
    const [isOpen, isOffline] = [open.has(spec), state.link === "offline"];
    return html`<li class=${isOpen ? "open" : ""}><div class="column">
      <button type="button" class="opener" data-row=${i} tabindex=${isFirst ? 0 : -1} aria-expanded=${isOpen} title=${name} ?disabled=${isOffline}
        @click=${() => then(() => ((active = name), toggle(spec)))}>${ICONS.down}
        <span class="label">${name === "" ? html`<em>(empty)</em>` : marked(name, filter)}</span>
        ${ruleOf(state.traits.filters, spec) === undefined ? nothing : html`<span class="filtered" title="It has a filter"></span>`}
        <span class="kind">${WORDS[kind] ?? "number"}</span></button>
      <button type="button" class="small colors" aria-label="Color by ${name}" title="Color by ${name}" aria-pressed=${isShown} ?disabled=${isOffline}
        @click=${() => actions.setTrait("color", PREFIXED.test(name) ? `obs:${name}` : name)}><i></i></button>
    </div>${isOpen ? html`<div class="body">${body(context, column, spec, i)}</div>` : nothing}</li>`;
  }

  return (context, dataset) => {
    if (context === null || dataset === undefined) {
      count(null, []);
      brush.letGo();
      return nothing;
    }
    const { state } = context;
    count(state, [...open.keys()]);
    brush.follow(() => drawnOf(state));
    const columns = listed([dataset, filter, byName], () => inOrder(dataset.columns, filter, byName));
    const first = columns.some(({ name }) => name === active) ? active : columns[0]?.name;
    return html`<div class="columns" @keydown=${(/** @type {KeyboardEvent} */ event) => press(event, columns)}>
      ${overview(context, dataset)}
      <div class="find"><div class="box">${ICONS.search}<input type="text" data-field="find" aria-label="Find a column" placeholder="Find a column" autocomplete="off"
        spellcheck="false" .value=${live(filter)} @input=${(/** @type {Event} */ event) => then(() => void (filter = textIn(event)))}
        @keydown=${(/** @type {KeyboardEvent} */ event) => leave(event, () => then(() => void (filter = "")))}></div>
        <button type="button" class="small" aria-label="Sort by name" aria-pressed=${byName} title=${byName ? "Sorted by name; click for the order of the file" : "Sort by name"}
          @click=${() => then(() => void (byName = !byName))}>${ICONS.sort}</button></div>
      <p class="caption" role="status">${told(columns.length, dataset.columns.length, filter)}</p>
      <ul class="list" aria-label="Columns">${columns.map((column, i) => row(context, column, i, column.name === first))}</ul>
    </div>`;
  };
}

/** @param {Column[]} columns @param {string} filter @param {boolean} byName @returns {Column[]} */
function inOrder(columns, filter, byName) {
  const wanted = filter.trim().toLowerCase();
  const found = columns.filter(({ name }) => name.toLowerCase().includes(wanted));
  return byName ? found.sort((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true })) : found;
}

/** Escape empties the field; where it is empty, it is left to who else wants it. @param {KeyboardEvent} event @param {() => void} clear */
function leave(event, clear) {
  if (event.key !== "Escape" || textIn(event) === "") return;
  event.preventDefault();
  event.stopPropagation();
  clear();
}

/** @param {number} n @param {number} nAll @param {string} filter */
function told(n, nAll, filter) {
  if (nAll === 0) return "There are no columns.";
  if (n === 0) return `No column matches “${filter.trim()}”.`;
  const all = nAll === 1 ? "1 column" : `${wholeNumber(nAll)} columns`;
  return n < nAll ? `${wholeNumber(n)} of ${all}` : all;
}
