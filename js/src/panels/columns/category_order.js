/** Filters and sorts the categories of an open column, and selects those in view and those to count. Pure. */
import { ROW_PX, windowOf } from "../../page/parts/legend_rows.js";
import { MOST_COUNTED } from "../../wire/constants.js";
import { byEnrichment, hasChosen } from "./enrichment.js";

/** @typedef {import("../../wire/protocol.js").ColumnCounts} Counts */
/** State of a list: scroll position, active row, sort order, mode of its rows, hovered category. text: the search text;
 *   found: the categories that match, as the kernel reports them; null = all
 * @typedef {{scroll: number, active: number, byCount: boolean, byEnrichment: boolean, mode: import("./enrichment.js").Mode, pointed: number,
 *   text: string, found: Uint32Array | null}} Place */

/** Maximum number of rows in view. */
export const MOST_IN_SIGHT = 9;
/** In a longer list, only the rows in view and AROUND rows on either side have labels and counts. */
export const LONG = 1024;
const AROUND = 64;

/** Indices of the categories in view; the index after the last category stands for missing values.
 * @param {Counts} counts @param {Place} place */
export function rowsDrawn(counts, place) {
  const { rows, start, stop } = sheetOf(counts, place);
  return rows.slice(start, stop);
}

/** Rows of a long list to count: those in view, in steps so that few scrolls cause a request, or all matches; [] = all.
 * @param {Counts} counts @param {Place} place
 * @returns {number[]} */
export function rowsWanted(counts, place) {
  if (counts.categories.length <= LONG) return [];
  const { rows, start, stop } = sheetOf(counts, place);
  // a click may filter to them, which needs all labels
  if (place.found !== null && rows.length <= MOST_COUNTED) return rows;
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

/** Cache of sorted matches, by match array. @type {WeakMap<Uint32Array, {listed: number[], rows: number[]}>} */
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

/** Cache of sorted rows, by response: it may list 65,534 categories and be drawn in every frame.
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
  /** Cached for one response of an enrichment. @type {{of: object | null, rows: number[]}} */
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
