/** The style of points in a state: colors of codes, hidden and dimmed points, sizes and opacity. Pure. */
// Changes with cxg_widget/color/blend.py: hues of several genes.
// Changes with cxg_widget/display/tissue.py: how wide spots are drawn.
// Changes with cxg_widget/draw/points/crowding.py: the size of points.
// Changes with cxg_widget/draw/points/crowding.py: when opacity follows density.

import { clamp } from "../screen/clamp.js";
import { isGreying } from "../state/hidden.js";
import { highlightOf } from "../state/state.js";
import {
  DIMMED,
  FADING,
  FILLING,
  GREYED,
  LEFT_OUT_GREY,
  MISSING_GREY,
  PALEST,
  PLAIN,
  SEEN_IN_THE_DARK,
  STATISTICS_OF_POINTS,
  WIDEST_SPOT_PX,
  ZERO_GREY,
} from "../wire/constants.js";
import { MISSING, MISSING_LABEL, SPOT_PARTS } from "../wire/protocol.js";
import { luminance, parseHex } from "./color.js";
import { COLORMAPS } from "./colormaps.js";
import { greyCodes, placesOf } from "./scale.js";

/**
 * @typedef {{background: number[], foreground: number[], dark: boolean}} Theme rgb 0..255
 * @typedef {[number, number, number, number]} Rgba 0..1
 * @typedef {import("../state/state.js").Coloring} Coloring
 * @typedef {Pick<import("../state/state.js").Traits, "hidden" | "cmap"> & import("./scale.js").Rule} TableTraits
 *
 * @typedef {object} Style
 * @property {0 | 1 | 2} mode one color, categories, numbers
 * @property {number} missing code of a missing value
 * @property {boolean} hasMissing some points have no value
 * @property {number} highlighted category on top of all others; -1 = none
 * @property {boolean} selecting there is a selection: all other points are dimmed
 * @property {boolean} ranked higher numbers lie on top; false if points in a pixel show a shared number, so that
 *   their order does not matter
 * @property {[number, number]} grey first and last code that lie below all other numbers; none if the last is lower
 * @property {Rgba} plain color without a coloring
 * @property {Rgba} missingColor alpha 0 = hidden
 * @property {Rgba} leftOut color of points that the filters exclude, below all others; alpha: their opacity, 0 = not
 *   drawn
 * @property {[number, number, number]} background color that dimmed points fade into, 0..1: the page's, a little
 *   lighter on dark pages and darker on others
 * @property {boolean} dark
 * @property {number} dimmed fraction of its color that a dimmed point keeps
 * @property {number} opacity
 */

/** Color of points without a value. @param {boolean} dark @returns {number[]} rgb 0..255 */
export function missingGrey(dark) {
  return MISSING_GREY[dark ? "dark" : "light"];
}

/** True for a statistic of pixels, which only the kernel draws. @param {string} statistic */
export const isOfPixels = (statistic) => !(/** @type {readonly string[]} */ (STATISTICS_OF_POINTS).includes(statistic));

const MODES = /** @type {const} */ ({ none: 0, categorical: 1, continuous: 2 });

/** @param {import("../state/state.js").State} state @param {Theme} theme @param {number} missing code of a missing value
 * @param {number} [layers] mean number of overlapping points, if opacity follows density @returns {Style} */
export function styleOf(state, theme, missing, layers = 0) {
  const { color, traits, selection, crowd } = state;
  const tone = theme.dark ? "dark" : "light";
  const mode = MODES[color?.scale ?? "none"];
  return {
    mode,
    missing,
    hasMissing: mode !== 0 && (color?.nMissing ?? 0) > 0,
    highlighted: highlightOf(state),
    selecting: selection.n > 0,
    ranked: isOrdered(color) && crowd.weight === 1,
    grey: mode === 2 && color !== null ? greyCodes(color, traits) : [0, -1],
    plain: rgba(PLAIN[tone], 1),
    missingColor: rgba(MISSING_GREY[tone], mode === 1 && traits.hidden.includes(MISSING_LABEL) ? 0 : 1),
    leftOut: rgba(LEFT_OUT_GREY[tone], isGreying(state) ? (traits.opacity ?? 1) : 0),
    background: /** @type {[number, number, number]} */ (
      theme.background.map((channel) => (channel + GREYED[tone] * ((theme.dark ? 255 : 0) - channel)) / 255)
    ),
    dark: theme.dark,
    dimmed: DIMMED,
    opacity: traits.opacity ?? opacityOf(state, layers),
  };
}

