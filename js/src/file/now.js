/** The current settings of a saved page: its color, the hidden categories of each coloring, limits and scale. */
import { OVERLAYS, STATISTICS_OF_POINTS, WITHOUT_KERNEL } from "../wire/constants.js";
import { MISSING_LABEL } from "../wire/protocol.js";

/** Settings that need no kernel, declared in display/settings.py. @type {readonly string[]} */
const FREE = WITHOUT_KERNEL;
/** Layers over and under the plot: either as saved or off. @type {readonly string[]} */
const ON_PLOT = OVERLAYS;
/** Statistics that the page can compute from points. @type {readonly string[]} */
const OF_CELLS = STATISTICS_OF_POINTS;
const LIMITS = ["vmin", "vmax", "center"];

const same = (/** @type {unknown} */ one, /** @type {unknown} */ other) =>
  JSON.stringify(one) === JSON.stringify(other);

/** @param {import("./held.js").About} about */
export function createNow({ traits, colors }) {
  /** Hidden categories by index of the color. @type {Map<number, string[]>} */
  const hides = new Map([[0, traits.hidden]]);
  /** Limits by index of the color that they were set for. @type {Map<number, Record<string, any>>} */
  const limits = new Map();
  const now = { color: 0, hides, settings: structuredClone(traits) };

  /** The filters of the file, and one filter for the hidden categories of each column. */
  function filters() {
    const hiding = [...hides]
      .filter(([index, hidden]) => hidden.length > 0 && colors[index].spec.startsWith("obs:"))
      .map(([index, hidden]) => {
        const values = hidden.map((label) => (label === MISSING_LABEL ? null : label));
        return { not: { obs: colors[index].spec.slice(4), in: values } };
      });
    return [...traits.filters, ...hiding];
  }
  now.settings.filters = filters();

  return Object.assign(now, {
    /** Takes a setting if the contents of the file suffice for it. @param {string} name @param {any} value
     * @returns {boolean} whether it took the setting */
    take(name, value) {
      const isAsSaved = value === null || same(value, traits[name]);
      const isFree = FREE.includes(name) || (name === "statistic" && OF_CELLS.includes(value));
      const isPart =
        name === "panels" && value.every((/** @type {any} */ one) => traits.panels.some(same.bind(null, one)));
      if (!isFree && !isPart && !(ON_PLOT.includes(name) && isAsSaved)) return false;
      now.settings[name] = value;
      return true;
    },
    /** Hides categories of the current color. @param {string[]} hidden
     * @returns {Record<string, any>} settings that change as a result */
    hide(hidden) {
      hides.set(now.color, hidden);
      return follow({ hidden, filters: filters() });
    },
    /** Changes the color. @param {any} value of the trait
     * @returns {Record<string, any> | null} settings that change as a result; null = the color is not in the file */
    recolor(value) {
      const index = colors.findIndex(({ color }) => same(color, value || null));
      if (index < 0) return null;
      const { settings } = now;
      limits.set(now.color, Object.fromEntries(LIMITS.map((name) => [name, settings[name]])));
      now.color = index;
      const { color, layer, blend } = colors[index];
      const own = limits.get(index) ?? {};
      // Percentiles apply to all colors, numbers only to the color that they were set for.
      const limit = (/** @type {string} */ name) =>
        typeof settings[name] === "string" ? settings[name] : (own[name] ?? null);
      const ends = Object.fromEntries(LIMITS.map((name) => [name, limit(name)]));
      return follow({ color, layer, blend, ...ends, hidden: hides.get(index) ?? [], filters: filters() });
    },
  });

  /** @param {Record<string, any>} change */
  function follow(change) {
    Object.assign(now.settings, change);
    return change;
  }
}

/** @typedef {ReturnType<typeof createNow>} Now */
