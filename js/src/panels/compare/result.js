/** The result of a comparison: names and numbers of each gene as typed arrays. Pure. */
// Changes with cxg_widget/session/analysis/comparison_frames.py: numbers of a compared gene.

import { COMPARED } from "../../wire/constants.js";

/** @typedef {import("../../wire/protocol.js").Comparison} Part */
/** @typedef {Float32Array | Uint32Array} Numbers */

/**
 * @typedef {object} Found
 * @property {number} seq
 * @property {string} title the groups and the method
 * @property {string[]} notes
 * @property {string[]} sets names of a and b
 * @property {string[]} groups names of all groups if each group of a column was compared; else empty
 * @property {number} group index of this group in `groups`
 * @property {number} n number of genes
 * @property {string[]} names display names
 * @property {string[]} ids names in var if they differ from `names`; else empty
 * @property {Record<typeof COMPARED[number] | "n_a" | "n_b", Numbers>} columns
 * @property {boolean} hasFold false for scaled values
 * @property {string} unscaled the layer to offer instead of scaled values; "" = none
 * @property {boolean} hasAuc true if the method ranks values
 */

/** Join the parts of a response.
 * @param {Part[]} parts in any order
 * @param {Found | null} before the previous result; the kernel does not send its names again
 * @returns {Found | null} null = there is no result */
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

/** Display names of genes: the symbol where it is unique, else the label.
 * @param {string[]} labels @param {string[]} symbols */
function called(labels, symbols) {
  if (symbols.length === 0) return { names: labels, ids: [] };
  /** @type {Map<string, number>} */
  const times = new Map();
  for (const one of symbols) times.set(one, (times.get(one) ?? 0) + 1);
  return { names: symbols.map((one, i) => (times.get(one) === 1 && one !== "" ? one : labels[i])), ids: labels };
}
