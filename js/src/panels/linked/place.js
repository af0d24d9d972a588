/** An embedding other than the plot's: positions, camera, names and contours, shared by all panels that show it. */

import { createDetailer } from "../../picture/detail.js";
import { createViewports } from "../../picture/viewports.js";
import { memo } from "../../state/memo.js";
import { createReceiver } from "../../state/receive.js";
import { createScene } from "../../state/scene.js";
import { createSharedView } from "../../state/shared_view.js";
import { createStore } from "../../state/state.js";
import { askForLandmarks } from "../overlays/landmark_requests.js";

/**
 * @typedef {import("../../state/state.js").State} State
 * @typedef {import("../../state/state.js").Store} Store
 * @typedef {import("../../state/state.js").Cell} Cell
 * @typedef {import("../../state/scene.js").Scene} Scene
 * @typedef {import("../../page/view.js").Model} Widget
 *
 * @typedef {object} Place an embedding; the plot's is one too
 * @property {Store} store
 * @property {Scene} scene
 * @property {import("../../state/shared_view.js").SharedView} view
 * @property {import("../../page/view.js").Place["see"]} see
 *
 * @typedef {object} OwnPlace
 * @property {() => Place} at this place, or the plot's while the plot shows the same embedding
 * @property {() => State} state
 * @property {(reply: import("../../wire/protocol.js").Points) => void} receive
 * @property {() => void} reset fit all cells in the view
 * @property {() => void} leave call it when a panel needs the place no longer
 */

/** How long to wait for arrays that the kernel sends without a request. */
export const PATIENCE_MS = 1_000;
/** A coordinate outside every view. */
const NOWHERE = 1e30;
/** State that each embedding has of its own. */
const OWN = { points: null, labels: null, contours: null, difference: null };

/** The places of a widget, shared by all its views.
 * @type {WeakMap<Store, Map<string, {place: Omit<OwnPlace, "leave">, users: Set<{panel: number}>,
 *   destroy: () => void}>>} */
const PLACES = new WeakMap();

/** @param {string[]} place value of the trait @param {number[]} axes */
const keyOf = (place, axes) => JSON.stringify([place, axes]);

/** The places that the plot does not show. @param {Store} store @returns {Omit<OwnPlace, "leave">[]} */
export function placesOf(store) {
  const all = [...(PLACES.get(store)?.values() ?? [])].map(({ place }) => place);
  return all.filter((place) => place.at().store !== store);
}

/** The shared place of an embedding that a panel overrides; created for the first panel.
 * @param {Widget} widget @param {string | string[]} embedding @param {number} panel
 * @param {boolean} isRequested whether to request positions at once
 * @returns {OwnPlace} */
export function placeOf(widget, embedding, panel, isRequested) {
  const places = PLACES.get(widget.store) ?? new Map();
  PLACES.set(widget.store, places);
  const key = keyOf([embedding].flat(), [0, 1]);
  const user = { panel };
  const known = places.get(key);
  const { place, users, destroy } = known ?? createPlace(widget, key, new Set([user]), isRequested);
  if (known === undefined) places.set(key, { place, users, destroy });
  users.add(user);
  const leave = () => {
    if (!users.delete(user) || users.size > 0) return;
    places.delete(key);
    destroy();
  };
  return { ...place, leave };
}

