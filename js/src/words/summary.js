/** A description of the picture for screen readers, as in cxg_widget/draw/pages/summary.py. Pure. */
// Changes with cxg_widget/draw/pages/summary.py: the summary in words.
import { countPassing } from "../state/counts.js";
import { EMPTY_LABEL } from "../wire/constants.js";
import { LEFT_OUT_LABEL, MISSING_LABEL } from "../wire/protocol.js";
import { inALine, share, shortCount } from "./format.js";
import { keyOf, largestOf } from "./legend_words.js";
import { missingLabel } from "./missing.js";
import { capitalized } from "./nouns.js";
import { describeFilters } from "./rule_words.js";

/** Maximum number of categories that are named, the largest first. */
const MOST_NAMED = 5;

/** Describes dataset, number of cells, embedding, coloring and filters.
 * @param {import("../state/state.js").State} state
 * @returns {string} one sentence per line; "" before the dataset is known */
export function summaryOf(state) {
  const { dataset, points, color, traits } = state;
  if (dataset === null) return "";
  const key = keyOf(state);
  const lines = [key.title, key.size];
  if (points !== null) lines.push(describePlace(points, Array.isArray(traits.embedding)));
  if (color !== null && color.scale !== "none")
    lines.push(...describeColor(countPassing(state, color), traits.hidden, key));
  else lines.push("No color");
  if (traits.labels) lines.push(`Names: ${traits.labels}`);
  if (traits.contours)
    lines.push(`Contours: ${traits.contours === true ? "all" : [traits.contours].flat().join(", ")}`);
  if (traits.difference) lines.push(`Difference: ${traits.difference.join(", ")}`);
  const { filters } = traits;
  if (filters.length > 0) lines.push(`Filters: ${describeFilters(filters)}`);
  const [label, n] = key.rows.at(-1) ?? [];
  if (traits.filtered === "grey" && label === LEFT_OUT_LABEL) lines.push(`In grey: ${n} ${label}`);
  return lines
    .filter((line) => line !== "")
    .map((line) => (line.endsWith(".") ? line : `${line}.`))
    .join("\n");
}

/** @param {import("../state/state.js").Points} points @param {boolean} isPair two columns are the axes */
function describePlace({ embedding, axes: [x, y], axisLabels }, isPair) {
  if (isPair) return `Embedding: ${axisLabels.join(" by ")}`;
  const axes = x === 0 && y === 1 ? "" : `, axes ${x + 1} and ${y + 1}`;
  const names = axisLabels.length === 2 ? `, ${axisLabels[0]} by ${axisLabels[1]}` : "";
  return `Embedding: ${embedding}${axes}${names}`;
}

/** @param {import("../state/state.js").Coloring} color @param {string[]} hidden @param {import("./legend_words.js").Key} key @returns {string[]} */
function describeColor(
  { scale, categories, counts, corners = [], nMissing, spec, ordered },
  hidden,
  { heading, detail, ramp, ends, sentence },
) {
  const named = `Color: ${heading}${detail && ` (${detail})`}`;
  const label = missingLabel({ spec });
  const called = label === MISSING_LABEL ? "Without a value" : capitalized(label);
  const missing = nMissing > 0 ? [`${called}: ${shortCount(nMissing)}`] : [];
  if (scale === "continuous")
    return [ramp.length > 0 ? `${named}, ${ends.join(" to ")}` : `${named}. ${sentence}`, ...missing];
  if (corners.length > 0)
    return [named, ...corners.filter((one) => one[1]).map((one) => one.slice(0, 2).join(", ")), ...missing];
  const isHidden = new Set(hidden);
  const shown = [...categories.keys()].filter((i) => !isHidden.has(categories[i]));
  const nHidden = categories.length - shown.length;
  const size = `${categories.length} ${categories.length === 1 ? "category" : "categories"}`;
  const n = counts.reduce((sum, one) => sum + one, nMissing);
  const rows = largestOf({ counts, ordered }, shown, MOST_NAMED).map((i) => {
    const label = inALine(categories[i]) || EMPTY_LABEL;
    return counts[i] === undefined ? label : `${label} ${shortCount(counts[i])} (${share(counts[i], n)})`;
  });
  return [
    `${named}, ${size}${nHidden > 0 ? `, ${nHidden} hidden` : ""}`,
    rows.length === 0 ? "" : `${shown.length > rows.length ? "Largest" : "Shown"}: ${rows.join(", ")}`,
    ...missing,
  ];
}
