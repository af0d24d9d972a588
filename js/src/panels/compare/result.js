/** The result of a comparison: names and numbers of each gene as typed arrays. Pure. */
// Changes with cxg_widget/session/analysis/comparison_frames.py: numbers of a compared gene.

import { COMPARED } from "../../wire/constants.js";

/** @typedef {import("../../wire/protocol.js").Comparison} Part */
/** @typedef {Float32Array | Uint32Array} Numbers */

/**
 * @typedef {object} Found
 * @property {number} seq
 * @property {string} title what was compared, by what
 * @property {string[]} notes
 * @property {string[]} sets what a and b are called
 * @property {string[]} groups where each group of a column was compared
 * @property {number} group the one that this is
 * @property {number} n genes
 * @property {string[]} names by which genes are found
 * @property {string[]} ids as var has them, where these are others; else empty
 * @property {Record<typeof COMPARED[number] | "n_a" | "n_b", Numbers>} columns
 * @property {boolean} hasFold none of scaled values
 * @property {string} unscaled the layer to offer where the values are scaled; "" = none
 * @property {boolean} hasAuc where genes were ranked
 */

/** Put the parts of an answer together. @param {Part[]} parts in any order @param {Found | null} before whose names are not sent again
 * @returns {Found | null} null where there is no result */
export function taken(parts, before) {
  const inOrder = [...parts].sort((one, other) => one.start - other.start);
  const [{ seq, title, notes, sets, groups, group, unscaled, n_genes: n }] = inOrder;
  if (seq === 0) return null;
  /** @type {any} */
  const columns = { n_a: new Uint32Array(n), n_b: new Uint32Array(n) };
  for (const name of COMPARED) columns[name] = new Float32Array(n);
  for (const { start, arrays } of inOrder) {
    const rows = arrays.n.length / 2;
    COMPARED.forEach((name, k) => columns[name].set(arrays.values.subarray(k * rows, (k + 1) * rows), start));
    columns.n_a.set(arrays.n.subarray(0, rows), start);
    columns.n_b.set(arrays.n.subarray(rows), start);
  }
  const labels = inOrder.flatMap((one) => one.names);
  const symbols = inOrder.flatMap((one) => one.symbols);
  const known = labels.length === 0 && before?.seq === seq ? before : null;
  const { names, ids } = known ?? called(labels, symbols);
  const [hasFold, hasAuc] = [columns.log2fc, columns.auc].map((one) => !one.every(Number.isNaN));
  return { seq, title, notes, sets, groups, group, n, names, ids, columns, hasFold, hasAuc, unscaled };
}

/** By which names genes are known: the readable ones, as far as each is that of one gene alone. @param {string[]} labels @param {string[]} symbols */
function called(labels, symbols) {
  if (symbols.length === 0) return { names: labels, ids: [] };
  /** @type {Map<string, number>} */
  const times = new Map();
  for (const one of symbols) times.set(one, (times.get(one) ?? 0) + 1);
  return { names: symbols.map((one, i) => (times.get(one) === 1 && one !== "" ? one : labels[i])), ids: labels };
}
