/** The comparison of a widget, which all its views share: the question, its request and its result. */
// Changes with cxg_widget/compare/question.py: options of a comparison.
import { fileName } from "../../words/format.js";
import { download } from "../table/table_text.js";
import { taken } from "./result.js";

/** @typedef {import("../../state/state.js").State} State */
/** @typedef {import("./result.js").Found} Found */
/** @typedef {Pick<import("../../wire/protocol.js").Compare, "a" | "b" | "method" | "normalize" | "within">} Question
 *   the fields of a request */

/** A category as a side of a comparison. @param {string} column @param {string | null} label null = not chosen yet */
export const asCategory = (column, label) => `value:${JSON.stringify([column, label])}`;

/** @param {string} side
 * @returns {[string, string | null] | null} column and category; null = the side is no category */
export const categoryOf = (side) => (side.startsWith("value:") ? JSON.parse(side.slice(6)) : null);

/** A day: the user can cancel earlier. */
const WAIT_MS = 86_400_000;

/**
 * @typedef {object} Shared
 * @property {Question} question
 * @property {Found | null} found
 * @property {Question | null} answered the question that `found` answers; null = Python made the comparison
 * @property {number} turn number of the newest request
 * @property {boolean} isBusy
 * @property {number} requested number of the newest result that was requested; -1 = none yet
 * @property {Map<string, string[]>} labels categories of each column that a user opened
 * @property {Set<() => void>} views the redraw function of each open panel
 */

/** @type {WeakMap<object, Shared>} */
const SHARED = new WeakMap();

/** @typedef {ReturnType<typeof createComparing>} Comparing */

/** @param {import("../../wire/client.js").Client} client @param {() => void} redraw */
export function createComparing(client, redraw) {
  const shared = SHARED.get(client) ?? {
    question: { a: "selection", b: "rest", method: "t-test", normalize: true, within: "filter" },
    found: null,
    answered: null,
    turn: 0,
    isBusy: false,
    requested: -1,
    labels: new Map(),
    views: new Set(),
  };
  SHARED.set(client, shared);

  function draw() {
    for (const one of shared.views) one();
  }

  /** @param {Record<string, unknown>} request @param {Question | null} [question] set if the user requested it in the page
   * @returns {Promise<void>} */
  async function ask(request, question = null) {
    const turn = ++shared.turn;
    const parts = await client.ask(request, WAIT_MS);
    if (turn !== shared.turn) return;
    shared.isBusy = false;
    if (parts !== null) {
      shared.found = taken(/** @type {any} */ (parts), shared.found);
      shared.answered = question;
      shared.requested = Math.max(shared.requested, shared.found?.seq ?? 0);
    }
    draw();
  }

  /** @param {Question & {layer: string}} question layer "" = the current one */
  function begin(question) {
    shared.isBusy = true;
    void ask({ kind: "compare", ...question }, question);
    draw();
  }

  /** @param {number} group */
  function askFor(group) {
    if (!shared.isBusy) void ask({ kind: "comparison", known: shared.found?.seq ?? 0, group });
  }

  /** Request the categories of a column and choose the first one that the other side does not use.
   * @param {"a" | "b"} side @param {string} column */
  async function openColumn(side, column) {
    const answer = await client.ask({ kind: "find", panel: 0, column: `obs:${column}`, query: "", labels: true });
    if (answer === null) return; // the client has shown the error
    const { labels } = /** @type {import("../../wire/protocol.js").FoundValues} */ (answer[0]);
    shared.labels.set(column, labels);
    const first = labels
      .map((one) => asCategory(column, one))
      .find((one) => !Object.values(shared.question).includes(one));
    if (first !== undefined && shared.question[side] === asCategory(column, null)) shared.question[side] = first;
    draw();
  }

  return {
    /** @param {string} column */
    labels: (column) => shared.labels.get(column),
    question: () => shared.question,
    found: () => shared.found,
    isBusy: () => shared.isBusy,
    /** The error of the last request; "" = none. @param {State} state */
    fault: ({ error }) =>
      error !== null && !shared.isBusy && ["compare", "comparison", "study_open"].includes(error.of)
        ? error.message
        : "",
    /** @param {Partial<Question>} change */
    put(change) {
      shared.question = { ...shared.question, ...change };
      for (const side of /** @type {const} */ (["a", "b"])) {
        const [column, label] = categoryOf(change[side] ?? "") ?? [];
        if (column !== undefined && label === null) void openColumn(side, column);
      }
      draw();
    },
    /** @param {Partial<Question>} [change] */
    compare(change = {}) {
      shared.question = { ...shared.question, ...change };
      begin({ ...shared.question, layer: "" });
    },
    /** Run a request that makes a comparison elsewhere in the page, as a field of the study does. @param {Record<string, unknown>} request */
    open(request) {
      shared.isBusy = true;
      void ask(request);
      draw();
    },
    /** Whether the page can repeat the comparison; it cannot repeat one that Python made. */
    canRepeat: () => shared.answered !== null,
    /** Repeat the comparison in a layer. @param {string} layer */
    repeatIn: (layer) => shared.answered && begin({ ...shared.answered, layer }),
    /** Cancel the running comparison; the last result stays. */
    cancel() {
      shared.turn++;
      shared.isBusy = false;
      client.tell({ kind: "cancel", of: "compare", panel: 0 });
      draw();
    },
    askFor,
    /** Request a result that Python made or that is older than the page. Called at each redraw.
     * @param {State | null} state null = the panel is closed */
    follow(state) {
      if (state === null) return void shared.views.delete(redraw);
      shared.views.add(redraw);
      if (shared.isBusy || state.link !== "live" || state.compared <= shared.requested) return;
      shared.requested = state.compared;
      askFor(0);
    },
    /** Download the CSV that `to_csv()` writes in Python. @param {State} state */
    async save({ dataset }) {
      const { found } = shared;
      if (found === null) return;
      const request = { kind: "comparison", known: found.seq, group: found.group, file: true };
      const parts = /** @type {import("../../wire/protocol.js").FigurePart[] | null} */ (
        await client.ask(request, WAIT_MS)
      );
      if (parts === null) return; // the client has shown the error
      const bytes = [...parts].sort((a, b) => a.part - b.part).map(({ arrays }) => arrays.file);
      const blob = new Blob(/** @type {Uint8Array<ArrayBuffer>[]} */ (bytes), { type: "text/csv" });
      download(blob, `${fileName([dataset?.title, ...found.sets])}.csv`);
    },
  };
}
