/** A brush during a drag: requests sums once, so that counts and points follow without further requests. */

import { withRule } from "../filters/filter_rules.js";
import { binsOf, movedCounts, nPassing } from "./brush_counts.js";

/**
 * @typedef {import("../../page/parts/ui.js").Context} Context
 * @typedef {import("../../wire/protocol.js").ColumnCounts} Counts
 * @typedef {import("./brush_counts.js").Ends} Ends
 * @typedef {{column: string, rows: number[]}} Open another open column, with the categories in view
 *
 * @typedef {object} Answer
 * @property {Map<string, import("../../wire/protocol.js").BrushSums>} sums by column
 * @property {Uint8Array} bins of the points
 *
 * @typedef {object} Held
 * @property {Context} context of the view with the brush
 * @property {string} column
 * @property {boolean} isInteger
 * @property {Ends} ends
 * @property {boolean} hasMoved
 * @property {string} requested key of the last request; "" = none yet
 * @property {string} filters of the last request, as JSON
 * @property {Answer | null} answer null = not received yet
 * @property {{filters: string, columns: Record<string, Counts>} | null} released
 *   filters and counts at release; null = still dragging
 */

/** @param {import("../../wire/client.js").Client} client @param {() => void} redraw */
export function createBrush(client, redraw) {
  /** @type {Held | null} */
  let held = null;

  function letGo() {
    const { context } = held ?? {};
    held = null;
    if (context && context.state.brush !== null) context.actions.brush(null);
  }

  /** @param {Held} mine @param {Open[]} open */
  async function ask(mine, open) {
    const { filters } = mine.context.state.traits;
    mine.filters = JSON.stringify(filters);
    mine.answer = null;
    const [columns, rows] = [open.map(({ column }) => column), open.map((one) => one.rows)];
    const { requested, column } = mine;
    const parts = await client.ask({ kind: "brush", panel: 0, column, columns, rows, filters });
    if (held !== mine || mine.released !== null || mine.requested !== requested || parts === null) return;
    mine.answer = joined(/** @type {any[]} */ (parts));
    movePoints(mine);
    redraw();
  }

  /** @param {Held} mine */
  function binsNow({ context, column, ends, isInteger }) {
    return binsOf(ends, context.state.columns[column].edges, isInteger);
  }

  /** Filter the points to the brush and report how many cells pass. @param {Held} mine */
  function movePoints(mine) {
    const { context, answer, hasMoved } = mine;
    if (answer === null || !hasMoved) return;
    const ends = binsNow(mine);
    const n = nPassing(context.state.columns[mine.column], ends);
    if (String(ends) !== String(context.state.brush?.ends)) context.actions.brush({ bins: answer.bins, ends, n });
  }

  return {
    /** Start a drag of the brush of a column.
     * @param {Context} context @param {string} column @param {boolean} isInteger @param {Ends} ends */
    take(context, column, isInteger, ends) {
      letGo();
      held = {
        context,
        column,
        isInteger,
        ends,
        hasMoved: false,
        requested: "",
        filters: "",
        answer: null,
        released: null,
      };
    },
    /** @param {Ends} ends */
    move(ends) {
      if (held === null || held.released !== null) return;
      Object.assign(held, { ends, hasMoved: true });
      movePoints(held);
    },
    /** End a drag after the filters were set. The estimated counts stay until the kernel has answered. */
    release() {
      if (held === null || held.released !== null) return;
      const { columns, traits } = held.context.state;
      const filters = JSON.stringify(traits.filters);
      if (held.answer === null || filters === held.filters) letGo();
      else held.released = { filters, columns };
    },
    letGo,
    /** The dragged limits of a column; null = no drag on it.
     * @param {string} column @returns {[number | null, number | null] | null} */
    endsOf: (column) => (held?.column === column && held.released === null && held.hasMoved ? [...held.ends] : null),
    /** Update the brush at each redraw of its view. @param {() => Open[]} others other open columns */
    follow(others) {
      if (held === null) return;
      const { context, column, released } = held;
      const { link, traits, color } = context.state;
      const isOver = released !== null && JSON.stringify(traits.filters) !== released.filters;
      if (link !== "live" || isOver) return letGo();
      if (released !== null) return;
      const open = others().filter((one) => one.column !== column);
      const wanted = JSON.stringify([
        withRule(traits.filters, column, null),
        color?.seq,
        traits.layer,
        open.map((one) => one.column),
      ]);
      if (wanted === held.requested) return;
      held.requested = wanted;
      void ask(held, open);
    },
    /** The counts of a column under the brush. @param {string} column @param {Counts} counts @returns {Counts} */
    counted(column, counts) {
      if (!held?.answer || !held.hasMoved || column === held.column) return counts;
      // the exact counts have arrived
      if (held.released !== null && held.released.columns[column] !== counts) return counts;
      const sums = held.answer.sums.get(column);
      const nBins = held.context.state.columns[held.column].edges.length - 1;
      return sums === undefined ? counts : movedCounts(counts, sums, binsNow(held), nBins);
    },
  };
}

/** @typedef {ReturnType<typeof createBrush>} Brush */

/** @param {(import("../../wire/protocol.js").BrushSums | import("../../wire/protocol.js").BrushBins)[]} parts in any order @returns {Answer} */
function joined(parts) {
  /** @type {Answer} */
  const answer = { sums: new Map(), bins: new Uint8Array() };
  for (const part of parts) {
    if (part.kind === "sums") answer.sums.set(part.column, part);
    else {
      if (answer.bins.length === 0) answer.bins = new Uint8Array(part.n_points);
      answer.bins.set(part.arrays.bins, part.start);
    }
  }
  return answer;
}
