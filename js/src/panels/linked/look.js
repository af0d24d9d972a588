/** The state of one panel: the widget's state and arrays, except for what the panel overrides. */
// Changes with cxg_widget/display/looks.py and js/src/panels/linked/head.js: names of panels, and what they override.

import { memo } from "../../state/memo.js";
import { createReceiver } from "../../state/receive.js";
import { createStore } from "../../state/state.js";
import { createCrowding, ROOMY } from "../../style/crowding.js";
import { createAimed } from "./aimed.js";
import { PATIENCE_MS, placeOf } from "./place.js";

/**
 * @typedef {import("../../state/state.js").State} State
 * @typedef {import("../../state/state.js").Store} Store
 * @typedef {import("../../state/scene.js").Scene} Scene
 * @typedef {import("../../wire/constants.js").Look} Setting
 * @typedef {import("../../page/view.js").Model} Widget
 * @typedef {{store: Store, createPlot: import("../../page/view.js").CreatePlot, isOf: (look: Setting) => boolean, take: (look: Setting) => void, destroy: () => void}} Look
 *   isOf: whether it can take such settings; take: apply them
 */

/** Initial state of a panel that overrides the color. */
const COLORED = { color: null, nextColor: null, seen: null, counted: null, highlighted: -1, crowd: ROOMY };
/** Initial state of a panel with the color of the plot in another embedding. */
const APART = { seen: null, crowd: ROOMY };

/** @param {Setting} look */
const isColored = (look) => "color" in look;

/** Apply the overrides of a panel to the traits, as cxg_widget/display/looks.py does.
 * @param {State["traits"]} traits @param {Setting} look @returns {State["traits"]} */
export function traitsOf(traits, look) {
  const { embedding } = look;
  const at = embedding === undefined ? traits : { ...traits, embedding, axes: [0, 1] };
  if (!isColored(look)) return at;
  const { color = null, layer = traits.layer, cmap = traits.cmap, vmin = null, vmax = null } = look;
  return { ...at, color, layer, cmap, vmin, vmax, center: null, hidden: [] };
}

/** @param {Widget} widget @param {Setting} first @param {boolean} isRequested whether to request its arrays at once
 * @returns {Look} */
export function createLook(widget, first, isRequested) {
  const { store: base, client } = widget;
  const plots = { store: base, scene: widget.scene, ...widget.place };
  const panel = first.id;
  let look = first;
  let place = placeFor(look);
  let at = choose();
  /** @type {Partial<State>} */
  let own = { inView: null, ...(isColored(look) ? COLORED : {}) };
  /** Color state that depends on the embedding, for a panel with the color of the plot. @type {Partial<State>} */
  let apart = APART;
  /** The subset of a panel, as received. n and nShown as in `State.filter`; bits: its points, null = all. */
  let cells = {
    seq: 0,
    n: /** @type {number | null} */ (null),
    nShown: /** @type {number | null} */ (null),
    bits: /** @type {Uint8Array | null} */ (null),
  };
  const traits = /** @type {ReturnType<typeof memo<State["traits"]>>} */ (memo());
  const known = createStore(made());

  /** @param {Setting} of */
  function placeFor(of) {
    return of.embedding === undefined ? null : placeOf(widget, of.embedding, panel, isRequested);
  }

  function choose() {
    return place?.at() ?? plots;
  }

  function isApart() {
    return at.store !== base && !isColored(look);
  }

  /** @returns {State} */
  function made() {
    const all = at.store.get();
    return {
      ...all,
      ...own,
      ...(isApart()
        ? { ...apart, color: apart.color?.seq === all.color?.seq ? (apart.color ?? null) : all.color }
        : {}),
      panel,
      traits: traits([all.traits, look], () => traitsOf(all.traits, look)),
      filter: {
        seq: all.filter.seq + cells.seq,
        n: cells.n ?? all.filter.n,
        nShown: cells.nShown ?? all.filter.nShown,
      },
    };
  }

  /** Switch the place if the settings changed, or if the plot now shows this embedding or has left it. */
  function move() {
    const next = choose();
    if (next.store === at.store) return;
    const before = at;
    at = next;
    leaveStore();
    leaveStore = at.store.subscribe(follow);
    aimed.turn(before);
    scene.cells = null;
    if (isColored(look)) return;
    crowding?.destroy();
    crowding = null;
    apart = APART;
  }

  const tell = () => known.set(made());

  /** @type {Store} */
  const store = {
    get: known.get,
    set(change) {
      const [mine, others] = [/** @type {any} */ ({}), /** @type {any} */ ({})];
      for (const [name, value] of Object.entries(change)) (name in own ? mine : others)[name] = value;
      own = { ...own, ...mine };
      if (isApart()) {
        const { seen = apart.seen, crowd = apart.crowd, color } = others;
        // The plot's limits apply, because one legend describes both. A statistic per pixel has its own scale here.
        apart = { ...apart, seen, crowd, ...(color?.statistic ? { color } : {}) };
        for (const name of ["seen", "crowd", "color"]) delete others[name];
      }
      if (Object.keys(others).length > 0) at.store.set(others);
      else tell();
    },
    subscribe: known.subscribe,
  };

  const scene = createScene(
    () => at.scene,
    isColored(look),
    () => cells.bits,
  );
  const receive = createReceiver(scene, store);
  let crowding = isColored(look) ? createCrowding(scene, store) : null;
  /** @param {import("../../screen/camera.js").Viewport} viewport */
  function crowd(viewport) {
    if (isApart()) crowding ??= createCrowding(scene, store);
    (crowding?.see ?? widget.crowd)(viewport);
  }
  const aimed = createAimed(() => at);
  const drawn = widget.createLook(store, scene, crowd, aimed);

  /** Drop colors of other points, and take the next ones, after the points have changed. */
  function fit() {
    const n = base.get().points?.nPoints;
    const { color } = own;
    if (!color || n === undefined || color.nPoints === n) return;
    Object.assign(scene, { color: scene.nextColor, nextColor: null });
    own = { ...own, color: own.nextColor, nextColor: null };
  }

  /** @param {State} now @param {State} before */
  function follow(now, before) {
    move();
    if (now.points?.nPoints !== before.points?.nPoints) fit();
    tell();
    if (now.link === "live" && before.link !== "live") ask();
  }
  let leaveStore = at.store.subscribe(follow);
  const isHere = () => cells.seq > 0 && (own.color === undefined || own.color !== null);

  function ask() {
    if (base.get().link === "live") client.tell({ kind: "look", panel });
  }
  /** The kernel sends a new setting without a request; request it only if it was set before this page opened. */
  const timer = setTimeout(() => !isHere() && ask(), isRequested ? 0 : PATIENCE_MS);

  /** @type {Parameters<typeof widget.receivers.set>[1]} */
  const take = (reply) => {
    if (reply.kind === "points") return place?.receive(reply);
    if (reply.kind !== "filter") return receive(reply);
    if (reply.seq < cells.seq) return;
    const { bits } = reply.arrays;
    const isPart = bits.length > 0;
    const [n, nShown] = isPart ? [reply.n_passing, reply.n_shown] : [null, null];
    cells = { seq: reply.seq, n, nShown, bits: isPart ? bits : null };
    tell();
  };
  widget.receivers.set(panel, take);
  return {
    store,
    createPlot: drawn.createPlot,
    isOf: (other) => isColored(other) === isColored(look),
    take(next) {
      if (next === look) return;
      const before = place;
      if (String(next.embedding) !== String(look.embedding)) place = placeFor(next);
      look = next;
      move();
      if (before !== place) before?.leave();
      tell();
    },
    destroy() {
      clearTimeout(timer);
      if (widget.receivers.get(panel) === take) widget.receivers.delete(panel);
      leaveStore();
      drawn.destroy();
      aimed.view.destroy();
      crowding?.destroy();
      place?.leave();
    },
  };
}

