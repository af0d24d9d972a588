/** Requests the annotations, and the labels of one with their counts. */
import { createNamedList } from "../shared/list_requests.js";

/**
 * @typedef {object} Label
 * @property {string | null} label null = the cells without a label
 * @property {string} color "" for the cells without a label
 * @property {number} n cells
 * @property {number} nFiltered cells that pass all filters except that of the annotation
 * @property {number} nSelected
 *
 * @typedef {object} Listed
 * @property {Record<string, any>[]} annotations name and n_labels of each
 * @property {string} name of the listed annotation; "" = none
 * @property {Label[]} labels matches, then the cells without a label
 * @property {number} nFound labels that match; may exceed `labels`
 * @property {number} nLeftOut selected cells that do not pass the filters
 * @property {boolean} hasObs
 *
 * @typedef {{op: string, name: string, label?: string, to?: string, mode?: import("../../wire/protocol.js").Mode, on_conflict?: string}} Edit
 * @typedef {import("../../wire/protocol.js").Annotated} Done
 */

/** @param {import("../../wire/client.js").Client} client @param {() => void} redraw */
export function createAnnotationList(client, redraw) {
  /** @type {ReturnType<typeof createNamedList<Listed, Edit>>} */
  const list = createNamedList(client, redraw, "annotation", toListed);
  return {
    fault: list.fault,
    /** @param {import("../../state/state.js").State | null} state
     * @param {string} name of the annotation @param {string} query search text for labels */
    follow: (state, name, query) => list.follow(state, { name, query, filters: state?.traits.filters }),
    /** @param {Edit} what @returns {Promise<Done | null>} */
    edit: (what) => list.edit(what),
  };
}

/** @param {import("../../wire/protocol.js").AnnotationLabels} message @returns {Listed} */
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