/** True if colors represent numbers of one or several genes. @param {Coloring | null} color */
const isOrdered = (color) => color !== null && (color.scale === "continuous" || (color.corners ?? []).length > 0);

/** True if opacity follows density. With numbers it does not: cells that share a pixel show a common number.
 * @param {Pick<import("../state/state.js").State, "color" | "traits" | "selection" | "highlighted" | "filter" | "brush">} state */
export function isByDensity(state) {
  const { color, traits, selection } = state;
  const isSet = traits.opacity !== null;
  return !(isSet || isOrdered(color) || selection.n > 0 || highlightOf(state) >= 0 || isGreying(state));
}

/** Opacity of points, given the number of overlapping points. @param {import("../state/state.js").State} state
 * @param {number} layers */
const opacityOf = (state, layers) => (isByDensity(state) ? Math.max(Math.max(layers, 1) ** -FADING, PALEST) : 1);

/** Style of a sample of points that resembles the image of all cells which replaces it.
 * @param {Style} style @param {import("../state/state.js").State} state @param {number} layers of all cells @returns {Style} */
export function sampled(style, state, layers) {
  const { points, crowd, traits } = state;
  if (style.mode === 2) return isOfPixels(traits.statistic) ? { ...style, mode: 0, plain: style.missingColor } : style;
  if (!points || isDimming(style)) return style;
  // Fraction of the page that shows through in views far from the switch to cells.
  const far = traits.density === "linear" ? 0.65 : 0.5;
  // Most places have fewer layers than the mean over cells, which crowded places dominate; hence the roots.
  const close = (1 - opacityOf(state, layers)) ** ((1 + layers) ** 0.5);
  const veil = (far + crowd.solidity * (close - far)) ** ((1 + (layers * points.nPoints) / points.nObs) ** -0.5);
  return { ...style, opacity: style.opacity * (1 - veil) };
}

/** True if some points are dimmed. @param {Style} style */
export function isDimming({ selecting, highlighted }) {
  return selecting || highlighted >= 0;
}

/** True if some points lie on top of others regardless of their order. @param {Style} style */
export function isLayered(style) {
  return style.ranked || style.grey[0] <= style.grey[1] || isDimming(style) || style.leftOut[3] > 0;
}

/** Colors of categories on a page. @param {Coloring} color @param {boolean} dark */
export const colorsOn = ({ colors, darkColors = [] }, dark) => (dark && darkColors.length > 0 ? darkColors : colors);

/** Inputs of `colorTable`, for caching. @param {Coloring} color @param {TableTraits} traits @param {boolean} dark
 * @returns {unknown[]} */
export function colorsFrom(color, { cmap, hidden, vmin, vmax, center, scale, zero }, dark) {
  if (color.scale === "categorical") return [color.colors, color.categories, hidden, dark];
  const { lo, hi, levels, least, quantiles, limits } = color;
  return [lo, hi, levels, least, quantiles, String(limits), cmap, vmin, vmax, center, scale, zero, dark];
}

/** Color table of categories or numbers, as a texture 256 wide. @param {Coloring} color @param {TableTraits} traits
 * @param {boolean} dark @returns {Uint8Array} RGBA, rows of 256; alpha 0 = hidden */
export function colorTable(color, traits, dark) {
  const { scale, categories } = color;
  const colors = colorsOn(color, dark);
  if (scale !== "categorical") return numberTable(color, traits, dark);
  const { hidden } = traits;
  const table = new Uint8Array(1024 * Math.max(1, Math.ceil(colors.length / 256)));
  const isHidden = new Set(hidden);
  colors.forEach((color, i) => {
    if (!isHidden.has(categories[i])) table.set([...parseHex(color), 255], 4 * i);
  });
  return table;
}

/** @param {Coloring} color @param {TableTraits} traits @param {boolean} dark @returns {Uint8Array} */
function numberTable(color, traits, dark) {
  // Colors are 32-bit elements: one look-up and one write for each of 65,535 codes.
  const steps = new Uint32Array(ramp(stopsOf(traits.cmap, dark)).buffer);
  const table = new Uint32Array(MISSING + 1);
  const placeOf = placesOf(color, traits);
  const [first, last] = greyCodes(color, traits);
  for (let code = 0; code < MISSING; code++) table[code] = steps[Math.floor(placeOf(code) * 255 + 0.5)];
  const bytes = new Uint8Array(table.buffer);
  const grey = ZERO_GREY[dark ? "dark" : "light"];
  for (let code = first; code <= last; code++) bytes.set([...grey, 255], 4 * code);
  return bytes;
}

