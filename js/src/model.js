/** Everything the views of one widget share: the talk with the kernel, the state, the arrays, what is looked at. */
import { seekCard, watchCard } from "./draw/card.js";
import { createClient } from "./wire/client.js";
import { createCounter } from "./state/counts.js";
import { ROOMY, createCrowding } from "./style/crowding.js";
import { createDetailer } from "./picture/detail.js";
import { inViewOf } from "./picture/in_view.js";
import { ofPixels } from "./style/limits.js";
import { createPainters } from "./draw/painter.js";
import { createPlot } from "./plot/plot.js";
import { MISSING_LABEL, VERSION } from "./wire/protocol.js";
import { createReceiver } from "./state/receive.js";
import { createScene } from "./state/scene.js";
import { createSharedView } from "./state/shared_view.js";
import { createSources } from "./draw/sources.js";
import { createStore } from "./state/state.js";
import { hideStandIns } from "./plot/still.js";
import { createSurface } from "./picture/surface.js";
import { createSurveyor } from "./picture/survey.js";

/**
 * @typedef {import("./state/state.js").Traits} Traits
 * @typedef {import("./state/state.js").State} State
 * @typedef {import("./wire/client.js").Comm & {
 *   get: (name: string) => any, set: (name: string, value: any) => void, save_changes: () => void,
 *   on: (event: string, listener: (...args: any[]) => void) => void, off: (event: string, listener: (...args: any[]) => void) => void
 * }} AnyModel the model that anywidget hands over
 *
 * @typedef {object} WidgetModel
 * @property {import("./state/state.js").Store} store
 * @property {import("./state/actions.js").Actions} actions
 * @property {import("./state/scene.js").Scene} scene
 * @property {(host: HTMLElement, statusOn?: HTMLElement) => import("./plot/plot.js").Plot} createPlot
 * @property {() => void} destroy
 */

/** A kernel that is silent for so long is taken for absent; it may still answer later. */
const SILENCE_MS = 8_000;
/** Before the first picture of all cells, those of a very large dataset may have to be fetched and indexed. */
const INDEX_MS = 600_000;
const MATCHES = 50;
/** So far the first points get ahead of the rest, which by the time it arrives finds them drawn. */
const HEAD_START_MS = 80;
/** @type {(keyof Traits)[]} */
const TRAITS = [
  "embedding", "axes", "color", "layer", "cmap", "vmin", "vmax", "point_size", "opacity", "tool", "view", "height", "panel_width", "wheel_zoom", "n_selected", "hidden",
  "density", "statistic", "legend", "background", "_snapshot",
];

/** @type {(keyof Traits)[]} */
const LIMITS = ["vmin", "vmax"];

/** Traits that make the kernel read. @type {Set<keyof Traits>} */
const ASKING = new Set(["color", "layer", "embedding", "axes"]);

