/** The query field: completes names of columns and genes, and categories after `==`. The kernel searches. */
import { html, nothing } from "lit-html";
import { rowAfterKey } from "../../page/parts/legend_rows.js";
import { textIn } from "../../page/parts/ui.js";
import { matchList, scrollToOption } from "../shared/match_list.js";
import { nameIn, valueIn, wordAt } from "./query_word.js";

/** @typedef {import("../../page/parts/ui.js").Context} Context @typedef {import("../../state/state.js").Match} Match */
/** @typedef {{label: string, detail: string, text: string}} Option text: quoted for the query */

const MATCHES = 50;
/** @type {{word: import("./query_word.js").Word | null, options: Option[], active: number}} */
const CLOSED = { word: null, options: [], active: -1 };

/** @param {{client: import("../../wire/client.js").Client, redraw: () => void}} given */
export function createQueryField({ client, redraw }) {
  let list = CLOSED;
  /** Typed text that is not applied yet; null = none. @type {string | null} */
  let draft = null;
  let isLeft = false;
  /** The applied query at the last redraw. */
  let before = "";

  /** @param {Partial<typeof list>} change */
  function set(change) {
    list = { ...list, ...change };
    redraw();
  }

  /** @param {HTMLInputElement} input @param {Context} context
   * @param {boolean} isRequested by a key: complete even an empty word */
  async function complete(input, { state }, isRequested) {
    const word = wordAt(input.value, input.selectionStart ?? 0);
    if (word === null || (word.text === "" && word.column === "" && !isRequested)) return set(CLOSED);
    const kinds = new Map(state.dataset?.columns.map(({ name, kind }) => [name, kind]));
    const kind = kinds.get(word.column);
    if (word.column !== "" && kind !== "categorical" && kind !== "boolean") return set(CLOSED);
    set({ word, active: -1 });
    const options = kind === undefined ? await names(word.text, kinds) : await values(word, kind);
    if (list.word === word) set({ options, active: isRequested && options.length > 0 ? 0 : -1 });
  }

  /** @param {string} query @param {Map<string, string>} kinds @returns {Promise<Option[]>} */
  async function names(query, kinds) {
    const answer = await client.ask({ kind: "search", query, limit: MATCHES });
    const matches = /** @type {Match[]} */ (/** @type {any} */ (answer?.[0])?.matches ?? []);
    return matches
      .filter(({ kind }) => kind === "obs" || kind === "var")
      .map(({ kind, label, spec, detail }) => ({
        label,
        detail,
        text: nameIn(kind === "obs" ? spec.slice(4) : kinds.has(label) ? spec : label),
      }))
      .filter(({ text }) => text !== "");
  }

  /** @param {import("./query_word.js").Word} word @param {string} kind @returns {Promise<Option[]>} */
  async function values({ column, text }, kind) {
    const answer = await client.ask({ kind: "find", panel: 0, column: `obs:${column}`, query: text, labels: true });
    const found = /** @type {import("../../wire/protocol.js").FoundValues | undefined} */ (answer?.[0]);
    return (found?.labels ?? []).slice(0, MATCHES).map((label) => ({
      label,
      detail: "",
      text: kind === "boolean" ? label : valueIn(label),
    }));
  }

  /** @param {Context} context @param {{value: string, placeholder: string, isRefused: boolean, commit: (text: string) => void}} given */
  return (context, { value, placeholder, isRefused, commit }) => {
    const { state } = context;
    const { word, options, active } = list;
    const isOpen = word !== null && options.length > 0;
    if (value !== before) draft = null;
    before = value;
    const waits = isLeft && draft !== null && draft.trim() !== value;

    /** @param {HTMLInputElement} input @param {Option} option */
    function insert(input, { text }) {
      const { start } = /** @type {import("./query_word.js").Word} */ (list.word);
      const end = input.selectionStart ?? start;
      const rest = input.value.slice(end);
      const isClosed = /^['"`]/.test(rest) && /['"`]/.test(input.value[start]);
      input.setRangeText(/^\s/.test(rest) ? text : `${text} `, start, isClosed ? end + 1 : end, "end");
      draft = input.value;
      set(CLOSED);
    }

    /** @param {KeyboardEvent} event */
    function press(event) {
      const input = /** @type {HTMLInputElement} */ (event.currentTarget);
      const { word, options, active } = list; // read again: keys come faster than redraws
      if (event.isComposing) return;
      const row = ["Home", "End"].includes(event.key) ? null : rowAfterKey(event.key, active, options.length);
      if (event.key === "Escape" && word !== null) set(CLOSED);
      else if (event.key === "Enter" && options[active] !== undefined) insert(input, options[active]);
      else if (event.key === "Enter") {
        set(CLOSED);
        commit(input.value);
      } else if (row !== null && options.length > 0) {
        set({ active: row });
        scrollToOption(event, "query-words", row);
      } else if (event.key === "ArrowDown") void complete(input, context, true);
      else return;
      event.preventDefault();
      event.stopPropagation();
    }

    const leave = () => {
      isLeft = true;
      set(CLOSED);
    };
    const enter = () => {
      isLeft = false;
      redraw();
    };
    const type = (/** @type {Event} */ event) => {
      draft = textIn(event);
      void complete(/** @type {HTMLInputElement} */ (event.currentTarget), context, false);
    };
    const choose = (/** @type {Option} */ option, /** @type {Event} */ event) =>
      insert(/** @type {any} */ (event.currentTarget).closest(".pin").querySelector("input"), option);
    return html`<div class="find pin"><div class="box"><input type="text" class="query" role="combobox" aria-label="Filter by query" placeholder=${placeholder}
      autocomplete="off" spellcheck="false" aria-autocomplete="list" aria-controls="query-words" aria-expanded=${isOpen}
      aria-activedescendant=${isOpen && active >= 0 ? `query-words-${active}` : nothing} title="Combine comparisons with and, or, not, in; Enter applies"
      aria-invalid=${isRefused} ?disabled=${state.link === "offline"} .value=${draft ?? value} @keydown=${press} @blur=${leave} @focus=${enter} @input=${type}></div>
      ${waits ? html`<p class="none">Not applied yet: press Enter in the field.</p>` : nothing}
      ${isOpen ? matchList("query-words", "Completions", options, { text: word.text, active }, (i) => set({ active: i }), choose) : nothing}</div>`;
  };
}