/** @param {Widget} widget @param {string} key @param {Set<{panel: number}>} users panels that show it @param {boolean} isRequested */
function createPlace(widget, key, users, isRequested) {
  const { store: base, scene: shared, client, actions } = widget;
  const plots = { store: base, scene: shared, ...widget.place };
  /** @type {Partial<State>} */
  let own = OWN;
  /** Arrays of this place: positions only. */
  const held = createScene();
  const cells = /** @type {ReturnType<typeof memo<Cell | null>>} */ (memo());
  const known = createStore(made());

  const isPlots = () => {
    const { points } = base.get();
    return points !== null && keyOf(points.place ?? [], points.axes) === key;
  };
  /** Whether the plot shows this embedding and no change of it is pending. */
  function isShared() {
    const { embedding, axes } = base.get().traits;
    return isPlots() && keyOf([embedding ?? []].flat(), axes) === key;
  }
  /** Whether the positions belong to the points that are colored now. */
  function fits() {
    const [mine, others] = [own.points, base.get().points];
    return mine?.nPoints === others?.nPoints && mine?.aggregated === others?.aggregated;
  }

  /** @returns {State} */
  function made() {
    const all = base.get();
    const [user] = users;
    const points = own.points && fits() ? own.points : null;
    return {
      ...all,
      ...own,
      points,
      panel: user?.panel ?? all.panel,
      cell: cells([all.cell], () => cellHere(all.cell)),
    };
  }

  const tell = () => known.set(made());

  /** Convert a cell to the coordinates of this place. @param {Cell | null} cell @returns {Cell | null} */
  function cellHere(cell) {
    const mine = [...users].map(({ panel }) => panel);
    const found = cell?.elsewhere?.find(([panel]) => mine.includes(panel));
    return cell && found ? { ...cell, x: found[1], y: found[2] } : null;
  }

  /** Convert a cell of this place to the coordinates of the plot. @param {Cell | null} cell @returns {Cell | null} */
  function cellOfPlot(cell) {
    if (cell === null) return null;
    const [, x, y] = cell.elsewhere?.find(([panel]) => panel === 0) ?? [0, NOWHERE, NOWHERE];
    const here = [...users].map(({ panel }) => [panel, cell.x, cell.y]);
    return { ...cell, x, y, elsewhere: [...(cell.elsewhere ?? []), ...here] };
  }

  /** @type {Store} */
  const store = {
    get: known.get,
    set(change) {
      const [mine, others] = [/** @type {any} */ ({}), /** @type {any} */ ({})];
      for (const [name, value] of Object.entries(change)) (name in OWN ? mine : others)[name] = value;
      own = { ...own, ...mine };
      if ("cell" in others) others.cell = cellOfPlot(others.cell);
      if (Object.keys(others).length > 0) base.set(others);
      else tell();
    },
    subscribe: known.subscribe,
  };

  const scene = /** @type {Scene} */ ({ image: null, cells: null });
  const mine = (/** @type {"former" | "detail"} */ name) => ({
    get: () => held[name],
    set: (/** @type {any} */ value) => void Object.assign(held, { [name]: value }),
  });
  const others = (/** @type {keyof Scene} */ name) => ({
    get: () => shared[name],
    set: (/** @type {any} */ value) => void Object.assign(shared, { [name]: value }),
  });
  const parts = {
    points: { get: () => (fits() ? held.points : null) },
    former: mine("former"),
    detail: mine("detail"),
    ...Object.fromEntries(
      /** @type {const} */ (["color", "nextColor", "bits", "flags", "brush"]).map((name) => [name, others(name)]),
    ),
  };
  for (const [name, part] of Object.entries(parts)) Object.defineProperty(scene, name, { ...part, enumerable: true });

  const viewIn = (/** @type {State} */ { traits }) =>
    traits.views.find((one) => keyOf([one.embedding].flat(), [0, 1]) === key)?.view ?? null;
  const view = createSharedView(viewIn(base.get()), (next) => {
    const { views } = base.get().traits;
    const [embedding] = JSON.parse(key);
    const others = views.filter((one) => keyOf([one.embedding].flat(), [0, 1]) !== key);
    const mine = next === null ? [] : [{ embedding: embedding.length > 1 ? embedding : embedding[0], view: next }];
    if (next !== viewIn(base.get())) actions.setTrait("views", [...others, ...mine]);
  });
  const viewports = createViewports();
  const detailer = createDetailer(scene, store.get, viewports, async (wanted) => {
    const parts = await client.ask({ kind: "zoom", panel: known.get().panel, view: wanted });
    return /** @type {import("../../wire/protocol.js").Detail[] | null} */ (parts);
  });
  /** Receives positions only: the plot has the colors and flags of the points. */
  const take = createReceiver(held, {
    ...store,
    get: () => ({ ...known.get(), points: own.points ?? null }),
    set: ({ points }) => points && store.set({ points }),
  });

  /** Drop positions that no panel shows or that belong to other points. */
  function clear() {
    Object.assign(held, createScene());
    own = OWN;
  }

  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  function askSoon(ms = PATIENCE_MS) {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (own.points || isPlots() || base.get().link !== "live") return;
      client.tell({ kind: "place", panel: known.get().panel });
    }, ms);
  }

  const unsubscribe = base.subscribe((now, before) => {
    if (String(viewIn(now)) !== String(viewIn(before))) view.take(viewIn(now));
    const isBack = now.link === "live" && before.link !== "live";
    const isCut = isBack && held.points?.loaded !== held.points?.n; // the rest may be lost
    if (own.points && (isShared() || isCut || (now.points !== before.points && !fits()))) clear();
    tell();
    if ((isBack || now.points?.seq !== before.points?.seq) && !own.points) askSoon();
  });
  askSoon(isRequested ? 0 : PATIENCE_MS);
  const stopAsking = askForLandmarks(store, client);

  /** @type {Place} */
  const at = {
    store,
    scene,
    view,
    see(plot, viewport, refresh) {
      if (viewport === null) return viewports.forget(plot);
      viewports.see(plot, viewport, refresh);
      detailer.check();
    },
  };
  return {
    users,
    place: {
      at: () => (isPlots() ? plots : at),
      state: known.get,
      reset: view.reset,
      receive(/** @type {Parameters<OwnPlace["receive"]>[0]} */ reply) {
        if (isShared() || reply.seq < (own.points?.seq ?? 0)) return;
        const { points } = own;
        if (points && (points.nPoints !== reply.n_points || points.aggregated !== reply.aggregated)) clear();
        take(/** @type {any} */ (reply));
      },
    },
    destroy() {
      clearTimeout(timer);
      unsubscribe();
      stopAsking();
      detailer.destroy();
      view.destroy();
      clear();
    },
  };
}
