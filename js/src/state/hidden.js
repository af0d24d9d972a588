/** Hidden categories of the legend. Missing values count as one more category. Pure. */
import { MISSING_LABEL } from "../wire/protocol.js";

/** @typedef {Pick<import("./state.js").State, "color" | "traits">} Colored */

/** Labels of the legend, missing values last. @param {import("./state.js").Coloring | null} color
 * @returns {string[]} */
export function labelsOf(color) {
  if (color === null) return [];
  return color.nMissing > 0 ? [...color.categories, MISSING_LABEL] : color.categories;
}

/** Number of cells in hidden categories; 0 if they are not counted. @param {Colored} state @returns {number} */
export function nHidden({ color, traits }) {
  if (color?.scale !== "categorical" || traits.hidden.length === 0 || color.counts.length === 0) return 0;
  const hidden = new Set(traits.hidden);
  const counts = [...color.counts, color.nMissing];
  return counts.reduce((sum, count, i) => sum + (hidden.has(color.categories[i] ?? MISSING_LABEL) ? count : 0), 0);
}

/** Number of cells that pass the filters and are not hidden, as far as known.
 * @param {Colored & Pick<import("./state.js").State, "filter" | "brush">} state
 * @param {number} nObs @returns {number} */
export function nShown(state, nObs) {
  // During a drag, the count of the brush precedes that of the filter it will set.
  return state.brush?.n ?? state.filter.nShown ?? nObs - nHidden(state);
}

/** True if the legend hides cells of sets, which is not a filter. @param {Colored} state */
export const isHidingOfSets = ({ color, traits }) =>
  traits.hidden.length > 0 && color?.spec?.startsWith("sets:") === true;

/** True if excluded cells are drawn in grey, whether filters, hidden categories or a dragged brush exclude them.
 * @param {Pick<import("./state.js").State, "filter" | "brush" | "traits">} state */
export function isGreying({ filter, brush, traits }) {
  return traits.filtered === "grey" && (filter.n !== null || brush != null || traits.hidden.length > 0);
}

/** True if the legend hides all categories. @param {Colored} state @returns {boolean} */
export function isAllHidden({ color, traits }) {
  if (color?.scale !== "categorical" || traits.hidden.length < color.categories.length) return false;
  const [hidden, labels] = [new Set(traits.hidden), labelsOf(color)];
  return labels.length > 0 && labels.every((label) => hidden.has(label));
}

/** Predicate: true for codes that are drawn. @param {Colored} state @returns {(code: number) => boolean} */
export function isShownOf({ color, traits }) {
  if (color?.scale !== "categorical" || traits.hidden.length === 0) return () => true;
  const hidden = new Set(traits.hidden);
  const shown = color.categories.map((label) => !hidden.has(label));
  const missing = !hidden.has(MISSING_LABEL);
  return (code) => shown[code] ?? missing;
}
