/** Merges received counts of a column with known ones, which the kernel does not resend. Pure except for the store. */

/** @typedef {import("../../wire/protocol.js").ColumnCounts} Column */

/** Merge a response into the store; it omits labels and edges that the page has.
 * @param {import("../../state/state.js").Store} store @param {Column} reply */
export function takeColumn(store, reply) {
  const { columns } = store.get();
  const known = columns[reply.column];
  if (reply.rows.length > 0) {
    const isFirst = reply.arrays.all.length > reply.rows.length;
    if (!isFirst && known === undefined) return; // its labels have changed, and new ones will arrive
    return store.set({ columns: { ...columns, [reply.column]: joined(isFirst ? unknown(reply) : known, reply) } });
  }
  const isWhole = reply.categories.length + reply.edges.length > 0;
  const { categories, edges, layer, about } = isWhole ? reply : (known ?? reply);
  store.set({ columns: { ...columns, [reply.column]: { ...reply, categories, edges, layer, about } } });
}

/** A long list without any label yet. @param {Column} reply @returns {Column} */
function unknown({ arrays, ...reply }) {
  const n = arrays.all.length;
  const none = { filtered: new Uint32Array(n), selected: new Uint32Array(n) };
  return { ...reply, categories: new Array(n - 1), arrays: { ...arrays, ...none } };
}

/** Update the received rows of a long list; the others do not change.
 * @param {Column} before @param {Column} reply @returns {Column} */
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

/** Merge one array. Every array except `all` covers the sent rows only, or is empty.
 * @param {Column} before @param {Column} reply
 * @param {keyof Column["arrays"]} name of an array */
function placed(before, reply, name) {
  const sent = reply.arrays[name];
  if (sent.length === 0) return sent; // there is no selection, or there are no counts by the legend
  const n = before.arrays.all.length;
  const found =
    before.arrays[name].length === n ? before.arrays[name].slice() : new /** @type {any} */ (sent.constructor)(n);
  for (const [i, row] of reply.rows.entries()) found[row] = sent[i];
  return found;
}

/** @template {object} T @param {T} one */
const namesOf = (one) => /** @type {(keyof T)[]} */ (Object.keys(one));
