/** Colors of conditions: those that the plot has while it is colored by condition. */
import { safeColor } from "../../style/color.js";

/** @param {import("../../wire/protocol.js").StudyPart} part @param {import("../../state/state.js").State} state
 * @returns {string[]} */
export function inksOf({ conditions, colors }, { color, traits }) {
  const isColored = color?.scale === "categorical" && color.spec === `obs:${traits.study_design?.condition}`;
  return conditions.map((name, i) => {
    const at = isColored ? color.categories.indexOf(name) : -1;
    return safeColor(at < 0 ? colors[i] : color?.colors[at]);
  });
}
