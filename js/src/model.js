/** The model of one widget: the client, the state, the arrays and the shared view behind all its views. */

import { createCpuLoop } from "./draw/cpu/picture.js";
import { createPainters } from "./draw/painter.js";
import { createSources } from "./draw/sources.js";
import { seekCard, watchCard } from "./draw/which_painter.js";
import { createModuleLoader } from "./page/second_module.js";
import { createDetailer } from "./picture/detail.js";
import { inViewOf } from "./picture/report.js";
import { createSurface } from "./picture/surface.js";
import { createViewRequester } from "./picture/view_request.js";
import { createViewports } from "./picture/viewports.js";
import { createPlot } from "./plot/plot.js";
import { createActions, select } from "./state/actions.js";
import { createCounter } from "./state/counts.js";
import { createReceiver } from "./state/receive.js";
import { createScene } from "./state/scene.js";
import { createSharedView } from "./state/shared_view.js";
import { createStore } from "./state/state.js";
import { syncTraits, traitsOf } from "./state/traits.js";
import { createCrowding, ROOMY } from "./style/crowding.js";
import { ofPixels } from "./style/limits.js";
import { createClient, watchConnection } from "./wire/client.js";
import { VERSION } from "./wire/protocol.js";

/**
 * @typedef {import("./state/state.js").Traits} Traits
 * @typedef {import("./state/state.js").State} State
 * @typedef {import("./wire/client.js").Comm & import("./state/traits.js").Host} AnyModel the model that anywidget hands over
 *
 * @typedef {import("./page/view.js").Model & {createPlot: CreatePlot, destroy: () => void}} WidgetModel
 * @typedef {import("./page/view.js").CreatePlot} CreatePlot
 * @typedef {import("./page/view.js").Look} Look
 * @typedef {import("./page/view.js").CreateLook} CreateLook
 */

/** A kernel that is silent for so long is taken for absent; it may still answer later. */
const SILENCE_MS = 8_000;
/** Before the first picture of all cells, those of a very large dataset may have to be fetched and indexed. */
const INDEX_MS = 600_000;
/** So far the first points get ahead of the rest, which by the time it arrives finds them drawn. */
const HEAD_START_MS = 80;