/** @param {AnyModel} model @returns {WidgetModel} */
export function createWidgetModel(model) {
  const traits = /** @type {Traits} */ (Object.fromEntries(TRAITS.map((name) => [name, model.get(name)])));
  const store = createStore(firstState(traits));
  const scene = createScene();
  const crowding = createCrowding(scene, store); // before all others that look at the state
  const receive = createReceiver(scene, store);
  const client = createClient(model, {
    onReply(reply) {
      if (reply.kind === "error" && reply.of === "aggregate") surveyor.fail();
      if (store.get().link !== "live") store.set({ link: "live" });
      receive(reply);
    },
    onError: (of, message, details) => store.set({ error: { of, message, details } }),
    onLost: lose,
  });
  /** The kernel has gone, by a restart for one: what is on show stays, and nothing can be asked for. */
  function lose() {
    if (store.get().link === "offline") return;
    store.set({ link: "offline", building: null });
    client.abandon();
  }
  model.on("comm_live_update", lose);
  void client.ask({ kind: "ready", version: VERSION }, SILENCE_MS).then((answer) => {
    if (answer === null && store.get().link === "connecting") store.set({ link: "offline" });
  });
  const painters = createPainters(scene, store.get);
  const stage = { scene, sources: createSources(scene, store.get) };
  const view = createSharedView(traits.view, (next) => setTrait("view", next));
  const detailer = createDetailer(scene, store.get, async (wanted) => {
    const parts = await client.ask({ kind: "zoom", view: wanted });
    return /** @type {import("./wire/protocol.js").Detail[] | null} */ (parts);
  });
  const surveyor = createSurveyor(scene, store.get, async (question) => {
    const answer = await client.ask({ kind: "aggregate", ...question }, INDEX_MS);
    return /** @type {import("./picture/survey.js").Answer | null} */ (answer);
  }, (image) => {
    const { color } = store.get();
    if (color !== null && image.statistic) store.set({ color: ofPixels(color, image) });
  });
  /** @type {(() => void)[]} */
  const undo = [() => model.off("comm_live_update", lose)];
  /** @type {object | null} */
  let foremost = null;
  let hasBegun = false;

  /** @type {import("./state/actions.js").Actions["setTrait"]} */
  function setTrait(name, value) {
    takeTrait(name, value);
    model.set(name, value);
    try {
      model.save_changes();
    } catch {
      lose(); // the comm is closed
    }
  }

  /** @param {keyof Traits} name @param {any} value */
  function takeTrait(name, value) {
    const before = store.get().traits;
    if (before[name] === value) return;
    store.set({ traits: { ...before, [name]: value } });
    if (name === "view") view.take(value);
    if (name === "embedding" || name === "axes") view.take(null); // the kernel does the same
  }

  /** Another colouring is on its way, and its limits with it: those of the one on show stay as long as it does. */
  let isRecolored = false;
  const takeLimits = () => LIMITS.forEach((name) => takeTrait(name, model.get(name)));
  undo.push(
    store.subscribe((state, before) => {
      if (!isRecolored || (state.color?.seq === before.color?.seq && (state.error === null || state.error === before.error))) return;
      isRecolored = false;
      takeLimits();
    }),
  );
  for (const name of TRAITS) {
    const listener = () => {
      if (name === "color" || name === "layer") isRecolored = true;
      if (!isRecolored || !LIMITS.includes(name)) takeTrait(name, model.get(name));
    };
    model.on(`change:${name}`, listener);
    undo.push(() => model.off(`change:${name}`, listener));
  }
  const count = createCounter(store, async () => /** @type {import("./wire/protocol.js").Counts | undefined} */ ((await client.ask({ kind: "count" }))?.[0]));
  undo.push(hideStandIn(store), store.subscribe(surveyor.check), store.subscribe(count), painters.free);
  const stopSeeking = seekCard(store, (shared) => {
    painters.use(shared);
    undo.push(watchCard(shared.canvas, store));
    store.set({ drawnBy: "gpu" });
  });
  undo.push(stopSeeking);

  /** Ask for a change of the selection, and take note if it changed nothing. @param {{kind: "lasso" | "category", mode: import("./wire/protocol.js").Mode} & Record<string, any>} request */
  async function select(request) {
    const { n } = store.get().selection;
    const answer = await client.ask(request);
    const { selection } = store.get();
    const found = /** @type {import("./wire/protocol.js").Selection | undefined} */ (answer?.[0]);
    const isSame = found?.seq === selection.seq && (selection.n === 0 || (request.mode !== "replace" && selection.n === n));
    if (isSame) store.set({ selection: { ...selection, missed: true } });
  }

  const actions = createActions({ store, client, setTrait, takeTrait, select, resetView: view.reset });

  /** @type {import("./plot/plot.js").PlotModel} */
  const plotModel = {
    store,
    actions,
    view,
    createSurface: (site) => createSurface(painters.of(store.get().drawnBy), stage, site, surveyor),
    begin() {
      if (!hasBegun) setTimeout(client.tell, HEAD_START_MS, { kind: "begun" });
      hasBegun = true;
    },
    see(plot, look) {
      if (look !== null) crowding.see(look);
      for (const one of [detailer, surveyor]) look === null ? one.forget(plot) : one.see(plot, look);
    },
    select: (polygon, mode) => void select({ kind: "lasso", polygon, mode }),
    async cellAt([x, y], [radius_x, radius_y], waitMs) {
      const answer = await client.ask({ kind: "hover", x, y, radius_x, radius_y }, waitMs);
      const cell = /** @type {import("./wire/protocol.js").Cell | undefined} */ (answer?.[0]);
      return cell === undefined || cell.row < 0 ? null : cell;
    },
    shows(look) {
      const [now, next] = [store.get().inView, inViewOf(scene, store.get(), look)];
      if (now?.as !== next?.as || now?.lacks !== next?.lacks) store.set({ inView: next });
    },
    isForemost: (plot) => foremost === plot,
    touch: (plot) => void (foremost = plot),
    // A trait, not a message: a host saves the traits it holds itself, and the kernel does not send this one back.
    keepStill: (still) => setTrait("_snapshot", { ...model.get("_snapshot"), ...still }),
  };

  return {
    store,
    actions,
    scene,
    createPlot: (host, statusOn) => createPlot(host, plotModel, statusOn),
    destroy() {
      for (const one of undo.splice(0)) one();
      crowding.destroy();
      detailer.destroy();
      surveyor.destroy();
      view.destroy();
      client.close();
    },
  };
}

