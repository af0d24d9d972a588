/** The state of one widget: one plain object, and the store that alone changes it. Holds no DOM, no GL, no large
 * arrays. */
// Changes with cxg_widget/session/streams/chunks.py: fields of what arrives.

/**
 * @typedef {{one: string, many: string}} Noun
 * @typedef {{obs: Noun, var: Noun, set: Noun | null}} Nouns set: null if the store has no sets
 *
 * @typedef {object} Dataset
 * @property {string} title
 * @property {number} nObs
 * @property {number} nVar
 * @property {Nouns} nouns names of an observation, a variable and a set
 * @property {{name: string, axes: number}[]} embeddings
 * @property {{name: string, kind: string}[]} columns
 * @property {string[]} colormaps
 * @property {string[]} notes
 *
 * @typedef {object} Points
 * @property {number} seq
 * @property {string} embedding
 * @property {number[]} axes
 * @property {number} nPoints total number of points, including those still to arrive
 * @property {number} nObs number of cells; if more than nPoints, the points are a sample
 * @property {boolean} aggregated at rest, an image of all cells replaces these points
 * @property {number} loaded length of the prefix that has arrived
 * @property {[number, number, number, number]} extent x0, x1, y0, y1 (data units)
 * @property {number} nMissing points without a drawable coordinate
 * @property {boolean} yDown
 * @property {boolean} equalUnits both axes have the same scale
 * @property {string[]} axisLabels what x and y measure; empty if they share their units
 * @property {number} few number of cells that fit in a view side by side
 * @property {number[]} [nAtZero] number of cells at exactly (0, 0), at x = 0 and at y = 0; empty unless two columns
 *   are the axes
 * @property {string[]} [place] the embedding as in the trait; two columns are two entries
 * @property {number} [spot] diameter of a spot, data units; 0 = unknown
 *
 * @typedef {object} Coloring
 * @property {number} seq
 * @property {string} spec
 * @property {string} name
 * @property {string} detail
 * @property {"none" | "categorical" | "continuous"} scale
 * @property {number} nPoints
 * @property {number} nObs
 * @property {number} loaded length of the prefix that has arrived
 * @property {number} nMissing
 * @property {string[]} categories
 * @property {number[]} counts
 * @property {string[]} colors
 * @property {string[]} [darkColors] colors on a dark page, if they differ
 * @property {[string, string, number][]} [corners] legend entries of several genes, each with its own hue: name,
 *   limits, code
 * @property {boolean} [ordered] whether the order of the categories is meaningful
 * @property {string} [unscaled] a layer with unscaled values, offered if the values of X are scaled; "" = none
 * @property {number} lo
 * @property {number} hi
 * @property {number[]} levels the numbers that codes represent, see style/levels.js
 * @property {boolean} [isStated] whether the store states lo and hi, so that the colors span them in every view
 * @property {[number, number] | null} limits codes of the default color limits; null = all values
 * @property {string} [statistic] the pixel statistic that lo, hi, limits, histograms and quantiles describe, if they
 *   describe pixels and not cells
 * @property {number} nNegative number of cells below 0
 * @property {number} nZero number of cells at 0; -1 = not counted
 * @property {number} least the smallest number above 0; 0 if there is none
 * @property {Uint32Array} histogram
 * @property {Uint32Array} logHistogram of numbers above 0, in bins of equal width in log space over least..hi
 * @property {Float32Array} quantiles 0, 0.001, ..., 1, as fractions of the code range
 *
 * @typedef {Omit<import("../wire/protocol.js").Cell, "kind">} Cell
 *
 * @typedef {{spec: string, color?: string | string[], label: string, kind: string, detail: string}} Match
 *
 * @typedef {object} InView
 * @property {"points" | "cells" | "image" | "sample"} as points: all points; cells: only those in view are loaded
 * @property {"" | "nothing" | "hidden"} lacks hidden: all cells in view belong to hidden categories
 *
 * @typedef {object} Crowd how crowded views of a size are, independent of their position
 * @property {number} solidity 1 for views with at most `few` cells, falling to 0 for many more
 * @property {number} weight of the highest value in a pixel, against the mean of its values
 * @property {number} behind minimum number of cells for a mean: if a pixel has fewer, neighbors count toward it
 * @property {[number, number]} tile extent of a point along x and y, in codes of the points
 *
 * @typedef {{png: string, width: number, height: number, key?: string[] | null, plot?: number[]}} Still a picture:
 *   base64; width and height in px; key: the legend as lines of text; plot: size of the plot area, CSS px
 * @typedef {import("../wire/constants.js").Settings["background"]} Background
 *
 * @typedef {import("../wire/constants.js").Settings & {n_selected: number, steps: {undo: string, redo: string, n: number}, _snapshot?: {id?: string} & Partial<Still> | null}} Traits
 *   the synced traits, by their Python names; steps: labels of the next undo and redo, "" = none, n: changes with
 *   each step; _snapshot: the static picture in a saved notebook
 *
 * @typedef {object} State
 * @property {number} panel its number on the wire; 0 = the plot itself
 * @property {Traits} traits
 * @property {Dataset | null} dataset
 * @property {Points | null} points
 * @property {Coloring | null} color the displayed coloring
 * @property {Coloring | null} nextColor the coloring that is arriving; replaces `color` when complete (at once if there is none)
 * @property {{seq: number, n: number, missed?: boolean}} selection missed: the last gesture did not change the
 *   selection
 * @property {{seq: number, n: number | null, nShown: number | null}} filter n: cells that pass; nShown: those of them
 *   that the legend of sets does not hide; null: no filter except hidden categories
 * @property {{ends: readonly [number, number], n: number} | null} brush during a drag: ends: first bin that passes,
 *   and first bin after the range; n: cells that pass, with the precision of a bin
 * @property {import("./counts.js").Counted | null} counted counts of a selection per category or bin, as last received
 * @property {Record<string, import("../wire/protocol.js").ColumnCounts>} columns counts of columns, by "obs:NAME" or
 *   "var:NAME"
 * @property {number} highlighted category under the pointer in the legend, -1 = none
 * @property {Cell | null} cell the cell under the pointer in the plot
 * @property {Cell | null} marked the cell that was clicked in the plot last
 * @property {{query: string, matches: Match[], nMore: number}} found
 * @property {{of: string, message: string, details?: string} | null} error the last failure, which leaves the picture
 *   as it is; details: further information
 * @property {InView | null} inView what the picture on the screen consists of
 * @property {"connecting" | "live" | "cut" | "offline"} link cut: the host is reconnecting to the kernel; offline: no
 *   kernel
 * @property {"gpu" | "cpu"} drawnBy
 * @property {import("../wire/protocol.js").Progress | null} building long-running work of the kernel, with its
 *   progress, 0..1
 * @property {string} awaited kind of the reply that the last action of the user waits for; "" = none
 * @property {any[]} kept states that the kernel offers to restore
 * @property {number} compared number of the newest comparison that the kernel has announced; 0 = none
 * @property {{nBytes: number, nReads: number, isAhead?: boolean} | null} cost reads of the store by the last action;
 *   null if they are not counted
 * @property {boolean} needsPanels something other than a panel requires the second module
 * @property {boolean} needsQuietly an optional feature uses the second module: the notebook picture or the description
 * @property {any} panels creates the panels of a view, from the second module; null = none has been opened
 * @property {((state: State) => string) | null} summaryOf describes the picture in words, from the second module
 * @property {((state: State) => string[]) | null} notesOnPlot notes about what the second module draws, from the same
 * @property {any} [takeColumn] receives counts of columns, from the second module, which alone requests them
 * @property {any} linkPlots arranges plots side by side, from the second module; null = not loaded
 * @property {any} landmarks creates names and contours on a plot, from the second module; null = not loaded
 * @property {any} keyShape draws shapes by keyboard, from the same
 * @property {any} pictures draws saved pictures, from the same
 * @property {any} saveFile saves a picture as a file, from the same
 * @property {any} travel animates points to new positions, from the same
 * @property {any} fade fades an image during that animation, from the same
 * @property {import("../wire/protocol.js").LabelPlaces | null} labels positions of category names, as last requested
 * @property {import("../wire/protocol.js").Contours | null} contours contour lines, as last requested
 * @property {{name: string, spot: number} | null} [tissue] the loaded image of the section, and the spot diameter of
 *   its library, 0 = unknown; the module that draws it has the rest
 * @property {import("../wire/protocol.js").Difference | null} [difference] density difference of two sets, as last
 *   requested
 * @property {Crowd} crowd how crowded views of this size are
 * @property {boolean} isSeen some points have been on the screen
 * @property {boolean} isWhole all points have been on the screen
 * @property {Coloring | null} seen the coloring of the last picture on the screen
 */

