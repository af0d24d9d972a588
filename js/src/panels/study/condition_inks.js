/** Colors of conditions: those of the plot while it is colored by condition, else colors that differ for everyone. */
import { safeColor } from "../../style/color.js";

/** Safe for color-blind readers, each with a contrast of at least 3 on its page. */
const INKS = {
  light: ["#0072b2", "#d55e00", "#008a67", "#b0478b", "#8a6d00", "#4b5bbf", "#7a4a21", "#5f6670"],
  dark: ["#56b4e9", "#f0a04b", "#2fbf94", "#e08fc0", "#e3cf57", "#9aa6f2", "#c79a6b", "#a9b1ba"],
};

/** @param {string[]} conditions @param {import("../../page/parts/ui.js").Context} context @returns {string[]} */
export function inksOf(conditions, { state, ui }) {
  const { color } = state;
  const own = INKS[ui.dark ? "dark" : "light"];
  const isColored = color?.scale === "categorical" && color.spec === `obs:${state.traits.study_design?.condition}`;
  return conditions.map((name, i) => {
    const at = isColored ? color.categories.indexOf(name) : -1;
    return at < 0 || color === null ? own[i % own.length] : safeColor(color.colors[at]);
  });
}
