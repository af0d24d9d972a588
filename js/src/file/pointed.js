/** Finds the cell under the pointer in a saved page. */
// Changes with cxg_widget/session/pointer.py: the cell under the pointer.
import { MANY, MOST_FIELDS } from "../wire/constants.js";
import { MISSING } from "../wire/protocol.js";
import { passingOf, shownBy } from "./passing.js";
import { describeMany, valueText } from "./texts.js";

/** @typedef {import("./held.js").Held} Held */
/** @typedef {import("./held.js").About} About */

/** @type {Omit<import("../wire/protocol.js").Cell, "kind" | "panel">} */
const NONE = { row: -1, x: 0, y: 0, name: "", value: "", fields: [], passes: true, n_beneath: 0, elsewhere: [] };

/**
 * @param {Held} held @param {About} about @param {import("./now.js").Now} now
 * @param {{panel: number, x: number, y: number, radius_x: number, radius_y: number, color: number, noun: string[]}} at color: of the panel
 */
export async function cellAt(held, about, now, at) {
  const { panel, color, noun } = at;
  const [here, { legend, codes }, passing] = await Promise.all([
    held.places(placeOfPanel(about, panel)),
    held.values(color),
    passingOf(held, now, panel),
  ]);
  const isShown = shownBy(legend, color === now.color ? now.settings.hidden : []);
  const counts = (/** @type {number} */ i) => passing?.[i] !== 0 && (codes === null || isShown(codes[i]));
  let { nearest, all } = pointsIn(here.xy, here.extent, at, counts);
  const passes = nearest >= 0 || now.settings.filtered !== "grey";
  if (!passes) ({ nearest, all } = pointsIn(here.xy, here.extent, at, () => true));
  const place = nearest < 0 ? null : placeOf(here.xy, here.extent, nearest);
  if (place === null) return NONE;
  const others = await elsewhere(held, about, panel, nearest);
  const found = { ...NONE, row: nearest, x: place[0], y: place[1], elsewhere: others, passes };
  if (passes && all.length >= MANY) {
    const name = `${all.length.toLocaleString("en-US")} ${noun[1]}`;
    const fields =
      codes === null
        ? []
        : describeMany(
            Uint16Array.from(all, (i) => codes[i]),
            legend,
          );
    return { ...found, name, n_beneath: all.length, fields };
  }
  return { ...found, ...(await named(held, about, nearest, color)) };
}

/** Name of a cell and its fields in the tooltip.
 * @param {Held} held @param {About} about @param {number} point @param {number} color */
async function named(held, about, point, color) {
  const text = async (/** @type {number} */ index) => {
    const { legend, codes } = await held.values(index);
    return valueText(codes?.[point] ?? 0, legend, about.colors[index].is_int);
  };
  const shown = about.is_chosen ? about.fields : about.fields.filter((index) => index !== color).slice(0, MOST_FIELDS);
  const fields = await Promise.all(shown.map(async (index) => [about.colors[index].label, await text(index)]));
  return { name: await held.name(point), value: await text(color), fields };
}

/** Number of the panel whose positions a panel shows. @param {About} about @param {number} panel @returns {number} */
export function placeOfPanel({ panels }, panel) {
  return panels[panel]?.place ?? 0;
}

/** [panel, x, y] of a point in each panel with another embedding.
 * @param {Held} held @param {About} about @param {number} panel @param {number} point */
async function elsewhere(held, about, panel, point) {
  /** @type {number[][]} */
  const found = [];
  for (const other of [0, ...Object.keys(about.panels).map(Number)]) {
    if (placeOfPanel(about, other) === placeOfPanel(about, panel)) continue;
    const { xy, extent } = await held.places(placeOfPanel(about, other));
    const at = placeOf(xy, extent, point);
    if (at !== null) found.push([other, ...at]);
  }
  return found;
}

const LEVELS = MISSING - 1;

/**
 * Finds the nearest and all points in an ellipse, among those that count.
 * @param {Uint16Array} xy codes over `extent` @param {readonly number[]} extent x0, x1, y0, y1
 * @param {{x: number, y: number, radius_x: number, radius_y: number}} at data units
 * @param {(point: number) => boolean} counts
 * @returns {{nearest: number, all: number[]}} nearest: -1 = none
 */
export function pointsIn(xy, [x0, x1, y0, y1], { x, y, radius_x, radius_y }, counts) {
  const [perX, perY] = [LEVELS / (x1 - x0 || 1), LEVELS / (y1 - y0 || 1)];
  const [cx, cy] = [(x - x0) * perX, (y - y0) * perY];
  const [rx, ry] = [radius_x * perX, radius_y * perY];
  let [nearest, least] = [-1, Number.POSITIVE_INFINITY];
  /** @type {number[]} */
  const all = [];
  for (let i = 0; i < xy.length / 2; i++) {
    const dx = xy[2 * i] - cx;
    if (dx > rx || dx < -rx) continue;
    const dy = xy[2 * i + 1] - cy;
    if (dy > ry || dy < -ry || xy[2 * i] === MISSING || xy[2 * i + 1] === MISSING) continue;
    const distance = (dx / rx) ** 2 + (dy / ry) ** 2;
    if (distance > 1 || !counts(i)) continue;
    all.push(i);
    if (distance < least) [nearest, least] = [i, distance];
  }
  return { nearest, all };
}

/** Position of a point, data units; null without coordinates.
 * @param {Uint16Array} xy @param {readonly number[]} extent @param {number} i @returns {[number, number] | null} */
export function placeOf(xy, [x0, x1, y0, y1], i) {
  const [x, y] = [xy[2 * i], xy[2 * i + 1]];
  if (x === MISSING || y === MISSING) return null;
  return [x0 + (x / LEVELS) * (x1 - x0), y0 + (y / LEVELS) * (y1 - y0)];
}
