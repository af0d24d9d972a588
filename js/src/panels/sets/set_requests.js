/** Requests the sets of cells with their counts, in tree order. */
import { createNamedList } from "../shared/list_requests.js";

/**
 * @typedef {object} CellSet
 * @property {string} name
 * @property {string} of identifier of the set in a filter, next to its name
 * @property {number} depth number of sets above it in the tree
 * @property {{name: string, n: number} | null} above its parent set
 * @property {string} color
 * @property {boolean} isRule true for a rule, false for a list of rows
 * @property {string} fault why its cells cannot be found; "" = no error
 * @property {number} n cells
 * @property {number} nFiltered cells that pass the filters
 * @property {number} nSelected
 * @property {number} nChosen selected cells that pass the filters
 *
 * @typedef {{op: string, name: string, to?: string, within?: string, of?: string[], mode?: import("../../wire/protocol.js").Mode}} Edit
 */

/** @param {import("../../wire/client.js").Client} client @param {() => void} redraw
 * @returns {ReturnType<typeof createNamedList<CellSet[], Edit>> & {combined: () => number[]}} combined: number of
 *   cells of the union, the intersection and the difference of the chosen sets; [] = not known yet */
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

/** Sort sets into a tree: each below its parent, siblings in order of creation.
 * @param {Pick<import("../../wire/protocol.js").Sets, "sets" | "arrays">} message
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
