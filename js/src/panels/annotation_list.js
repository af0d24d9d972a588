/** The annotations and the labels of one as the kernel counts them: asked for after each step and each change of what counts. */
import { createEditFault } from "./edit_fault.js";

/**
 * @typedef {object} Label
 * @property {string | null} label null = the cells without one
 * @property {string} color "" of those
 * @property {number} n cells
 * @property {number} nFiltered those that pass the filters of all else
 * @property {number} nSelected
 *
 * @typedef {object} Listed
 * @property {Record<string, any>[]} annotations name and n_labels of each
 * @property {string} name of the one whose labels are listed, "" = there is none
 * @property {Label[]} labels those found, and last the cells without a label
 * @property {number} nFound labels that match; more than there are here
 * @property {number} nLeftOut selected cells that do not pass the filters
 * @property {boolean} hasObs
 *
 * @typedef {{op: string, name: string, label?: string, to?: string, mode?: import("../wire/protocol.js").Mode, on_conflict?: string}} Edit
 * @typedef {import("../wire/protocol.js").Annotated} Done
 */

/** @param {import("../wire/client.js").Client} client @param {() => void} redraw */
export function createAnnotationList(client, redraw) {
  let asked = "";
  const fault = createEditFault("annotation");
  /** @type {Listed | null} */
  let listed = null;

  /** @param {Record<string, unknown>} request */
  async function ask(request) {
    const answer = await client.ask(request);
    if (answer !== null) listed = toListed(/** @type {import("../wire/protocol.js").Annotations} */ (answer[0]));
    redraw();
  }

  return {
    fault: fault.told,
    /** What was told last; null = not yet, or the panel is closed. @param {import("../state/state.js").State | null} state
     * @param {string} name of the annotation @param {string} query what its labels contain */
    follow(state, name, query) {
      if (state === null) {
        asked = "";
        return null;
      }
      const { filters, steps } = state.traits;
      const wanted = JSON.stringify([steps.n, filters, state.filter.seq, state.selection.seq, name, query]);
      if (wanted !== asked && state.link === "live") {
        asked = wanted;
        void ask({ kind: "annotations", name, query, filters });
      }
      fault.follow(state.error);
      return listed;
    },
    /** Resolves to what came of it; null where it failed. @param {Edit} what @returns {Promise<Done | null>} */
    async edit(what) {
      const answer = await client.ask({ kind: "annotation", ...what });
      if (answer !== null) fault.done();
      redraw();
      return /** @type {Done | null} */ (answer?.[0] ?? null);
    },
  };
}

/** @param {import("../wire/protocol.js").Annotations} told @returns {Listed} */
export function toListed({ annotations, name, labels, colors, n_found, n_left_out, has_obs, arrays }) {
  const rows =
    name === ""
      ? []
      : [...labels, null].map((label, i) => {
          const [n, nFiltered, nSelected] = arrays.counts.subarray(3 * i, 3 * i + 3);
          return { label, color: colors[i] ?? "", n, nFiltered, nSelected };
        });
  return { annotations, name, labels: rows, nFound: n_found, nLeftOut: n_left_out, hasObs: has_obs };
}
