/** The open rows of Columns and Genes: requests their counts and turns brushes and clicks into filters. */
import { html, nothing } from "lit-html";
import { endsOf, ruleOf, within, withRule } from "../filters/filter_rules.js";
import { createBrush } from "./brush.js";
import { categoryCounts } from "./category_counts.js";
import { rowsDrawn, rowsWanted } from "./category_order.js";
import { createCounting } from "./count_requests.js";
import { numberCounts } from "./number_counts.js";

/** @typedef {import("../../page/parts/ui.js").Context} Context */
/** @typedef {import("./category_order.js").Place} Place */
/** @typedef {import("../filters/filter_rules.js").Rule} Rule */
/** @typedef {[number | null, number | null]} Ends */
/** @typedef {ReturnType<typeof createOpened>} Opened */

/** @type {Place} */
const TOP = {
  scroll: 0,
  active: -1,
  byCount: false,
  byEnrichment: true,
  mode: "counts",
  pointed: -1,
  text: "",
  found: null,
};

/** @param {import("../../wire/client.js").Client} client @param {() => void} redraw */
export function createOpened(client, redraw) {
  const count = createCounting(client);
  const brush = createBrush(client, redraw);
  /** Open rows by spec, "obs:NAME" or "var:NAME", with the state of each list. @type {Map<string, Place>} */
  const open = new Map();
  let wrong = { spec: "", sentence: "" };
  /** Bar heights of all histograms: true = cube root, false = linear. */
  let isRoot = false;
  /** The dataset of the last search in columns. @type {Context["state"]["dataset"]} */
  let dataset = null;

  /** @param {() => void} change */
  function then(change) {
    change();
    redraw();
  }

  /** @param {string} spec @param {Partial<Place>} change */
  function move(spec, change) {
    const place = open.get(spec);
    if (place !== undefined) then(() => void open.set(spec, { ...place, ...change }));
  }

  /** Search the categories of an open column; the last matches stay until the response arrives.
   * @param {string} spec @param {string} text */
  async function seek(spec, text) {
    const isAll = text.trim() === "";
    move(spec, { text, ...(isAll ? { found: null, scroll: 0 } : {}) });
    const answer = isAll ? null : await client.ask({ kind: "find", panel: 0, column: spec, query: text });
    if (answer === null || open.get(spec)?.text !== text) return;
    const found = /** @type {import("../../wire/protocol.js").FoundValues} */ (answer[0]);
    move(spec, { found: found.arrays.rows, scroll: 0, active: -1 });
  }

  /** Counted columns, with the categories in view. @param {Context["state"]} state @param {string[]} shown */
  function drawnOf({ columns }, shown) {
    return shown
      .filter((spec) => columns[spec]?.error === "")
      .map((column) => {
        const counts = columns[column];
        const rows = counts.scale === "categorical" ? rowsDrawn(counts, open.get(column) ?? TOP) : [];
        return { column, rows };
      });
  }

  /** @param {Context} context @param {string} spec @param {string} name @param {string} id @param {boolean} isInteger @param {import("../../wire/protocol.js").ColumnCounts} known */
  function bodyOf(context, spec, name, id, isInteger, known) {
    const counts = brush.counted(spec, known);
    const rule = ruleOf(context.state.traits.filters, spec);
    // Read the filters at each call: keys and clicks come faster than redraws.
    const setRule = (/** @type {(now: Rule | undefined) => Rule | null} */ make) => {
      const { filters } = context.state.traits;
      context.actions.setTrait("filters", withRule(filters, spec, make(ruleOf(filters, spec))));
    };
    if (counts.scale === "categorical") {
      const place = open.get(spec) ?? TOP;
      const [moved, sought] = [move.bind(null, spec), seek.bind(null, spec)];
      return categoryCounts(
        { id, column: spec, name, counts, rule, place, setRule, move: moved, seek: sought },
        context,
      );
    }
    const now = () => brush.endsOf(spec) ?? endsOf(ruleOf(context.state.traits.filters, spec));
    const take = () => then(() => brush.take(context, spec, isInteger, now()));
    const drag = (/** @type {Ends} */ wanted, /** @type {boolean} */ done) => {
      wrong = { spec: "", sentence: "" };
      brush.move(wanted);
      const rule = within(spec, wanted, context.state.traits.layer);
      client.onShape?.({ corners: () => [], rule }, 0);
      if (done) {
        setRule(() => rule);
        brush.release();
        client.onShape?.(null, 0);
      }
      redraw();
    };
    const fail = (/** @type {string} */ sentence) => then(() => void (wrong = { spec, sentence }));
    const sentence = wrong.spec === spec ? wrong.sentence : "";
    const { mode } = open.get(spec) ?? TOP;
    const setRoot = (/** @type {boolean} */ wanted) => then(() => void (isRoot = wanted));
    return numberCounts(
      { name, counts, mode, isInteger, isRoot, setRoot, now, wrong: sentence, take, drag, fail },
      context,
    );
  }

  return {
    /** @param {string} spec */
    has: (spec) => open.has(spec),
    /** @param {string} spec */
    toggle: (spec) => void (open.delete(spec) || open.set(spec, TOP)),

    /**
     * Update the open rows at each redraw of the view.
     * @param {Context["state"] | null} state null = no panel is open
     * @param {(spec: string) => boolean} isShown rows of a closed panel are not counted, and open again with it
     */
    follow(state, isShown) {
      const shown = state === null ? [] : [...open.keys()].filter(isShown);
      if (state !== null && dataset !== state.dataset) {
        // A column may have other labels now.
        if (dataset !== null) for (const [spec, { text }] of open) if (text !== "") void seek(spec, text);
        dataset = state.dataset;
      }
      const rowsOf = (/** @type {string} */ column) => {
        const counts = state?.columns[column];
        return counts?.error === "" ? rowsWanted(counts, open.get(column) ?? TOP) : [];
      };
      count(
        state,
        shown.map((column) => ({ column, rows: rowsOf(column) })),
      );
      if (state === null) brush.letGo();
      else brush.follow(() => drawnOf(state, shown));
    },

    /**
     * The content of an open row: categories or a histogram; nothing if the row is closed.
     * @param {Context} context
     * @param {{name: string, spec: string, id: string, mode: import("./enrichment.js").Mode, isInteger?: boolean}} row
     *   id: prefix of element ids
     */
    body(context, { name, spec, id, mode, isInteger = false }) {
      const place = open.get(spec);
      if (place === undefined) return nothing;
      if (place.mode !== mode) open.set(spec, { ...place, mode, scroll: 0 });
      const counts = context.state.columns[spec];
      if (counts === undefined) return html`<div class="body"><p class="none" role="status">Counting…</p></div>`;
      if (counts.error !== "") return html`<div class="body"><p class="fault" role="alert">${counts.error}</p></div>`;
      return html`<div class="body">${bodyOf(context, spec, name, id, isInteger, counts)}${aboutRow(name, counts.about)}</div>`;
    },
  };
}

/** The values of var columns for a gene, or the unit of an obs column.
 * @param {string} name @param {string[][]} about */
function aboutRow(name, about) {
  if (about.length === 0) return nothing;
  return html`<dl class="about" aria-label="About ${name}">${about.map(([column, value]) => html`<dt title=${column}>${column}</dt><dd>${value}</dd>`)}</dl>`;
}
