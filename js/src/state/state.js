/** The state of one widget: one plain object, and the only place that changes it. Holds no DOM, no GL, no big arrays. */
// Changes with cxg_widget/session/streams/chunks.py: fields of what arrives.

/**
 * @typedef {{one: string, many: string}} Noun
 * @typedef {{obs: Noun, var: Noun, set: Noun | null}} Nouns set: null where the store has none
 *
 * @typedef {object} Dataset
 * @property {string} title
 * @property {number} nObs
 * @property {number} nVar
 * @property {Nouns} nouns what the observations and the vars are called
 * @property {{name: string, axes: number}[]} embeddings
 * @property {{name: string, kind: string}[]} columns
 * @property {string[]} colormaps
 * @property {string[]} notes
 *
 * @typedef {object} Points
 * @property {number} seq
 * @property {string} embedding
 * @property {number[]} axes
 * @property {number} nPoints how many points there will be
 * @property {number} nObs how many cells there are; more than nPoints: the points are a sample
 * @property {boolean} aggregated a picture at rest is an image of all cells, not of these points
 * @property {number} loaded length of the prefix that has arrived
 * @property {[number, number, number, number]} extent x0, x1, y0, y1 (data units)
 * @property {number} nMissing points without a drawable coordinate
 * @property {boolean} yDown
 * @property {boolean} equalUnits as much on either axis is drawn as long
 * @property {string[]} axisLabels what x and y measure; empty where they share their units
 * @property {number} few cells of a view that have room beside each other
 * @property {number[]} [nAtZero] cells at (0, 0) exactly, at 0 of x and of y; empty unless two columns are the axes
 * @property {string[]} [place] the embedding as the trait has it, two columns one by one
 * @property {number} [spot] how wide a spot is, data units; 0 = that is not known
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
 * @property {string[]} [darkColors] on a dark page, where they are others
 * @property {[string, string, number][]} [corners] name, limits and code of what a legend lists of several genes, a hue each
 * @property {boolean} [ordered] whether the order of the categories means something
 * @property {string} [unscaled] the layer to offer, where the values of X are scaled; "" = none
 * @property {number} lo
 * @property {number} hi
 * @property {number[]} levels the numbers that codes stand for, see style/levels.js
 * @property {boolean} [isStated] whether the store states lo and hi, so that the colors span them wherever one looks
 * @property {[number, number] | null} limits codes of the ends of its colors where nobody has set them; null = all values
 * @property {string} [statistic] what lo, hi, limits, histograms and quantiles are of, where they are of pixels and not of cells
 * @property {number} nNegative cells below 0
 * @property {number} nZero cells at 0; -1 = nobody has counted
 * @property {number} least the least number above 0; 0 where there is none
 * @property {Uint32Array} histogram
 * @property {Uint32Array} logHistogram of numbers above 0, in bins of least..hi that are equal by logarithm
 * @property {Float32Array} quantiles 0, 0.001, ..., 1, as shares of the codes
 *
 * @typedef {Omit<import("../wire/protocol.js").Cell, "kind">} Cell
 *
 * @typedef {{spec: string, color?: string | string[], label: string, kind: string, detail: string}} Match
 *
 * @typedef {object} InView
 * @property {"points" | "cells" | "image" | "sample"} as points: all are; cells: those of the view, the others are not here
 * @property {"" | "nothing" | "hidden"} lacks hidden: all that there is belongs to hidden categories
 *
 * @typedef {object} Crowd how crowded a view is, wherever it lies: all of its size have the same
 * @property {number} solidity how far it looks as a view of few cells does: 1 for as few, 0 for many more
 * @property {number} weight of the highest number of a pixel, beside their mean
 * @property {number} behind how many cells stand for a mean at least: where there are fewer, those around count toward it
 * @property {[number, number]} tile what a point covers along x and y, in codes of the points
 *
 * @typedef {{png: string, width: number, height: number, key?: string[] | null, plot?: number[]}} Still a picture in base64; px; key: as lines of text; plot: the room that the plots have, CSS px
 * @typedef {import("../wire/constants.js").Settings["background"]} Background
 *
 * @typedef {import("../wire/constants.js").Settings & {n_selected: number, steps: {undo: string, redo: string, n: number}, _snapshot?: {id?: string} & Partial<Still> | null}} Traits
 *   the synced traits, by their Python names; steps: what undo and redo would change, "" = nothing, n: another number after each step; _snapshot: the picture that a saved notebook keeps
 *
 * @typedef {object} State
 * @property {number} panel its number on the wire; 0 = the plot itself
 * @property {Traits} traits
 * @property {Dataset | null} dataset
 * @property {Points | null} points
 * @property {Coloring | null} color the coloring on show
 * @property {Coloring | null} nextColor the coloring that is arriving; replaces `color` when complete (at once if there is none)
 * @property {{seq: number, n: number, missed?: boolean}} selection missed: a gesture has just found nothing to change in it
 * @property {{seq: number, n: number | null, nShown: number | null}} filter n: cells that pass; nShown: those that the legend of sets does not hide
 *   either; null = without any filter but what the legend hides
 * @property {{ends: readonly [number, number], n: number} | null} brush under a hand: bins outside of which no point is drawn, first and
 *   first after; n: cells that pass, to a bin
 * @property {import("./counts.js").Counted | null} counted how the last selection that was counted spreads over the coloring
 * @property {Record<string, import("../wire/protocol.js").ColumnCounts>} columns what has been counted of columns, by "obs:NAME" or "var:NAME"
 * @property {number} highlighted category under the pointer in the legend, -1 = none
 * @property {Cell | null} cell the cell under the pointer in the plot
 * @property {Cell | null} marked the cell that was clicked in the plot last
 * @property {{query: string, matches: Match[], nMore: number}} found
 * @property {{of: string, message: string, details?: string} | null} error the last failure; the picture stays. details: where the
 *   sentence does not say it all
 * @property {InView | null} inView what the picture on the screen is made of
 * @property {"connecting" | "live" | "cut" | "offline"} link cut = the host connects to the kernel again; offline = no kernel behind the widget
 * @property {"gpu" | "cpu"} drawnBy
 * @property {import("../wire/protocol.js").Progress | null} building what the kernel is at that lasts, and how far, 0..1
 * @property {any[]} kept states that can be brought back, as the kernel offers them
 * @property {number} compared number of the newest comparison that the kernel has announced; 0 = none
 * @property {{nBytes: number, nReads: number, isAhead?: boolean} | null} cost what the last action read of the store; null where nothing counts that
 * @property {boolean} needsPanels something else than a panel wants the second module
 * @property {boolean} needsQuietly whether what does without the second module wants it: a picture for the notebook, the description
 * @property {any} panels what makes the panels of a view, from the second module; null = none has been opened
 * @property {((state: State) => string) | null} summaryOf the picture in words, from there
 * @property {((state: State) => string[]) | null} notesOnPlot sentences about what the second module draws, from there
 * @property {any} [takeColumn] what takes in counts of columns, from the second module, which alone asks for them
 * @property {any} linkPlots what lays plots beside each other, from the second module; null = it is not here
 * @property {any} landmarks what makes names and contours on a plot, from the second module; null = it is not here
 * @property {any} keyShape what draws shapes by keys, from the same
 * @property {any} pictures what draws pictures that are saved, from the same
 * @property {any} saveFile what saves one of them as a file, from the same
 * @property {any} travel what lets points travel to another place, from the same
 * @property {any} fade what lets an image fade there, from the same
 * @property {import("../wire/protocol.js").LabelPlaces | null} labels where names stand, as last requested
 * @property {import("../wire/protocol.js").Contours | null} contours where contours run, as last requested
 * @property {{name: string, spot: number} | null} [tissue] the image of the section as it is at hand, and how wide a spot of its library
 *   is, 0 = not known: who draws it holds the rest
 * @property {import("../wire/protocol.js").Difference | null} [difference] where two sets differ, as last requested
 * @property {Crowd} crowd how crowded views of this size are
 * @property {boolean} isSeen some points have been on the screen
 * @property {boolean} isWhole all of them have
 * @property {Coloring | null} seen the coloring of the last picture that was on it
 */

