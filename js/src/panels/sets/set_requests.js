/** Requests the sets of cells with their counts, in the order of their tree. */
import { createNamedList } from "../shared/list_requests.js";

/**
 * @typedef {object} CellSet
 * @property {string} name
 * @property {string} of what a filter names it by, beside its name
 * @property {number} depth of how many others it stands below
 * @property {{name: string, n: number} | null} above the set that it stands below
 * @property {string} color
 * @property {boolean} isRule not mere rows
 * @property {string} fault why its cells cannot be found, "" where they are
 * @property {number} n cells
 * @property {number} nFiltered those that pass the filters
 * @property {number} nSelected
 * @property {number} nChosen those that are selected and pass
 *
 * @typedef {{op: string, name: string, to?: string, within?: string, of?: string[], mode?: import("../../wire/protocol.js").Mode}} Edit
 */

/** @param {import("../../wire/client.js").Client} client @param {() => void} redraw
 * @returns {ReturnType<typeof createNamedList<CellSet[], Edit>> & {combined: () => number[]}} combined: cells of the union, the intersection
 *   and the difference of the sets that are chosen; [] while they are not known */
export function createSetList(client, redraw) {
  /** @type {number[]} */
  let combined = [];
  const list = createNamedList(
    client,
    redraw,
    "set",
    (/** @type {import("../../wire/protocol.js").Sets} */ message) => {
      combined = message.combined;
      return /** @type {CellSet[]} */ (inOrder(message));
    },
  );
  return { ...list, combined: () => combined };
}

/** Each set below the one that it stands in, in the order in which they were made. @param {Pick<import("../../wire/protocol.js").Sets, "sets" | "arrays">} message
 * @returns {CellSet[]} */
export function inOrder({ sets, arrays }) {
  const all = sets.map(({ name, within, of, is_rule: isRule, fault, color }, i) => {
    const [n, nFiltered, nSelected, nChosen] = arrays.counts.subarray(4 * i, 4 * i + 4);
    return { name, within, of, isRule, fault, color, n, nFiltered, nSelected, nChosen };
  });
  /** @param {CellSet["above"]} above @param {number} depth @returns {CellSet[]} */
  const below = (above, depth) =>
    all
      .filter(({ within }) => within === (above?.name ?? ""))
      .flatMap(({ within: _, ...one }) => [{ ...one, above, depth }, ...below(one, depth + 1)]);
  return below(null, 0);
}
