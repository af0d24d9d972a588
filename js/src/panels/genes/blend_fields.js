/** Fields of the map of two or three blended genes: counts, names and key navigation. Pure except for requests. */
// Changes with cxg_widget/color/blend.py: hues of several genes.
import { counted, wholeNumber } from "../../words/format.js";

/** @typedef {import("../../wire/protocol.js").FieldCounts} FieldCounts */
/** @typedef {import("../../state/state.js").State} State */
/** @typedef {{requested: string, found: FieldCounts | null, redraws: Set<() => void>}} Shared */

/** All views of a widget share its kernel and its counts, so they share one request. @type {WeakMap<object, Shared>} */
const SHARED = new WeakMap();

/**
 * Request the counts of the current map after each change of colors, filters or selection.
 * @param {import("../../wire/client.js").Client} client @param {() => void} redraw
 * @returns {(state: State | null) => FieldCounts | null} call it at each redraw of a view, for the latest counts;
 *   null = the view is gone
 */
export function createFields(client, redraw) {
  const shared = SHARED.get(client) ?? { requested: "", found: null, redraws: new Set() };
  SHARED.set(client, shared);
  return (state) => {
    if (state === null) return shared.redraws.delete(redraw) ? null : null;
    shared.redraws.add(redraw);
    const genes = genesOf(state);
    const { link, nextColor, color, filter, selection } = state;
    const wanted = JSON.stringify([color?.seq, color?.spec, filter.seq, selection.seq]);
    if (genes !== "" && link === "live" && nextColor === null && wanted !== shared.requested) {
      shared.requested = wanted;
      void client.ask({ kind: "fields", panel: 0 }).then((answer) => {
        if (answer === null || shared.requested !== wanted) return;
        shared.found = /** @type {FieldCounts} */ (answer[0]);
        for (const one of shared.redraws) one();
      });
    }
    // New limits do not change names and fields: keep the old counts until the response arrives.
    return shared.found !== null && genes === JSON.stringify(shared.found.names) ? shared.found : null;
  };
}

/** The blended genes, by their names in the legend, as JSON; "" = no blend.
 * @param {Pick<State, "color">} state @returns {string} */
function genesOf({ color }) {
  const corners = color?.corners ?? [];
  const n = Math.log2(corners.length);
  return corners.length === 0 ? "" : JSON.stringify(corners.slice(0, n).map(([name]) => name));
}

/** The part of each gene's limits that a field stands for.
 * @param {FieldCounts} fields @param {number} i @returns {number[]} */
export function partsOf({ names, words }, i) {
  return names.map((_, gene) => Math.floor(i / words.length ** (names.length - 1 - gene)) % words.length);
}

/** The field with these parts. @param {FieldCounts} fields @param {number[]} at @returns {number} */
export function fieldAt({ words }, at) {
  return at.reduce((i, part) => i * words.length + part, 0);
}

/** The code of a mix.
 * @param {FieldCounts} fields @param {number[]} shares position between the limits of each gene, 0 to 1
 * @returns {number} */
export function mixAt({ levels, arrays }, shares) {
  return arrays.mixes[shares.reduce((i, share) => i * levels + Math.round(share * (levels - 1)), 0)];
}

/** Fields in list order: one gene high, two, all, none. @param {FieldCounts} fields @returns {number[]} */
export function listed(fields) {
  const nHigh = (/** @type {number} */ i) => partsOf(fields, i).reduce((sum, part) => sum + part, 0);
  const rank = (/** @type {number} */ i) => nHigh(i) || Number.POSITIVE_INFINITY;
  return Array.from(fields.arrays.filtered, (_, i) => i).sort((a, b) =>
    rank(a) === rank(b) ? b - a : rank(a) - rank(b),
  );
}

/** Describes a field in words.
 * @param {FieldCounts} fields @param {number} i @param {{one: string, many: string}} noun of cells @returns {string} */
export function describeField(fields, i, noun) {
  const { names, words, arrays } = fields;
  const where = partsOf(fields, i).map((part, gene) => `${names[gene]} ${words[part]}`);
  const selected = arrays.selected[i] > 0 ? `, ${wholeNumber(arrays.selected[i])} selected` : "";
  return `${where.join(", ")}: ${counted(arrays.filtered[i], noun)}${selected}`;
}

/** The field that a key moves to: the neighbor in a square, the next one in a list.
 * @param {FieldCounts} fields @param {string} key @param {number} i
 * @returns {number | null} null = the key is not handled */
export function fieldAfterKey(fields, key, i) {
  const { names, words } = fields;
  if (names.length > 2) {
    const order = listed(fields);
    const at = order.indexOf(i);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: order.length - 1 }[key];
    return to === undefined ? null : order[Math.min(order.length - 1, Math.max(0, to))];
  }
  const [x, y] = partsOf(fields, i);
  const to = {
    ArrowRight: [x + 1, y],
    ArrowLeft: [x - 1, y],
    ArrowUp: [x, y + 1],
    ArrowDown: [x, y - 1],
    Home: [0, y],
    End: [words.length, y],
  }[key];
  return to === undefined
    ? null
    : fieldAt(
        fields,
        to.map((part) => Math.min(words.length - 1, Math.max(0, part))),
      );
}
