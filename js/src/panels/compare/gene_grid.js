/** The gene table of a comparison: draws the rows in view, one per gene, and handles keys and clicks. */
import { ROW_PX, rowAfterKey, scrollTo } from "../../page/parts/legend_rows.js";
import { nounsOf } from "../../words/nouns.js";
import { isScaled, lowest, scrollOf, topOf, turnedBy } from "../table/scrolling.js";
import { HEAD_PX, revealColumn, tableGrid } from "../table/table_grid.js";
import { columnsOf } from "./gene_columns.js";

/** @typedef {import("../../page/parts/ui.js").Context} Context */
/** @typedef {import("./result.js").Found} Found */
/** @typedef {{found: Found, rows: Uint32Array, chosen: number, sort: string, descending: boolean}} Shown */

const SORTED = "[aria-sort$=scending]";

/**
 * @param {() => void} redraw
 * @param {{choose: (gene: number) => void, sortBy: (column: string) => void}} does
 */
export function createGeneGrid(redraw, does) {
  /** @type {HTMLElement | null} */
  let grid = null;
  let top = 0;
  let [row, column] = [-1, 0];
  /** The header last scrolled into view and the table width at that time; "" = the list has changed since. */
  let revealed = "";
  /** @type {Shown | null} */
  let shown = null;

  const total = () => shown?.rows.length ?? 0;
  const viewPx = () => Math.max(ROW_PX, (grid?.clientHeight ?? 200) - HEAD_PX);
  const columns = () => (shown === null ? [] : columnsOf(shown.found));

  /** Scroll the rows. @param {number} wanted px of rows above the view */
  function goTo(wanted) {
    top = Math.max(0, Math.min(wanted, lowest(total(), viewPx())));
    if (grid !== null) grid.scrollTop = scrollOf(top, total(), viewPx());
    redraw();
  }

  /** Move the active cell. @param {number} wantedRow -1 = the header row @param {number} wantedColumn */
  function activate(wantedRow, wantedColumn) {
    [row, column] = [wantedRow, wantedColumn];
    goTo(row >= 0 ? scrollTo(row, top, viewPx()) : top);
    queueMicrotask(() => requestAnimationFrame(() => grid !== null && revealColumn(grid)));
  }

  /** Scroll the sorted column into view after a change of genes, order or width. */
  function revealSorted() {
    const now = `${grid?.querySelector(SORTED)?.id} ${grid?.clientWidth}`;
    if (grid === null || now === revealed) return;
    revealed = now;
    revealColumn(grid, SORTED);
  }

  /** @param {number} at */
  function sortBy(at) {
    does.sortBy(at === 0 ? "name" : columns()[at - 1].name);
  }

  /** @param {KeyboardEvent} event */
  function press(event) {
    if (event.defaultPrevented || event.altKey) return;
    const last = columns().length;
    const ends = /** @type {Record<string, number>} */ ({ Home: 0, End: last });
    const isFar = event.ctrlKey || event.metaKey;
    if (event.key === "Enter" || event.key === " ") {
      if (row < 0) sortBy(column);
      else if (shown !== null && row < total()) does.choose(shown.rows[row]);
    } else if (event.key === "ArrowLeft" || event.key === "ArrowRight")
      activate(row, Math.max(0, Math.min(last, column + (event.key === "ArrowLeft" ? -1 : 1))));
    else if (event.key in ends && !isFar) activate(row, ends[event.key]);
    else {
      const page = Math.max(1, Math.floor(viewPx() / ROW_PX) - 1);
      const next = event.key === "ArrowUp" && row <= 0 ? -1 : rowAfterKey(event.key, row, total(), page);
      if (next === null) return;
      activate(next, column);
    }
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {MouseEvent} event */
  function click(event) {
    const { target } = /** @type {{target: any}} */ (event);
    const [head, cell] = [target.closest("[data-head]"), target.closest("[data-column]")];
    if (head !== null) {
      [row, column] = [-1, Number(head.dataset.head)];
      sortBy(column);
    } else if (cell !== null && shown !== null) {
      [row, column] = [Number(cell.closest("[data-place]").dataset.place), Number(cell.dataset.column)];
      does.choose(shown.rows[row]);
    }
  }

  const hands = {
    /** @param {Element | undefined} element */
    hold(element) {
      grid = /** @type {HTMLElement | undefined} */ (element) ?? null;
      if (grid !== null) queueMicrotask(redraw); // only now is its height known
    },
    scroll() {
      const before = top;
      top = topOf(grid?.scrollTop ?? 0, top, total(), viewPx());
      if (top !== before) redraw();
    },
    /** @param {WheelEvent} event */
    turn(event) {
      if (!isScaled(total()) || event.ctrlKey || event.deltaY === 0) return;
      const before = top;
      goTo(top + turnedBy(event, viewPx()));
      if (top !== before) event.preventDefault();
    },
    press,
    point: () => {},
    leave: () => {},
    click,
    pick: () => {},
    focus: () => {},
  };

  return {
    /** Scroll to a gene if the table lists it. @param {number} gene */
    reveal(gene) {
      const place = shown?.rows.indexOf(gene) ?? -1;
      if (place < 0) return;
      [row, column] = [place, 0];
      const isSeen = place * ROW_PX >= top && (place + 1) * ROW_PX <= top + viewPx();
      goTo(isSeen ? top : place * ROW_PX - viewPx() / 2);
    },
    /** Go back to the first row, because the list has changed. */
    begin() {
      [top, row, revealed] = [0, -1, ""];
      if (grid !== null) grid.scrollTop = 0;
    },
    /** @param {Context} context @param {Shown} wanted */
    draw(context, wanted) {
      shown = wanted;
      queueMicrotask(() => requestAnimationFrame(revealSorted));
      const { found, rows, chosen, sort, descending } = wanted;
      row = Math.min(row, rows.length - 1);
      top = Math.min(top, lowest(rows.length, viewPx()));
      const [first, n] = [Math.floor(top / ROW_PX), Math.ceil(viewPx() / ROW_PX) + 1];
      const genes = [...rows.subarray(first, first + n)];
      const [a, b] = found.sets;
      const there = columns();
      const sight = {
        rows: /** @type {any} */ ({
          start: first,
          total: rows.length,
          rows: genes,
          names: genes.map((i) => found.names[i]),
          columns: there.map(({ name, detail, px }) => ({
            spec: name,
            name,
            detail: detail(a, b),
            error: "",
            is_number: true,
            px,
          })),
          values: there.map(({ key, text }) => genes.map((i) => text(found.columns[key][i]))),
          arrays: { selected: genes.map((i) => Number(i === chosen)) },
        }),
        areOld: false,
        top,
        scroll: scrollOf(top, rows.length, viewPx()),
        first,
        n,
      };
      const { one, many } = nounsOf(context.state).var;
      const about = {
        sort: sort === "name" ? "index" : sort,
        descending,
        label: `Table of ${many}`,
        index: one,
        pointed: undefined,
        id: "gene",
      };
      return tableGrid(sight, { row, column }, about, hands);
    },
  };
}