/** The stops of a colormap. On a dark page, built-in colormaps omit stops that are too dark to see.
 * @param {import("../wire/constants.js").Settings["cmap"]} cmap @param {boolean} dark @returns {string[]} */
export function stopsOf(cmap, dark) {
  if (typeof cmap !== "string") return cmap.stops;
  const turned = COLORMAPS[cmap.endsWith("_r") ? cmap.slice(0, -2) : `${cmap}_r`] ?? COLORMAPS.viridis;
  // A copy, because `reverse` works in place and all callers share the map.
  const stops = COLORMAPS[cmap] ?? [...turned].reverse();
  return dark ? stops.filter((stop) => luminance(parseHex(stop)) >= SEEN_IN_THE_DARK) : stops;
}

/** @param {string[]} stops @returns {Uint8Array} RGBA of 256 steps */
export function ramp(stops) {
  const rgb = stops.map(parseHex);
  const table = new Uint8Array(1024);
  for (let i = 0; i < 256; i++) {
    const place = (i / 255) * (rgb.length - 1);
    const below = Math.min(Math.floor(place), Math.max(rgb.length - 2, 0));
    const [a, b] = [rgb[below], rgb[Math.min(below + 1, rgb.length - 1)]];
    a.forEach(
      (value, channel) => (table[4 * i + channel] = Math.round(value + (place - below) * (b[channel] - value))),
    );
    table[4 * i + 3] = 255;
  }
  return table;
}

/** Automatic diameter: decreases with the number of points and grows slowly with the zoom. The kernel uses the same
 * formula, see point_diameter in draw/points/crowding.py and tests/point_sizes.json.
 * @param {number} n points @param {{width: number, height: number}} plot CSS px @param {number} zoom 1 = everything fits @returns {number} CSS px */
export function automaticSize(n, { width, height }, zoom) {
  const room = ((width * height) / 480_000) ** 0.25;
  const size = clamp(42 * Math.max(n, 1) ** -0.25 * room, 1, 7);
  return Math.min(size * Math.max(zoom, 1) ** 0.35, 12);
}

/** Diameter of points: the setting, else that of the spots, else the automatic size.
 * @param {import("../state/state.js").State} state @param {import("../screen/camera.js").Camera} plot CSS px @param {number} zoom 1 = everything fits
 * @returns {number} CSS px */
export function diameterOf(state, plot, zoom) {
  const spot = spotOf(state);
  if (spot) return clamp(spot / plot.unitsPerPx, 1, WIDEST_SPOT_PX);
  return state.traits.point_size ?? automaticSize(state.points?.nPoints ?? 0, plot, zoom);
}

/** Diameter of a spot, data units; 0 if it is unknown or the user has set a size.
 * @param {import("../state/state.js").State} state */
function spotOf({ traits, points, tissue }) {
  const spot = points?.spot && tissue && tissue.name === traits.tissue ? tissue.spot : points?.spot;
  return traits.point_size === null ? (spot ?? 0) : 0;
}

/** `sizes` of `PointOptions` for points with individual sizes; null if the spot size is unknown or the user has set a
 * size.
 * @param {import("../state/state.js").State} state @param {import("../screen/camera.js").Camera} plot @param {number} ratio px per CSS px
 * @returns {[number, number, number] | null} */
export function sizesOf(state, plot, ratio) {
  const spot = spotOf(state);
  if (!spot) return null;
  return [(spot * ratio) / plot.unitsPerPx / SPOT_PARTS, Math.max(ratio, 1), WIDEST_SPOT_PX * ratio];
}

/** Maximum diameter at which points do not fill the view. The kernel uses the same rule for images of all cells, so
 * that a view of few cells looks alike, see crowded_size in draw/points/crowding.py.
 * @param {number} n points in the view @param {number} width @param {number} height @returns {number} in the px of width and height */
export function crowdedSize(n, width, height) {
  return Math.max(Math.sqrt((FILLING * width * height) / Math.max(n, 1)), 1);
}

/** @param {number[]} rgb 0..255 @param {number} alpha @returns {Rgba} */
function rgba([r, g, b], alpha) {
  return [r / 255, g / 255, b / 255, alpha];
}
