/** The columns and genes that are open in a view: their counts are asked for, and what is brushed or clicked becomes a filter. */
import { html, nothing } from "lit-html";
import { createBrush } from "./brush.js";
import { categoryCounts, rowsDrawn, rowsWanted } from "./category_counts.js";
import { createCounting } from "./counting.js";
import { numberCounts } from "./number_counts.js";
import { endsOf, ruleOf, within, withRule } from "./rules.js";

/** @typedef {import("../page/panels/ui.js").Context} Context */
/** @typedef {import("./category_counts.js").Place} Place */
/** @typedef {import("./rules.js").Rule} Rule */
/** @typedef {[number | null, number | null]} Ends */
/** @typedef {ReturnType<typeof createOpened>} Opened */

/** @type {Place} */
const TOP = { scroll: 0, active: -1, byCount: false };

/** @param {import("../wire/client.js").Client} client @param {() => void} redraw */
export function createOpened(client, redraw) {
  const count = createCounting(client);
  const brush = createBrush(client, redraw);
  /** Those that are open, by "obs:NAME" or "var:NAME", with where each is scrolled to. @type {Map<string, Place>} */
  const open = new Map();
  let wrong = { spec: "", sentence: "" };

  /** @param {() => void} change */
  function then(change) {
    change();
    redraw();
  }

  /** Those that are counted, with the categories that are drawn. @param {Context["state"]} state @param {string[]} shown */
  function drawnOf({ columns }, shown) {
    return shown
      .filter((spec) => columns[spec]?.error === "")
      .map((column) => {
        const counts = columns[column];
        const rows = counts.scale === "categorical" ? rowsDrawn(counts, open.get(column) ?? TOP) : [];
        return { column, rows };
      });
  }

  /** @param {Context} context @param {string} spec @param {string} name @param {string} id @param {boolean} isInteger @param {import("../wire/protocol.js").ColumnCounts} known */
  function bodyOf(context, spec, name, id, isInteger, known) {
    const counts = brush.counted(spec, known);
    const rule = ruleOf(context.state.traits.filters, spec);
    // Keys and clicks come faster than drawings.
    const setRule = (/** @type {(now: Rule | undefined) => Rule | null} */ make) => {
      const { filters } = context.state.traits;
      context.actions.setTrait("filters", withRule(filters, spec, make(ruleOf(filters, spec))));
    };
    if (counts.scale === "categorical") {
      const place = open.get(spec) ?? TOP;
      const move = (/** @type {Partial<Place>} */ change) =>
        then(() => void (open.has(spec) && open.set(spec, { .../** @type {Place} */ (open.get(spec)), ...change })));
      return categoryCounts({ id, column: spec, name, counts, rule, place, setRule, move }, context);
    }
    const now = () => brush.endsOf(spec) ?? endsOf(ruleOf(context.state.traits.filters, spec));
    const take = () => then(() => brush.take(context, spec, isInteger, now()));
    const drag = (/** @type {Ends} */ wanted, /** @type {boolean} */ done) => {
      wrong = { spec: "", sentence: "" };
      brush.move(wanted);
      if (done) {
        setRule(() => within(spec, wanted, context.state.traits.layer));
        brush.release();
      }
      redraw();
    };
    const fail = (/** @type {string} */ sentence) => then(() => void (wrong = { spec, sentence }));
    const said = wrong.spec === spec ? wrong.sentence : "";
    return numberCounts({ name, counts, isInteger, now, wrong: said, take, drag, fail }, context);
  }

  return {
    /** @param {string} spec */
    has: (spec) => open.has(spec),
    /** @param {string} spec */
    toggle: (spec) => void (open.delete(spec) || open.set(spec, TOP)),

    /**
     * Look after what is open, at each drawing of the view.
     * @param {Context["state"] | null} state null = no panel is open
     * @param {(spec: string) => boolean} isShown one whose panel is closed is not counted, and opens again with it
     */
    follow(state, isShown) {
      const shown = state === null ? [] : [...open.keys()].filter(isShown);
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
     * What an open row shows: categories, or the histogram of numbers; nothing where it is closed.
     * @param {Context} context @param {{name: string, spec: string, id: string, isInteger?: boolean}} row id: of elements within
     * @param {(counts: import("../wire/protocol.js").ColumnCounts) => unknown} [more] what stands below
     */
    body(context, { name, spec, id, isInteger = false }, more = () => nothing) {
      if (!open.has(spec)) return nothing;
      const counts = context.state.columns[spec];
      if (counts === undefined) return html`<div class="body"><p class="none" role="status">Counting…</p></div>`;
      if (counts.error !== "") return html`<div class="body"><p class="fault" role="alert">${counts.error}</p></div>`;
      return html`<div class="body">${bodyOf(context, spec, name, id, isInteger, counts)}${more(counts)}</div>`;
    },
  };
}
