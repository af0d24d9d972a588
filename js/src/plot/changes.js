/** Compares two states: how the picture of one differs from that of the other. Pure. */
import { TUNED } from "../wire/constants.js";

/** @typedef {import("../state/state.js").State} State */

/** @param {State} state @param {State} before @returns {import("../picture/surface.js").Change | null} null = not at all */
export function changeBetween(state, before) {
  const { points, color, crowd, selection, filter, traits } = state;
  // From the costliest change to the cheapest: the first match decides.
  if (state.drawnBy !== before.drawnBy || points?.seq !== before.points?.seq) return "all";
  if (state.highlighted !== before.highlighted || TUNED.some((name) => traits[name] !== before.traits[name]))
    return "tune";
  if (state.brush !== before.brush && state.filter.seq === before.filter.seq) return "tune";
  if (crowd !== before.crowd || String(color?.limits) !== String(before.color?.limits)) return "tune";
  if (color?.seq !== before.color?.seq || color?.colors !== before.color?.colors) return "colors";
  if (filter.seq !== before.filter.seq) return "colors";
  if (selection !== before.selection && (selection.n > 0 || before.selection.n > 0)) return "colors";
  const loaded = (/** @type {State} */ one) => `${one.points?.loaded} ${one.color?.loaded} ${one.nextColor?.loaded}`;
  if (loaded(state) === loaded(before)) return null;
  // What points show where they share pixels was known from the first of them.
  return crowd.weight < 1 && isLoaded(state) && !isLoaded(before) ? "colors" : "more";
}

/** @param {State} state */
function isLoaded({ points, color }) {
  return [points, color].every((part) => part !== null && part.loaded === part.nPoints);
}