/** @param {AnyModel} model @returns {WidgetModel} */
export function createWidgetModel(model) {
  const store = createStore(firstState(traitsOf(model)));
  const scene = createScene();
  const crowding = createCrowding(scene, store); // before all others that look at the state
  const receive = createReceiver(scene, store);
  const client = createClient(model, {
    onReply(reply) {
      if (reply.kind === "error" && reply.of === "aggregate") failImages();
      if (store.get().link !== "live") store.set({ link: "live" });
      if ("panel" in reply && reply.panel > 0) receivers.get(reply.panel)?.(reply);
      else receive(reply);
    },
    onError(of, message, details) {
      const { error } = store.get();
      const isOfFilter = error?.of === "filter" && error.message === message; // the table has sent a filter that is refused
      store.set({ error: { of: isOfFilter ? "filter" : of, message, details } });
    },
    onLost: lose,
  });
  /** The kernel has gone, by a restart for one: what is on show stays, and nothing can be requested. */
  function lose() {
    if (store.get().link === "offline") return;
    store.set({ link: "offline", building: null, awaited: "" });
    client.abandon();
  }
  model.on("comm_live_update", lose);
  const begin = () => client.ask({ kind: "ready", version: VERSION }, SILENCE_MS);
  void begin().then((answer) => {
    if (answer === null && store.get().link === "connecting") store.set({ link: "offline" });
  });
  const unwatch = watchConnection(model, {
    onCut: () => store.get().link !== "offline" && store.set({ link: "cut" }),
    onBack() {
      if (store.get().link === "offline") return; // by a restart
      store.set({ link: "live" });
      traits.repeat();
      client.repeat();
      void begin(); // what was on its way is lost
    },
  });
  /** @type {WidgetModel["receivers"]} */
  const receivers = new Map();
  /** @type {Set<Look>} */
  const looks = new Set();
  const failImages = () => looks.forEach(({ requester }) => requester.fail());
  /** @type {WidgetModel["together"]} */
  const together = { draws: new Set(), reset: null };
  /** @type {import("./draw/gl/context.js").Shared | null} */
  let card = null;
  const loop = createCpuLoop();
  const view = createSharedView(store.get().traits.view, (next) => traits.set("view", next));
  const traits = syncTraits(model, store, {
    onTake(name, value) {
      if (name === "view") view.take(value);
      if (name === "embedding" || name === "axes") view.take(null); // the kernel does the same
    },
    onLost: lose,
  });
  const viewports = createViewports();
  const detailer = createDetailer(scene, store.get, viewports, async (wanted) => {
    const parts = await client.ask({ kind: "zoom", view: wanted });
    return /** @type {import("./wire/protocol.js").Detail[] | null} */ (parts);
  });
  const count = createCounter(
    store,
    async () =>
      /** @type {import("./wire/protocol.js").Counts | undefined} */ (
        (await client.ask({ kind: "count", panel: 0 }))?.[0]
      ),
  );
  /** @type {(() => void)[]} */
  const undo = [
    () => model.off("comm_live_update", lose),
    unwatch,
    traits.destroy,
    store.subscribe(count),
    store.subscribe(createModuleLoader(store, client, () => traits.set("open_panels", []))),
  ];
  const stopSeeking = seekCard(store, (shared) => {
    card = shared;
    undo.push(watchCard(shared.canvas, store));
    store.set({ drawnBy: "gpu" });
  });
  const actions = createActions(scene, store, client, traits, () => (view.reset(), together.reset?.()), failImages);
  /** Those there are, the one used last at the end. @type {Set<object>} */
  const plots = new Set();
  let hasBegun = false;

  /** @type {WidgetModel["place"]} */
  const place = {
    view,
    see(plot, viewport, refresh) {
      if (viewport === null) return viewports.forget(plot);
      viewports.see(plot, viewport, refresh);
      detailer.check();
    },
  };

  /** @type {CreateLook} */
  function createLook(store, scene, crowd, at = place) {
    const painters = createPainters(scene, store.get, () => card, loop);
    const stage = { scene, sources: createSources(scene, store.get) };
    const seen = createViewports();
    const requester = createViewRequester(
      scene,
      store.get,
      seen,
      async (question) => {
        const answer = await client.ask({ kind: "aggregate", ...question }, INDEX_MS);
        return /** @type {import("./picture/view_request.js").Answer | null} */ (answer);
      },
      (image) => {
        const { color } = store.get();
        if (color !== null && image.statistic) store.set({ color: ofPixels(color, image) });
      },
    );
    const unsubscribe = store.subscribe(requester.check);

    /** @type {import("./plot/plot.js").PlotModel} */
    const plotModel = {
      store,
      actions,
      client,
      positions: () => scene.points,
      view: at.view,
      together,
      createSurface: (site) => createSurface(painters.get(), stage, site, requester),
      begin() {
        if (!hasBegun) setTimeout(client.tell, HEAD_START_MS, { kind: "begun" });
        hasBegun = true;
      },
      see(plot, viewport, refresh) {
        at.see(plot, viewport, refresh);
        if (viewport === null) return seen.forget(plot);
        crowd(viewport);
        seen.see(plot, viewport, refresh);
        requester.check();
      },
      select: (polygon, mode) => void select(store, client, { kind: "lasso", panel: store.get().panel, polygon, mode }),
      async cellAt([x, y], [radius_x, radius_y], waitMs) {
        const answer = await client.ask({ kind: "hover", panel: store.get().panel, x, y, radius_x, radius_y }, waitMs);
        const cell = /** @type {import("./wire/protocol.js").Cell | undefined} */ (answer?.[0]);
        return cell === undefined || cell.row < 0 ? null : cell;
      },
      shows(viewport) {
        const [now, next] = [store.get().inView, inViewOf(scene, store.get(), viewport)];
        if (now?.as !== next?.as || now?.lacks !== next?.lacks) store.set({ inView: next });
      },
      isForemost: (plot) => [...plots].pop() === plot,
      touch: (plot) => void (plots.delete(plot), plots.add(plot)),
      leave: (plot) => void plots.delete(plot),
      // A trait, not a message: a host saves the traits it holds itself, and the kernel does not send this one back.
      keepStill: (still) => traits.set("_snapshot", { ...model.get("_snapshot"), ...still }),
    };
    /** @type {Look} */
    const look = {
      requester,
      createPlot: (host, statusOn, say) => createPlot(host, plotModel, statusOn, say),
      destroy() {
        looks.delete(look);
        unsubscribe();
        painters.free();
        requester.destroy();
      },
    };
    looks.add(look);
    return look;
  }

  const own = createLook(store, scene, crowding.see);
  undo.push(own.destroy, stopSeeking, crowding.destroy, detailer.destroy, view.destroy, client.close);
  return {
    store,
    actions,
    client,
    scene,
    createPlot: own.createPlot,
    createLook,
    receivers,
    together,
    place,
    crowd: crowding.see,
    destroy() {
      for (const one of undo.splice(0)) one();
    },
  };
}

/** @param {Traits} traits @returns {State} */
function firstState(traits) {
  return {
    traits,
    panel: 0,
    dataset: null,
    points: null,
    color: null,
    nextColor: null,
    selection: { seq: -1, n: 0 },
    filter: { seq: -1, n: null, nShown: null },
    brush: null,
    counted: null,
    columns: {},
    inView: null,
    highlighted: -1,
    cell: null,
    marked: null,
    found: { query: "", matches: [], nMore: 0 },
    error: null,
    link: "connecting",
    drawnBy: "cpu",
    building: null,
    awaited: "",
    compared: 0,
    kept: [],
    cost: null,
    needsPanels: false,
    needsQuietly: false,
    panels: null,
    landmarks: null,
    keyShape: null,
    pictures: null,
    saveFile: null,
    travel: null,
    fade: null,
    linkPlots: null,
    notesOnPlot: null,
    summaryOf: null,
    labels: null,
    contours: null,
    crowd: ROOMY,
    isSeen: false,
    isWhole: false,
    seen: null,
  };
}
