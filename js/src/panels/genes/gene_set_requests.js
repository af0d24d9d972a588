/** Requests gene sets, one request at a time; of each kind only the newest is answered. */

/** @typedef {import("../../wire/client.js").Client} Client */
/** @typedef {import("../../wire/protocol.js").GeneSets} GeneSets */

/** The last question. @type {WeakMap<Client, Promise<unknown>>} */
const last = new WeakMap();

/** @param {Client} client @param {string} text a list or a GMT; "" = the sets of the store @param {string} [name] of a set that the text does not name
 * @returns {Promise<GeneSets | null>} null where it failed, and the reason has been shown */
export function askGenes(client, text, name = "") {
  const question = (last.get(client) ?? Promise.resolve()).then(() => client.ask({ kind: "genes", text, name }));
  last.set(client, question);
  return question.then((answer) => /** @type {GeneSets | undefined} */ (answer?.[0]) ?? null);
}
