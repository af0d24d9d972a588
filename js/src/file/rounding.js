/** Says where the colours of a file round: it holds codes, and there is no kernel to send finer ones. Pure. */

import { codeOf, levelsOf, numberAt } from "../style/levels.js";
import { shortNumber } from "../words/format.js";

/** How far a code may move a number on the colormap, which has 256 colours. */
const FINEST = 1 / 255;

/** @param {import("./texts.js").Legend} legend @param {Record<string, any>} settings @returns {string} "" where codes tell what the limits ask for */
export function describeRounding(legend, { vmin, vmax, scale }) {
  if (legend.scale !== "continuous") return "";
  const levels = levelsOf(legend);
  const [low, high] = [vmin ?? legend.lo, vmax ?? legend.hi];
  const way = (/** @type {number} */ value) => (scale === "log" ? Math.log(value) : value);
  const span = way(high) - way(low);
  if (typeof low !== "number" || typeof high !== "number" || !(span > 0 && span < Infinity)) return "";
  const steps = [codeOf(low, levels), codeOf(high, levels) - 1].map(
    (code) => (way(numberAt(code + 1, levels)) - way(numberAt(code, levels))) / span,
  );
  const n = Math.max(1, Math.round(1 / Math.max(...steps)));
  if (n * FINEST * 2 >= 1) return "";
  const ends = `${shortNumber(low)} and ${shortNumber(high)}`;
  return `Colors between ${ends} round to ${n === 1 ? "1 step" : `${n} steps`}: this file holds no finer numbers. Set the limits before you save it.`;
}
