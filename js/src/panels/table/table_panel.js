/** The Table panel: its scroll position, keys and pointer. */
import { html, nothing } from "lit-html";
import { ROW_PX, rowAfterKey, scrollTo } from "../../page/parts/legend_rows.js";
import { modeOf } from "../../plot/lasso.js";
import { capitalized, nounsOf } from "../../words/nouns.js";
import { cellAt, createTableRows, withoutDefaults } from "./row_requests.js";
import { isScaled, lowest, scrollOf, topOf, turnedBy } from "./scrolling.js";
import { tableBar } from "./table_bar.js";
import { createColumnChoice } from "./table_columns.js";
import { createExport } from "./table_export.js";
import { HEAD_PX, revealColumn, tableGrid } from "./table_grid.js";

/** @typedef {import("../../page/parts/ui.js").Context} Context */
/** @typedef {import("../../state/state.js").Dataset} Dataset */
/** @typedef {import("./row_requests.js").Setting} Setting */

/** @param {import("../index.js").Given} given @returns {import("../index.js").DrawPanel} */
export function createTable({ client, redraw }) {
  const rows = createTableRows(client, redraw, take);
  const columnChoice = createColumnChoice({ client, redraw });
  const exported = createExport(client, say);
  /** The element that scrolls. @type {HTMLElement | null} */
  let grid = null;
  let top = 0;
  let [row, column] = [-1, 0];
  let result = "";
  /** Which cells the table lists while a filter is active. @type {import("./row_requests.js").Of} */
  let cells = "filter";
  /** The last clicked cell; undefined = not compared yet.
   * @type {import("../../state/state.js").Cell | null | undefined} */
  let marked;
  /** @type {Context | null} */
  let now = null;
  /** Order and cells of the last redraw. */
  let order = "";

  const viewPx = () => Math.max(ROW_PX, (grid?.clientHeight ?? 200) - HEAD_PX);
  const total = () => rows.get()?.total ?? 0;
  const setting = () => /** @type {Setting} */ (now?.state.traits.table ?? {});

  /** @param {Partial<Setting>} change */
  function set(change) {
    now?.actions.setTrait("table", withoutDefaults({ ...setting(), ...change }));
  }

  /** Scroll the rows. @param {number} wanted px of rows above the view */
  function goTo(wanted) {
    top = Math.max(0, Math.min(wanted, lowest(total(), viewPx())));
    if (grid !== null) grid.scrollTop = scrollOf(top, total(), viewPx());
    redraw();
  }

  /** Move the active cell. @param {number} wantedRow -1 = the header row @param {number} wantedColumn */
  function activate(wantedRow, wantedColumn) {
    [row, column] = [wantedRow, wantedColumn];
    if (row >= 0) goTo(scrollTo(row, top, viewPx()));
    ring(row);
    redraw();
    queueMicrotask(() => requestAnimationFrame(() => grid !== null && revealColumn(grid)));
  }

  /** Ring the cell of a row in the plot. @param {number} place */
  function ring(place) {
    now?.actions.point(cellAt(rows.get(), place));
  }

  /** @param {import("./row_requests.js").Rows} found */
  function take(found) {
    row = Math.min(row, found.total - 1);
    if (found.at >= 0) {
      row = found.at;
      goTo(row * ROW_PX - viewPx() / 2);
      result = "";
    } else if (sought) result = `This ${nounsOf(/** @type {Context} */ (now).state).obs.one} is not in the table.`;
    sought = false;
    if (row >= 0 && grid?.matches(":focus")) ring(row);
  }
  let sought = false;

  /** @param {Context["state"]} state */
  function seekMarked(state) {
    const before = marked;
    marked = state.marked;
    if (marked === null || before === undefined || marked === before) return;
    sought = true;
    rows.seek(marked.row);
  }

  /** Sort by a column: first ascending, then descending, then not at all. @param {number} at */
  function sortBy(at) {
    const spec = at === 0 ? "index" : rows.get()?.columns[at - 1]?.spec;
    if (spec === undefined || now?.state.link !== "live") return;
    const { sort, descending } = setting();
    if (sort !== spec) set({ sort: spec, descending: false });
    else if (!descending) set({ descending: true });
    else set({ sort: undefined, descending: false });
  }

  /** @param {number} place @param {{shiftKey: boolean, altKey: boolean}} event */
  function select(place, event) {
    const there = rows.get();
    const found = there?.rows[place - there.start];
    if (found !== undefined) now?.actions.selectRows([found], modeOf({ shift: event.shiftKey, alt: event.altKey }));
  }

  /** @param {KeyboardEvent} event */
  function press(event) {
    const isMod = event.ctrlKey || event.metaKey;
    if (event.defaultPrevented) return;
    if (isMod && event.key.toLowerCase() === "c" && String(getSelection()) === "")
      void (now && exported.copy(now.state, cells));
    else if (event.key === "Enter") row < 0 ? sortBy(column) : select(row, event);
    else if (event.key === " " && row < 0) sortBy(column);
    else if (!move(event.key, isMod)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {string} key @param {boolean} isFar @returns {boolean} whether the key was handled */
  function move(key, isFar) {
    const last = rows.get()?.columns.length ?? 0;
    const ends = /** @type {Record<string, number>} */ ({ Home: 0, End: last });
    if (key === "ArrowLeft" || key === "ArrowRight") {
      activate(row, Math.max(0, Math.min(last, column + (key === "ArrowLeft" ? -1 : 1))));
    } else if (key in ends && !isFar) activate(row, ends[key]);
    else {
      const page = Math.max(1, Math.floor(viewPx() / ROW_PX) - 1);
      const next = key === "ArrowUp" && row <= 0 ? -1 : rowAfterKey(key, row, total(), page);
      if (next === null) return false;
      activate(next, column);
    }
    return true;
  }

  /** Scroll by the usual distance per wheel event, even in a table longer than an element can be.
   * @param {WheelEvent} event */
  function turn(event) {
    if (!isScaled(total()) || event.ctrlKey || event.deltaY === 0) return;
    const before = top;
    goTo(top + turnedBy(event, viewPx()));
    if (top !== before) event.preventDefault();
  }

  /** @param {Event} event @returns {number} position of its row, -1 = none */
  function placeOf(event) {
    const line = /** @type {Element} */ (event.target).closest?.("[data-place]");
    return line instanceof HTMLElement ? Number(line.dataset.place) : -1;
  }

  /** @param {MouseEvent} event */
  function click(event) {
    const head = /** @type {Element} */ (event.target).closest("[data-head]");
    const cell = /** @type {Element} */ (event.target).closest("[data-column]");
    if (head instanceof HTMLElement) {
      [row, column] = [-1, Number(head.dataset.head)];
      sortBy(column);
    } else if (cell instanceof HTMLElement) activate(placeOf(event), Number(cell.dataset.column));
  }

  /** @param {string} sentence */
  function say(sentence) {
    result = sentence;
    redraw();
  }

  /** @param {import("./row_requests.js").Of} which */
  function choose(which) {
    cells = which;
    redraw();
  }

  const hands = {
    /** @param {Element | undefined} element */
    hold: (element) => void (grid = /** @type {HTMLElement | undefined} */ (element) ?? null),
    scroll() {
      top = topOf(grid?.scrollTop ?? 0, top, total(), viewPx());
      redraw();
    },
    turn,
    press,
    /** @param {PointerEvent} event */
    point: (event) => placeOf(event) >= 0 && ring(placeOf(event)),
    leave: () => void now?.actions.point(null),
    click,
    /** @param {MouseEvent} event */
    pick: (event) => placeOf(event) >= 0 && select(placeOf(event), event),
    focus: () => void (row >= 0 && ring(row)),
  };

  return (context, dataset) => {
    now = context;
    if (context === null || dataset === undefined) {
      marked = undefined;
      rows.close();
      exported.stop();
      return nothing;
    }
    const { state } = context;
    const { sort = "", descending = false, of } = setting();
    const wanted = JSON.stringify([sort, descending, of, cells]);
    if (wanted !== order) {
      order = wanted;
      top = 0;
      if (grid !== null) grid.scrollTop = 0;
    }
    seekMarked(state);
    top = Math.min(top, lowest(total(), viewPx()));
    const [first, n] = [Math.floor(top / ROW_PX), Math.ceil(viewPx() / ROW_PX) + 1];
    rows.want(state, first, n, cells);
    const noun = nounsOf(state).obs;
    const sight = {
      rows: rows.get(),
      areOld: rows.areOld(state, cells),
      top,
      scroll: scrollOf(top, total(), viewPx()),
      first,
      n,
    };
    const shown = {
      sort,
      descending,
      label: `Table of ${noun.many}`,
      index: capitalized(noun.one),
      pointed: state.cell?.row,
    };
    const bar = tableBar(context, {
      setting: setting(),
      set,
      found: rows.get(),
      cells,
      choose,
      sentence: result,
      columnChoice,
      exported,
    });
    return html`${bar}${tableGrid(sight, { row, column }, shown, hands)}`;
  };
}
