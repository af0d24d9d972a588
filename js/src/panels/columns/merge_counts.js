/** Merges received counts of a column with those already known, which the kernel does not send again. Pure, but for the store. */

/** @typedef {import("../../wire/protocol.js").ColumnCounts} Column */

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
  for (const name of namesOf(reply.arrays)) if (name !== "all") arrays[name] = placed(before, reply, name);
  return { ...reply, categories, arrays };
}

/** All arrays but `all` are of the rows that are sent, or empty. @param {Column} before @param {Column} reply
 * @param {keyof Column["arrays"]} name of an array */
function placed(before, reply, name) {
  const sent = reply.arrays[name];
  if (sent.length === 0) return sent; // nothing is selected, or none is counted by the legend
  const n = before.arrays.all.length;
  const found =
    before.arrays[name].length === n ? before.arrays[name].slice() : new /** @type {any} */ (sent.constructor)(n);
  for (const [i, row] of reply.rows.entries()) found[row] = sent[i];
  return found;
}

/** @template {object} T @param {T} one */
const namesOf = (one) => /** @type {(keyof T)[]} */ (Object.keys(one));
