/** One panel that shows something else: its state and its arrays are the widget's, but for what is its own. */

import { memo } from "../../state/memo.js";
import { createReceiver } from "../../state/receive.js";
import { createCrowding, ROOMY } from "../../style/crowding.js";

/**
 * @typedef {import("../../state/state.js").State} State
 * @typedef {import("../../state/state.js").Store} Store
 * @typedef {import("../../state/scene.js").Scene} Scene
 * @typedef {import("../../wire/constants.js").Look} Setting
 * @typedef {import("../../page/view.js").Model} Widget
 * @typedef {{store: Store, createPlot: import("../../page/view.js").CreatePlot, isOf: (look: Setting) => boolean, take: (look: Setting) => void, destroy: () => void}} Look
 *   isOf: whether it can show that as well; take: show it
 */

/** Of a panel with a colour of its own. */
const COLORED = { color: null, nextColor: null, seen: null, counted: null, highlighted: -1, crowd: ROOMY };
/** What pixels show that cells share; all others are statistics of pixels, which the plot itself shows alone. */
const OF_CELLS = ["auto", "mean", "max"];

/** So long what has been set may be on its way. */
const PATIENCE_MS = 1_000;

/** @param {Setting} look */
const isColored = (look) => "color" in look;

/** The settings of a panel, as cxg_widget/display/looks.py has them. @param {State["traits"]} traits @param {Setting} look @returns {State["traits"]} */
export function traitsOf(traits, look) {
  if (!isColored(look)) return traits;
  const { color = null, layer = traits.layer, cmap = traits.cmap, vmin = null, vmax = null } = look;
  const statistic = OF_CELLS.includes(traits.statistic) ? traits.statistic : "auto";
  return { ...traits, color, layer, cmap, vmin, vmax, center: null, hidden: [], statistic };
}

/** @param {Widget} widget @param {Setting} first @param {boolean} isAsked whether what it shows has to be asked for at once @returns {Look} */
export function createLook(widget, first, isAsked) {
  const { store: base, scene: shared, client } = widget;
  const panel = first.id;
  let look = first;
  /** @type {Partial<State>} */
  let own = { inView: null, ...(isColored(look) ? COLORED : {}) };
  /** What is sent of its cells: the number of that, how many pass, and which points are its own, null = all. */
  let cells = { seq: 0, n: /** @type {number | null} */ (null), bits: /** @type {Uint8Array | null} */ (null) };
  /** @type {Set<(state: State, before: State) => void>} */
  const listeners = new Set();
  const traits = /** @type {ReturnType<typeof memo<State["traits"]>>} */ (memo());
  let state = made();

  /** @returns {State} */
  function made() {
    const all = base.get();
    return {
      ...all,
      ...own,
      panel,
      traits: traits([all.traits, look], () => traitsOf(all.traits, look)),
      filter: { seq: all.filter.seq + cells.seq, n: cells.n ?? all.filter.n },
    };
  }

  function tell() {
    const before = state;
    state = made();
    for (const listener of [...listeners]) listener(state, before);
  }

  /** @type {Store} */
  const store = {
    get: () => state,
    set(change) {
      const [mine, others] = [/** @type {any} */ ({}), /** @type {any} */ ({})];
      for (const [name, value] of Object.entries(change)) (name in own ? mine : others)[name] = value;
      own = { ...own, ...mine };
      if (Object.keys(others).length > 0) base.set(others);
      else tell();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };

  const scene = createScene(shared, isColored(look), () => cells.bits);
  const receive = createReceiver(scene, store);
  const crowding = isColored(look) ? createCrowding(scene, store) : null;
  const drawn = widget.createLook(store, scene, crowding?.see ?? widget.crowd);

  /** Other points are on show: what colours those before means nothing for them. */
  function fit() {
    const n = base.get().points?.nPoints;
    const { color } = own;
    if (!color || n === undefined || color.nPoints === n) return;
    Object.assign(scene, { color: scene.nextColor, nextColor: null });
    own = { ...own, color: own.nextColor, nextColor: null };
  }

  const unsubscribe = base.subscribe((now, before) => {
    if (now.points?.nPoints !== before.points?.nPoints) fit();
    tell();
    if (now.link === "live" && before.link !== "live") ask();
  });
  const isHere = () => cells.seq > 0 && (own.color === undefined || own.color !== null);

  function ask() {
    if (base.get().link === "live") client.tell({ kind: "look", panel });
  }
  /** What is set is sent without being asked for, unless it was set before this was here. */
  const timer = setTimeout(() => !isHere() && ask(), isAsked ? 0 : PATIENCE_MS);

  widget.receivers.set(panel, (reply) => {
    if (reply.kind !== "filter") return receive(reply);
    if (reply.seq < cells.seq) return;
    const { bits } = reply.arrays;
    cells = { seq: reply.seq, n: bits.length > 0 ? reply.n_passing : null, bits: bits.length > 0 ? bits : null };
    tell();
  });
  return {
    store,
    createPlot: drawn.createPlot,
    isOf: (other) => isColored(other) === isColored(look),
    take(next) {
      if (next === look) return;
      look = next;
      tell();
    },
    destroy() {
      clearTimeout(timer);
      widget.receivers.delete(panel);
      unsubscribe();
      drawn.destroy();
      crowding?.destroy();
    },
  };
}

/** The arrays of a panel: positions and the selection are the widget's.
 * @param {Scene} shared @param {boolean} isColored @param {() => Uint8Array | null} bitsOf which points are its own @returns {Scene} */
function createScene(shared, isColored, bitsOf) {
  const flags = /** @type {ReturnType<typeof memo<Uint8Array | null>>} */ (memo());
  const bits = /** @type {ReturnType<typeof memo<Scene["bits"]>>} */ (memo());
  const scene = /** @type {Scene} */ ({ color: null, nextColor: null, image: null, cells: null });
  const of = (/** @type {keyof Scene} */ name) => ({
    get: () => shared[name],
    set: (/** @type {any} */ value) => void Object.assign(shared, { [name]: value }),
  });
  const parts = {
    // Before its colours are there it draws nothing.
    points: { get: () => (isColored && scene.color === null ? null : shared.points) },
    detail: of("detail"),
    brush: of("brush"),
    ...(isColored ? {} : { color: of("color"), nextColor: of("nextColor") }),
    bits: {
      get: () => bits([shared.bits, bitsOf()], () => ({ ...shared.bits, passing: bitsOf() ?? shared.bits.passing })),
    },
    flags: {
      get: () =>
        flags([shared.flags, bitsOf(), shared.points?.n], () => leftOut(shared.flags, bitsOf(), shared.points?.n ?? 0)),
    },
  };
  for (const [name, part] of Object.entries(parts)) Object.defineProperty(scene, name, { ...part, enumerable: true });
  return scene;
}

/** Flags as in `Scene`, of points some of which are another panel's. @param {Uint8Array | null} flags @param {Uint8Array | null} bits packed, null = all
 * are its own @param {number} n points @returns {Uint8Array | null} */
export function leftOut(flags, bits, n) {
  if (bits === null || bits.length !== Math.ceil(n / 8)) return flags;
  const all = flags?.slice() ?? new Uint8Array(n);
  for (let i = 0; i < n; i++) all[i] |= ((~bits[i >> 3] >> (i & 7)) & 1) << 1;
  return all;
}
