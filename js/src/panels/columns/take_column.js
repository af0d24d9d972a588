/** Merges received counts of a column with those already known, which the kernel does not send again. Pure, but for the store. */

/** @typedef {import("../../wire/protocol.js").ColumnCounts} Column */

/** Arrays that of a long list are of the rows that are sent. */
const BY_ROW = /** @type {const} */ (["filtered", "selected", "chosen", "held", "odds", "log10_p"]);

/** What is known of a column is not sent again. @param {import("../../state/state.js").Store} store @param {Column} reply */
export function takeColumn(store, reply) {
  const { columns } = store.get();
  const known = columns[reply.column];
  if (reply.rows.length > 0) {
    const isFirst = reply.arrays.all.length > reply.rows.length;
    if (!isFirst && known === undefined) return; // its labels are others by now, and are on their way
    return store.set({ columns: { ...columns, [reply.column]: joined(isFirst ? unknown(reply) : known, reply) } });
  }
  const isWhole = reply.categories.length + reply.edges.length > 0;
  const { categories, edges, layer, about } = isWhole ? reply : (known ?? reply);
  store.set({ columns: { ...columns, [reply.column]: { ...reply, categories, edges, layer, about } } });
}

/** A long list of which no label is known yet. @param {Column} reply @returns {Column} */
function unknown({ arrays, ...reply }) {
  const n = arrays.all.length;
  const none = { filtered: new Uint32Array(n), selected: new Uint32Array(n) };
  return { ...reply, categories: new Array(n - 1), arrays: { ...arrays, ...none } };
}

/** A long list with what is sent of some rows; the others stay as they were. @param {Column} before @param {Column} reply @returns {Column} */
function joined(before, reply) {
  const categories = before.categories.slice();
  reply.rows.forEach((row, i) => {
    if (row < categories.length) categories[row] = reply.categories[i];
  });
  /** @type {any} */
  const arrays = { ...before.arrays };
  for (const name of BY_ROW) arrays[name] = placed(before, reply, name);
  return { ...reply, categories, arrays };
}

/** @param {Column} before @param {Column} reply @param {typeof BY_ROW[number]} name of an array */
function placed(before, reply, name) {
  const sent = reply.arrays[name];
  if (sent.length === 0) return sent; // nothing is selected
  const n = before.arrays.all.length;
  const found =
    before.arrays[name].length === n ? before.arrays[name].slice() : new /** @type {any} */ (sent.constructor)(n);
  for (const [i, row] of reply.rows.entries()) found[row] = sent[i];
  return found;
}