/** The arrays of a panel: its own colors and subset, with the positions and the selection of its place.
 * @param {() => Scene} sharedOf @param {boolean} isColored
 * @param {() => Uint8Array | null} bitsOf the points of its subset @returns {Scene} */
function createScene(sharedOf, isColored, bitsOf) {
  const flags = /** @type {ReturnType<typeof memo<Uint8Array | null>>} */ (memo());
  const bits = /** @type {ReturnType<typeof memo<Scene["bits"]>>} */ (memo());
  const scene = /** @type {Scene} */ ({ color: null, nextColor: null, image: null, cells: null });
  const of = (/** @type {keyof Scene} */ name) => ({
    get: () => sharedOf()[name],
    set: (/** @type {any} */ value) => void Object.assign(sharedOf(), { [name]: value }),
  });
  const parts = {
    // A panel draws nothing until its colors have arrived.
    points: { get: () => (isColored && scene.color === null ? null : sharedOf().points) },
    former: of("former"),
    detail: of("detail"),
    brush: of("brush"),
    ...(isColored ? {} : { color: of("color"), nextColor: of("nextColor") }),
    bits: {
      get() {
        const { bits: all } = sharedOf();
        return bits([all, bitsOf()], () => ({ ...all, passing: bitsOf() ?? all.passing }));
      },
    },
    flags: {
      get() {
        const { flags: all, points } = sharedOf();
        return flags([all, bitsOf(), points?.n], () => leftOut(all, bitsOf(), points?.n ?? 0));
      },
    },
  };
  for (const [name, part] of Object.entries(parts)) Object.defineProperty(scene, name, { ...part, enumerable: true });
  return scene;
}

/** Flags as in `Scene`, with the points outside the panel's subset flagged as filtered out.
 * @param {Uint8Array | null} flags @param {Uint8Array | null} bits packed; null = all points belong to it
 * @param {number} n points @returns {Uint8Array | null} */
export function leftOut(flags, bits, n) {
  if (bits === null || bits.length !== Math.ceil(n / 8)) return flags;
  const all = flags?.slice() ?? new Uint8Array(n);
  for (let i = 0; i < n; i++) all[i] |= ((~bits[i >> 3] >> (i & 7)) & 1) << 1;
  return all;
}