/** @param {Traits} traits @returns {State} */
function firstState(traits) {
  return {
    traits,
    dataset: null,
    points: null,
    color: null,
    nextColor: null,
    selection: { seq: -1, n: 0 },
    counted: null,
    inView: null,
    highlighted: -1,
    cell: null,
    found: { query: "", matches: [], nMore: 0 },
    error: null,
    link: "connecting",
    drawnBy: "cpu",
    building: null,
    crowd: ROOMY,
    isSeen: false,
    isWhole: false,
    seen: null,
  };
}

/**
 * @param {{store: import("./state/state.js").Store, client: import("./wire/client.js").Client, setTrait: import("./state/actions.js").Actions["setTrait"],
 *   takeTrait: (name: keyof Traits, value: any) => void, select: (request: any) => Promise<void>, resetView: () => void}} model
 * @returns {import("./state/actions.js").Actions}
 */
function createActions({ store, client, setTrait, takeTrait, select, resetView }) {
  /** Labels of the legend; the missing values come last. */
  function labels() {
    const { color } = store.get();
    return color === null ? [] : color.nMissing > 0 ? [...color.categories, MISSING_LABEL] : color.categories;
  }
  return {
    setTrait(name, value) {
      if (ASKING.has(name)) store.set({ error: null }); // of what was wanted before
      setTrait(name, value);
    },
    dragLimit: (name, value, done) => (done ? setTrait : takeTrait)(name, value),
    async search(query) {
      const answer = await client.ask({ kind: "search", query, limit: MATCHES });
      const found = /** @type {import("./wire/protocol.js").Matches | undefined} */ (answer?.[0]);
      if (found === undefined) return;
      const matches = /** @type {import("./state/state.js").Match[]} */ (found.matches);
      store.set({ found: { query: found.query, matches, nMore: found.n_more } });
    },
    toggleCategory(index) {
      const label = labels()[index];
      const { hidden } = store.get().traits;
      setTrait("hidden", hidden.includes(label) ? hidden.filter((one) => one !== label) : [...hidden, label]);
    },
    onlyCategory(index) {
      const others = labels().filter((_, i) => i !== index);
      const hidden = new Set(store.get().traits.hidden);
      const isOnly = hidden.size === others.length && others.every((label) => hidden.has(label));
      setTrait("hidden", isOnly ? [] : others);
    },
    showAll: () => setTrait("hidden", []),
    selectCategory(index, mode) {
      const { color } = store.get();
      if (color !== null) void select({ kind: "category", color: color.spec, code: index < color.categories.length ? index : -1, mode });
    },
    highlight(index) {
      if (index !== store.get().highlighted) store.set({ highlighted: index });
    },
    clearSelection: () => void client.ask({ kind: "clear" }),
    resetView,
    dismissError: () => store.set({ error: null }),
  };
}

/** Hide what stands in for the widget, unless it has nothing to show itself. From the start: to lay out and paint a picture
 * that is gone a moment later would hold up the first points. @param {import("./state/state.js").Store} store @returns {() => void} */
function hideStandIn(store) {
  /** @type {(() => void) | null} */
  let show = null;
  const check = (/** @type {State} */ { link, traits, isSeen }) => {
    const still = traits._snapshot;
    const isHidden = Boolean(still?.id) && (link !== "offline" || isSeen || Boolean(still?.png));
    if (isHidden) show ??= hideStandIns(/** @type {string} */ (still?.id));
    else {
      show?.();
      show = null;
    }
  };
  check(store.get());
  const unsubscribe = store.subscribe(check);
  return () => (unsubscribe(), show?.());
}