/** @typedef {{get: () => State, set: (change: Partial<State>) => void, subscribe: (listener: (state: State, before: State) => void) => () => void}} Store */

/** Creates a store: `set` merges a change and notifies every listener. @param {State} state @returns {Store} */
export function createStore(state) {
  /** @type {Set<(state: State, before: State) => void>} */
  const listeners = new Set();
  return {
    get: () => state,
    set(change) {
      const before = state;
      state = { ...state, ...change };
      // A copy, because a listener may unsubscribe or change the state again during the loop.
      for (const listener of [...listeners]) listener(state, before);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** The state as panels show it: a legend changes together with the picture, not before it.
 * @param {State} state @returns {State} */
export function asSeen(state) {
  const { color, seen } = state;
  if (seen === null || color === null || color.seq === seen.seq) return state;
  return { ...state, color: seen, nextColor: state.nextColor ?? color };
}

/** The highlighted category, drawn on top while all others are dimmed; none if it is hidden.
 * @param {Pick<State, "color" | "traits" | "highlighted">} state
 * @returns {number} -1 = none */
export function highlightOf({ color, traits, highlighted }) {
  const label = color?.scale === "categorical" ? color.categories[highlighted] : undefined;
  return label === undefined || traits.hidden.includes(label) ? -1 : highlighted;
}

/** The tool of a drag: without a kernel always pan, because selecting needs the kernel. @param {State} state */
export function toolOf({ link, traits }) {
  return link === "offline" ? "pan" : traits.tool;
}

/** True if only the number of arrived points has changed. @param {State} state @param {State} before */
export function isOnlyMore(state, before) {
  const keys = /** @type {(keyof State)[]} */ (Object.keys(state));
  return keys.every((key) => state[key] === before[key] || isLonger(state[key], before[key]));
}

/** True if a part differs from its previous version only in `loaded`. @param {any} part @param {any} before */
function isLonger(part, before) {
  if (part?.loaded === undefined || before === null) return false;
  return Object.keys(part).every((key) => key === "loaded" || part[key] === before[key]);
}

/** Fraction of the requested data that has arrived, 0..1. @param {State} state @returns {number} */
export function progress(state) {
  if (state.building !== null) return state.building.done;
  const parts = [state.points, state.nextColor ?? state.color].filter((part) => part !== null);
  if (parts.length === 0) return state.link === "live" ? 1 : 0;
  const done = parts.map((part) => (part.nPoints === 0 ? 1 : part.loaded / part.nPoints));
  return done.reduce((sum, one) => sum + one, 0) / parts.length;
}
