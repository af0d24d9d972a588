/** Requests gene sets, one request at a time: the kernel answers only the newest request of a kind. */

/** @typedef {import("../../wire/client.js").Client} Client */
/** @typedef {import("../../wire/protocol.js").GeneSets} GeneSets */

/** The last request of each client. @type {WeakMap<Client, Promise<unknown>>} */
const last = new WeakMap();

/** @param {Client} client @param {string} text a list or a GMT; "" = the sets of the store
 * @param {string} [name] for a set without a name in the text
 * @returns {Promise<GeneSets | null>} null = it failed, and the client has shown the error */
export function askGenes(client, text, name = "") {
  const question = (last.get(client) ?? Promise.resolve()).then(() => client.ask({ kind: "genes", text, name }));
  last.set(client, question);
  return question.then((answer) => /** @type {GeneSets | undefined} */ (answer?.[0]) ?? null);
}
