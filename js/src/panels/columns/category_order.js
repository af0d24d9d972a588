/** Which categories of an open column are listed, in which order, and which of them are in view or counted. Pure. */
import { ROW_PX, windowOf } from "../../page/parts/legend_rows.js";
import { MOST_COUNTED } from "../../wire/constants.js";
import { byEnrichment, hasChosen } from "./enrichment.js";

/** @typedef {import("../../wire/protocol.js").ColumnCounts} Counts */
/** Where a list is scrolled to, its row with the focus, how it is sorted, what its rows show, and which category is pointed at; text: what
 *   the categories on show contain; found: which these are, as the kernel says, null = all
 * @typedef {{scroll: number, active: number, byCount: boolean, byEnrichment: boolean, mode: import("./enrichment.js").Mode, pointed: number,
 *   text: string, found: Uint32Array | null}} Place */

/** Rows that are in sight at once. */
export const MOST_IN_SIGHT = 9;
/** Of longer lists those in sight alone are named and counted, and as many around them. */
export const LONG = 1024;
const AROUND = 64;

/** Which categories are drawn, as indices; after all of them comes the one of missing values. @param {Counts} counts @param {Place} place */
export function rowsDrawn(counts, place) {
  const { rows, start, stop } = sheetOf(counts, place);
  return rows.slice(start, stop);
}

/** Which rows of a long list are to be counted: those drawn, in steps so that few scrolls ask again, or all that were found; [] = all.
 * @param {Counts} counts @param {Place} place
 * @returns {number[]} */
export function rowsWanted(counts, place) {
  if (counts.categories.length <= LONG) return [];
  const { rows, start, stop } = sheetOf(counts, place);
  if (place.found !== null && rows.length <= MOST_COUNTED) return rows; // for a hand may keep them
  return rows.slice(Math.max(0, Math.floor(start / AROUND - 1) * AROUND), Math.ceil(stop / AROUND + 1) * AROUND);
}

/** @param {Counts} counts @param {Place} place */
export function sheetOf(counts, { byCount, byEnrichment, mode, scroll, found }) {
  const made = madeOf(counts);
  const isOfChosen = mode === "enrichment" && hasChosen(counts);
  const sorted = isOfChosen ? byEnrichment && made.enriched(counts) : byCount && made.byCount();
  const listed = sorted || made.given();
  const rows = found === null ? listed : among(listed, found);
  const height = Math.min(rows.length, MOST_IN_SIGHT) * ROW_PX;
  return { rows, height, ...windowOf(rows.length, scroll, height) };
}

/** Of what was found, its rows in an order. @type {WeakMap<Uint32Array, {listed: number[], rows: number[]}>} */
const ordered = new WeakMap();

/** @param {number[]} listed @param {Uint32Array} found */
function among(listed, found) {
  const known = ordered.get(found);
  if (known?.listed === listed) return known.rows;
  const wanted = new Set(found);
  const rows = listed.filter((i) => wanted.has(i));
  ordered.set(found, { listed, rows });
  return rows;
}

/** What is made of an answer once, for it may list 65,534 categories and be drawn in every frame.
 * @type {WeakMap<object, {most: number, given: () => number[], byCount: () => number[], enriched: (counts: Counts) => number[]}>} */
const made = new WeakMap();

/** @param {Counts} counts */
export function madeOf(counts) {
  const { all } = counts.arrays;
  const known = made.get(all);
  if (known !== undefined) return known;
  const n = counts.categories.length + ((all.at(-1) ?? 0) > 0 ? 1 : 0);
  const given = Array.from({ length: n }, (_, i) => i);
  /** @type {number[] | null} */
  let sorted = null;
  /** Of an answer. @type {{of: object | null, rows: number[]}} */
  let enriched = { of: null, rows: [] };
  const one = {
    most: all.reduce((most, count) => Math.max(most, count), 1),
    given: () => given,
    byCount: () => (sorted ??= [...given].sort((a, b) => all[b] - all[a] || a - b)),
    enriched: (/** @type {Counts} */ counts) => {
      const of = counts.arrays.log10_p;
      if (enriched.of !== of) enriched = { of, rows: byEnrichment(counts, given) };
      return enriched.rows;
    },
  };
  made.set(all, one);
  return one;
}
