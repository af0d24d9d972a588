/** Filters and sorts the genes of a comparison: by text, cut-offs, brush and column. Pure. */

/** @typedef {import("./result.js").Found} Found */
/** @typedef {import("./result.js").Numbers} Numbers */
/** @typedef {{fold: number | null, p: number | null, share: number | null}} Cuts limits of |log2fc|, of p_adj and of
 *   the higher share; null = none */
/** @typedef {[number, number, number, number]} Box x0, x1, y0, y1 in units of the volcano plot */

/** Indices in sorted order. The sort is stable and puts NaN last in both directions.
 * @param {Numbers} values @param {boolean} descending @returns {Uint32Array} */
export function sorted(values, descending) {
  const order = new Uint32Array(values.length);
  let [first, last] = [0, values.length];
  for (let i = 0; i < values.length; i++) if (!Number.isNaN(values[i])) order[first++] = i;
  for (let i = values.length - 1; i >= 0; i--) if (Number.isNaN(values[i])) order[--last] = i;
  // Two equal infinities differ by NaN, which is falsy: the index then decides.
  order
    .subarray(0, first)
    .sort(descending ? (i, j) => values[j] - values[i] || i - j : (i, j) => values[i] - values[j] || i - j);
  return order;
}

/** The alphabetical rank of each name: numbers to sort names by. @param {string[]} names @returns {Uint32Array} */
export function ranksOf(names) {
  const rank = new Map([...new Set(names)].sort().map((name, at) => [name, at]));
  return Uint32Array.from(names, (name) => /** @type {number} */ (rank.get(name)));
}

/** Values of both axes of the volcano plot. Scaled data have no fold change; x is the statistic then.
 * @param {Found} found */
export function axesOf({ columns, hasFold }) {
  return { x: hasFold ? columns.log2fc : columns.statistic, y: columns.log10_p_adj };
}

/**
 * Flag the genes that pass all filters.
 * @param {Found} found @param {string} text part of a name, case-insensitive @param {Cuts} cuts @param {Box | null} box
 * @returns {Uint8Array} 1 = listed
 */
export function kept(found, text, cuts, box) {
  const { n, names, ids, columns, hasFold } = found;
  const { log2fc, log10_p_adj: log10, share_a: a, share_b: b } = columns;
  const wanted = text.trim().toLowerCase();
  const hasName = (/** @type {number} */ i) =>
    names[i].toLowerCase().includes(wanted) || (ids.length > 0 && ids[i].toLowerCase().includes(wanted));
  const fold = hasFold ? cuts.fold : null;
  const least = cuts.p === null ? null : Math.log10(cuts.p);
  const { x, y } = axesOf(found);
  const result = new Uint8Array(n);
  for (let i = 0; i < n; i++) {
    // The conditions are negated so that NaN fails every cut-off.
    if (fold !== null && !(Math.abs(log2fc[i]) >= fold)) continue;
    if (least !== null && !(log10[i] <= least)) continue;
    if (cuts.share !== null && !(Math.max(a[i], b[i]) >= cuts.share)) continue;
    if (box !== null && !(x[i] >= box[0] && x[i] <= box[1] && -y[i] >= box[2] && -y[i] <= box[3])) continue;
    if (wanted === "" || hasName(i)) result[i] = 1;
  }
  return result;
}

/** Count the listed genes that are higher in a and those higher in b. @param {Found} found @param {Uint8Array} keep */
export function sides({ columns: { statistic } }, keep) {
  let [a, b] = [0, 0];
  for (let i = 0; i < keep.length; i++) {
    if (keep[i] === 1 && statistic[i] > 0) a++;
    else if (keep[i] === 1 && statistic[i] < 0) b++;
  }
  return { a, b };
}