/** @typedef {{get: () => State, set: (change: Partial<State>) => void, subscribe: (listener: (state: State, before: State) => void) => () => void}} Store */

/** Make a store: `set` merges a change and tells every listener. @param {State} state @returns {Store} */
export function createStore(state) {
  /** @type {Set<(state: State, before: State) => void>} */
  const listeners = new Set();
  return {
    get: () => state,
    set(change) {
      const before = state;
      state = { ...state, ...change };
      // A copy, since a listener may leave, or change the state again, while others hear of it.
      for (const listener of [...listeners]) listener(state, before);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** The state as the panels show it: a legend changes together with the picture, not before it. @param {State} state @returns {State} */
export function asSeen(state) {
  const { color, seen } = state;
  if (seen === null || color === null || color.seq === seen.seq) return state;
  return { ...state, color: seen, nextColor: state.nextColor ?? color };
}

/** The category that lies above all others, the rest dimmed: none where it is not drawn itself. @param {Pick<State, "color" | "traits" | "highlighted">} state
 * @returns {number} -1 = none */
export function highlightOf({ color, traits, highlighted }) {
  const label = color?.scale === "categorical" ? color.categories[highlighted] : undefined;
  return label === undefined || traits.hidden.includes(label) ? -1 : highlighted;
}

/** What a drag does: without a kernel nothing can be selected. @param {State} state */
export function toolOf({ link, traits }) {
  return link === "offline" ? "pan" : traits.tool;
}

/** Has nothing changed but how much has arrived? @param {State} state @param {State} before */
export function isOnlyMore(state, before) {
  const keys = /** @type {(keyof State)[]} */ (Object.keys(state));
  return keys.every((key) => state[key] === before[key] || isLonger(state[key], before[key]));
}

/** @param {any} part @param {any} before the same part, with less of it loaded */
function isLonger(part, before) {
  if (part?.loaded === undefined || before === null) return false;
  return Object.keys(part).every((key) => key === "loaded" || part[key] === before[key]);
}

/** How much of what was requested has arrived, 0..1. @param {State} state @returns {number} */
export function progress(state) {
  if (state.building !== null) return state.building.done;
  const parts = [state.points, state.nextColor ?? state.color].filter((part) => part !== null);
  if (parts.length === 0) return state.link === "live" ? 1 : 0;
  const done = parts.map((part) => (part.nPoints === 0 ? 1 : part.loaded / part.nPoints));
  return done.reduce((sum, one) => sum + one, 0) / parts.length;
}
