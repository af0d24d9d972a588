/** The field that finds and pins genes. The kernel searches, as for "Color by"; a list of names is pinned at once. */
import { html, nothing } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { ICONS } from "../../page/icons.js";
import { rowAfterKey } from "../../page/parts/legend_rows.js";
import { textIn } from "../../page/parts/ui.js";
import { nounsOf, withArticle } from "../../words/nouns.js";
import { matchList } from "../shared/match_list.js";

/** @typedef {import("../../page/parts/ui.js").Context} Context */
/** @typedef {import("../../state/state.js").Match} Match */

/** @param {() => void} redraw @returns {(context: Context, pin: (names: string[]) => void) => unknown} */
export function createPinField(redraw) {
  /** isAwaited: pin the best match as soon as it arrives. */
  let field = { text: "", active: 0, isAwaited: false };

  /** @param {Partial<typeof field>} change */
  function set(change) {
    field = { ...field, ...change };
    redraw();
  }

  return (context, pin) => {
    const { state } = context;
    const { text, active } = field;
    const { one } = nounsOf(state).var;
    const { isFresh, matches } = found(context.state, text);
    const choose = (/** @type {Match} */ match) => {
      pin(genesOf(match));
      set({ text: "", active: 0, isAwaited: false });
    };
    if (field.isAwaited && isFresh) {
      field.isAwaited = false;
      if (matches.length > 0) queueMicrotask(() => choose(matches[0]));
    }

    /** @param {KeyboardEvent} event */
    function press(event) {
      const { text, active } = field; // read again: keys come faster than redraws
      const { isFresh, matches } = found(context.state, text);
      if (event.isComposing || text === "") return;
      const row = rowAfterKey(event.key, active, matches.length);
      if (event.key === "Escape") set({ text: "", active: 0, isAwaited: false });
      else if (event.key === "Enter" && isFresh && matches[active] !== undefined) {
        /** @type {HTMLInputElement} */ (event.currentTarget).value = "";
        choose(matches[active]);
      } else if (event.key === "Enter") set({ isAwaited: !isFresh });
      else if (row !== null && !["Home", "End"].includes(event.key)) set({ active: row });
      else return;
      event.preventDefault();
      event.stopPropagation();
    }

    const type = (/** @type {string} */ typed) => {
      set({ text: typed, active: 0, isAwaited: false });
      context.ask(typed);
    };
    const isOpen = text.trim() !== "";
    return html`<div class="find pin"><div class="box">${ICONS.search}<input type="text" role="combobox" data-field="find" aria-label="Pin ${withArticle(one)}" placeholder="Pin ${withArticle(one)}"
      autocomplete="off" spellcheck="false" aria-expanded=${isOpen} aria-controls="pins" aria-autocomplete="list" ?disabled=${state.link === "offline"}
      aria-activedescendant=${isOpen && matches.length > 0 ? `pins-${active}` : nothing} .value=${live(text)} @keydown=${press} @blur=${() => text !== "" && set({ text: "", isAwaited: false })}
      @input=${(/** @type {Event} */ event) => type(textIn(event))}></div>
      ${isOpen ? listed(matches, isFresh, choose) : nothing}</div>`;

    /** @param {Match[]} matches @param {boolean} isFresh @param {(match: Match) => void} choose */
    function listed(matches, isFresh, choose) {
      const options = matches.map((match) => ({
        ...match,
        label: genesOf(match).length > 1 ? `all of ${genesOf(match).join(", ")}` : match.label,
      }));
      const shown = { text, active, isBusy: !isFresh, none: `No ${one} matches “${text.trim()}”.` };
      return matchList("pins", `Pin ${withArticle(one)}`, options, shown, (i) => set({ active: i }), choose);
    }
  };
}

/** The matches of a typed text.
 * @param {Context["state"]} state @param {string} text @returns {{isFresh: boolean, matches: Match[]}} */
function found({ found: { query, matches } }, text) {
  if (text.trim() === "") return { isFresh: false, matches: [] };
  return { isFresh: query === text, matches: matches.filter((match) => genesOf(match).length > 0) };
}

/** Names of the genes of a match: one, those of a typed list, or none for a column.
 * @param {Match} match @returns {string[]} */
export function genesOf({ spec, color }) {
  if (Array.isArray(color)) return color;
  return spec.startsWith("var:") ? [spec.slice(4)] : [];
}
