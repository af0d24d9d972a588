/** Requests the table rows in view and some around them; all views of a widget take turns. */
// Changes with cxg_widget/display/table_setting.py: what the table shows.

/**
 * @typedef {import("../../state/state.js").State} State
 * @typedef {import("../../wire/protocol.js").Table} Rows
 * @typedef {NonNullable<State["traits"]["table"]>} Setting
 */

const WAIT_MS = 600_000;
const LEAST = 60;
/** The last request of each widget. @type {WeakMap<object, Promise<unknown>>} */
const LINES = new WeakMap();

/** A number per message: a resent dataset may have other labels, newly set gene sets may have other genes.
 * @type {WeakMap<object, number>} */
const NUMBERS = new WeakMap();
let nSeen = 0;

/** @param {object | null} [message] @returns {number} */
function numberOf(message) {
  if (!message) return 0;
  if (!NUMBERS.has(message)) NUMBERS.set(message, ++nSeen);
  return /** @type {number} */ (NUMBERS.get(message));
}

/** Cache key: everything the rows depend on except their positions. @param {State} state @returns {string} */
export function keyOf({ traits, dataset, filter, selection, color, points }, of = /** @type {Of} */ ("filter")) {
  const { table, filters, layer, hidden } = traits;
  return JSON.stringify([
    of,
    table,
    filters,
    hidden,
    layer,
    filter.seq,
    selection.seq,
    table?.columns ? "" : color?.spec,
    points?.seq,
    numberOf(dataset),
    numberOf(traits.gene_sets),
  ]);
}

/** Which cells the table lists while a filter is active. @typedef {"filter" | ""} Of "" = all, whatever the filters */

/** The fields of a request that choose the cells. @param {State["traits"]} traits @param {Of} of */
export const cellsOf = (traits, of) => ({
  filters: of === "filter" || traits.table?.of === "selection" ? traits.filters : [],
  within: of,
});

/** The range of rows to request for those in view. @param {number} first @param {number} n rows in view */
export function around(first, n) {
  const wanted = Math.max(LEAST, 3 * n);
  return { start: Math.max(0, first - Math.floor((wanted - n) / 2)), n: wanted };
}

/** The value of the trait: settings that differ from the defaults; null = none.
 * @param {Setting} setting @returns {Setting | null} */
export function withoutDefaults({ columns, sort, descending, of }) {
  /** @type {Setting} */
  const next = {
    ...(columns && { columns }),
    ...(sort && { sort }),
    ...(descending && { descending }),
    ...(of === "selection" && { of }),
  };
  return Object.keys(next).length === 0 ? null : next;
}

/** The cell of a row. @param {Rows | null} rows @param {number} place of the row
 * @returns {import("../../state/state.js").Cell | null} null = the row is not loaded, or its cell has no coordinates */
export function cellAt(rows, place) {
  const i = place - (rows?.start ?? 0);
  if (rows === null || i < 0 || i >= rows.rows.length) return null;
  const [x, y] = rows.arrays.xy.subarray(2 * i, 2 * i + 2);
  if (!Number.isFinite(x) || !Number.isFinite(y)) return null;
  const unknown = { panel: 0, name: rows.names[i], value: "", fields: [], passes: true, n_beneath: 0 };
  const elsewhere = rows.panels.flatMap((panel, at) => {
    const from = 2 * (at * rows.rows.length + i);
    const [x, y] = rows.arrays.elsewhere.subarray(from, from + 2);
    return Number.isFinite(x) && Number.isFinite(y) ? [[panel, x, y]] : [];
  });
  return { ...unknown, row: rows.rows[i], x, y, elsewhere };
}

/**
 * @param {import("../../wire/client.js").Client} client @param {() => void} redraw
 * @param {(found: Rows) => void} take called with each response
 */
export function createTableRows(client, redraw, take) {
  /** @type {Rows | null} */
  let rows = null;
  let key = "";
  let isAsking = false;
  /** Key of the last failed request, which is not repeated. */
  let failed = "";
  /** @type {{state: State, first: number, n: number, of: Of} | null} */
  let wanted = null;
  let find = -1;

  function check() {
    if (wanted === null || isAsking || wanted.state.link !== "live") return;
    const { state, first, n, of } = wanted;
    const now = keyOf(state, of);
    const [last, end] = [Math.min(first + n, rows?.total ?? 0), (rows?.start ?? 0) + (rows?.rows.length ?? 0)];
    const isThere = rows !== null && now === key && rows.start <= first && last <= end;
    const question = `${now} ${first} ${n} ${find}`;
    if ((isThere && find < 0) || question === failed) return;
    isAsking = true;
    const looked = find;
    const { table } = state.traits;
    const request = {
      kind: "table",
      panel: 0,
      table: table ?? {},
      ...cellsOf(state.traits, of),
      find,
      ...around(first, n),
    };
    const turn = (LINES.get(client) ?? Promise.resolve()).then(() => client.ask(request, WAIT_MS));
    LINES.set(client, turn);
    void turn.then((answer) => {
      isAsking = false;
      if (find === looked) find = -1;
      if (wanted === null) return;
      const found = /** @type {Rows | undefined} */ (answer?.[0]);
      failed = found === undefined ? question : "";
      if (found !== undefined) {
        [rows, key] = [found, now];
        take(found);
      }
      redraw();
    });
  }

  return {
    /** The loaded rows, perhaps older than the last change. @returns {Rows | null} */
    get: () => rows,
    /** Whether the loaded rows are older than the last change. @param {State} state @param {Of} [of] */
    areOld: (state, of = "filter") => keyOf(state, of) !== key,
    /** Called at each redraw.
     * @param {State} state @param {number} first row in view @param {number} n rows in view @param {Of} [of] */
    want(state, first, n, of = "filter") {
      wanted = { state, first, n, of };
      check();
    },
    /** Request the rows around a cell. @param {number} row of the cell in the store */
    seek(row) {
      find = row;
      check();
    },
    close() {
      if (wanted === null) return;
      wanted = rows = null;
      client.tell({ kind: "table", panel: 0, table: {}, start: 0, n: 0 });
    },
  };
}
