/** Requests the rows of the table in view and some around them; all views of a widget take turns. */
// Changes with cxg_widget/display/table_setting.py: what the table shows.

/**
 * @typedef {import("../../state/state.js").State} State
 * @typedef {import("../../wire/protocol.js").Table} Rows
 * @typedef {NonNullable<State["traits"]["table"]>} Setting
 */

const WAIT_MS = 600_000;
const LEAST = 60;
/** The last question of each widget. @type {WeakMap<object, Promise<unknown>>} */
const LINES = new WeakMap();

/** Each time a dataset is sent, its columns may have other labels; gene sets that are set, other genes. @type {WeakMap<object, number>} */
const NUMBERS = new WeakMap();
let nSeen = 0;

/** @param {object | null} [message] @returns {number} */
function numberOf(message) {
  if (!message) return 0;
  if (!NUMBERS.has(message)) NUMBERS.set(message, ++nSeen);
  return /** @type {number} */ (NUMBERS.get(message));
}

/** What the rows depend on, apart from their places. @param {State} state @returns {string} */
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

/** Which cells a table holds while a filter is on. @typedef {"filter" | ""} Of "" = all, whatever the filters */

/** What a request says of its cells. @param {State["traits"]} traits @param {Of} of */
export const cellsOf = (traits, of) => ({
  filters: of === "filter" || traits.table?.of === "selection" ? traits.filters : [],
  within: of,
});

/** How many rows to ask for, and from which on, for those in sight. @param {number} first @param {number} n in sight */
export function around(first, n) {
  const wanted = Math.max(LEAST, 3 * n);
  return { start: Math.max(0, first - Math.floor((wanted - n) / 2)), n: wanted };
}

/** What the trait holds: what differs from the defaults; null = nothing. @param {Setting} setting @returns {Setting | null} */
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

/** The cell of a row, where it is in the plot. @param {Rows | null} rows @param {number} place of the row
 * @returns {import("../../state/state.js").Cell | null} null = the row is not here, or its cell nowhere */
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
 * @param {(found: Rows) => void} take called with each answer
 */
export function createTableRows(client, redraw, take) {
  /** @type {Rows | null} */
  let rows = null;
  let key = "";
  let isAsking = false;
  /** A question that failed is not repeated. */
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
    /** What there is, perhaps of before the last change. @returns {Rows | null} */
    get: () => rows,
    /** Are they of before the last change? @param {State} state @param {Of} [of] */
    areOld: (state, of = "filter") => keyOf(state, of) !== key,
    /** Called at each drawing. @param {State} state @param {number} first in sight @param {number} n how many are @param {Of} [of] */
    want(state, first, n, of = "filter") {
      wanted = { state, first, n, of };
      check();
    },
    /** Ask for the rows around a cell. @param {number} row of the cell in the store */
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
