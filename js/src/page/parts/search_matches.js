/** The order of search results, and the nouns for their kinds. Pure. */
// Changes with cxg_widget/display/search.py: kinds of matches.

import { capitalized, setNounOf } from "../../words/nouns.js";

/** @typedef {import("../../state/state.js").Match} Match */
/** @typedef {import("../../state/state.js").Nouns} Nouns */

/** Noun for a kind of match. @param {string} kind @param {Nouns} nouns
 * @returns {import("../../state/state.js").Noun | undefined} */
function nounOf(kind, nouns) {
  return { obs: { one: "column", many: "columns" }, var: nouns.var, set: setNounOf(nouns) }[kind];
}

/** Tag for a kind of match. @param {string} kind @param {Nouns} nouns @returns {string} */
export function tagOf(kind, nouns) {
  return nounOf(kind, nouns)?.one ?? kind;
}

/** Value of the color trait for a match. @param {Match} match @returns {string | string[] | null} */
export function colorOf({ spec, color }) {
  return color ?? (spec || null);
}

/** The kind of match that the prefix of a spec names. @param {string} spec @returns {string} */
export function kindOf(spec) {
  const prefix = spec.slice(0, spec.indexOf(":"));
  return ["obs", "var", "set"].includes(prefix) ? prefix : prefix === "mean" ? "set" : "";
}

/** @type {Match} */
export const NO_COLOR = { spec: "", label: "No color", kind: "none", detail: "" };

/**
 * Groups the matches by kind, the kind of the best match first; "No color" leads if the query is empty.
 * @param {Match[]} matches best first @param {string} query @param {Nouns} nouns
 * @returns {{heading: string, options: Match[]}[]}
 */
export function groupMatches(matches, query, nouns) {
  /** @type {Map<string, Match[]>} */
  const groups = new Map();
  for (const match of matches) groups.set(match.kind, [...(groups.get(match.kind) ?? []), match]);
  const listed = [...groups].map(([kind, options]) => ({
    heading: capitalized(nounOf(kind, nouns)?.many ?? kind),
    options,
  }));
  return query.trim() === "" ? [{ heading: "", options: [NO_COLOR] }, ...listed] : listed;
}
