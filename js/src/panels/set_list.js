/** The sets of cells as the kernel counts them: asked for after each step and each change of filters or selection. */
import { createEditFault } from "./edit_fault.js";

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
 *
 * @typedef {{op: string, name: string, to?: string, within?: string, mode?: import("../wire/protocol.js").Mode}} Edit
 */

/** @param {import("../wire/client.js").Client} client @param {() => void} redraw */
export function createSetList(client, redraw) {
  let asked = "";
  const fault = createEditFault("set");
  /** @type {CellSet[] | null} */
  let sets = null;

  /** Resolves to whether there was an answer. @param {Record<string, unknown>} request */
  async function ask(request) {
    const answer = await client.ask(request);
    if (answer !== null) sets = inOrder(/** @type {import("../wire/protocol.js").Sets} */ (answer[0]));
    if (answer !== null && request.kind === "set") fault.done();
    redraw();
    return answer !== null;
  }

  return {
    fault: fault.told,
    /** The sets as last told; null = not yet, or the panel is closed. @param {import("../state/state.js").State | null} state */
    follow(state) {
      if (state === null) {
        asked = "";
        return null;
      }
      const wanted = `${state.traits.steps.n} ${state.filter.seq} ${state.selection.seq}`;
      if (wanted !== asked && state.link === "live") {
        asked = wanted;
        void ask({ kind: "sets" });
      }
      fault.follow(state.error);
      return sets;
    },
    /** Resolves to whether it was done. @param {Edit} what */
    edit: (what) => ask({ kind: "set", ...what }),
  };
}

/** Each set below the one that it stands in, in the order in which they were made. @param {Pick<import("../wire/protocol.js").Sets, "sets" | "arrays">} told
 * @returns {CellSet[]} */
export function inOrder({ sets, arrays }) {
  const all = sets.map(({ name, within, of, is_rule: isRule, fault, color }, i) => {
    const [n, nFiltered, nSelected] = arrays.counts.subarray(3 * i, 3 * i + 3);
    return { name, within, of, isRule, fault, color, n, nFiltered, nSelected };
  });
  /** @param {CellSet["above"]} above @param {number} depth @returns {CellSet[]} */
  const below = (above, depth) =>
    all
      .filter(({ within }) => within === (above?.name ?? ""))
      .flatMap(({ within: _, ...one }) => [{ ...one, above, depth }, ...below(one, depth + 1)]);
  return below(null, 0);
}
