/** The order in which search results are listed, and the words for their kinds. Pure. */

/** @typedef {import("../state.js").Match} Match */

/** @type {Record<string, {heading: string, tag: string}>} */
const KINDS = {
  obs: { heading: "Columns", tag: "column" },
  var: { heading: "Genes", tag: "gene" },
  set: { heading: "Gene sets", tag: "gene set" },
};

/** One word for a kind of match. @param {string} kind @returns {string} */
export function tagOf(kind) {
  return KINDS[kind]?.tag ?? kind;
}

/** The kind of thing a forced spec names. @param {string} spec @returns {string} */
export function kindOf(spec) {
  const prefix = spec.slice(0, spec.indexOf(":"));
  return prefix in KINDS ? prefix : prefix === "mean" ? "set" : "";
}

/** @type {Match} */
export const NO_COLOR = { spec: "", label: "No color", kind: "none", detail: "" };

/**
 * What the list shows: matches by kind, the kind of the best match first; "no color" leads when nothing is typed.
 * @param {Match[]} matches best first @param {string} query
 * @returns {{heading: string, options: Match[]}[]}
 */
export function groupMatches(matches, query) {
  /** @type {Map<string, Match[]>} */
  const groups = new Map();
  for (const match of matches) groups.set(match.kind, [...(groups.get(match.kind) ?? []), match]);
  const listed = [...groups].map(([kind, options]) => ({ heading: KINDS[kind]?.heading ?? kind, options }));
  return query.trim() === "" ? [{ heading: "", options: [NO_COLOR] }, ...listed] : listed;
}
