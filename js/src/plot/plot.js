/** One plot: a canvas, what lies over it, and the hands on it. What is drawn is the surface's affair, what it means the model's. */
import * as cameras from "../screen/camera.js";
import { toolOf } from "../state/state.js";
import { diameterOf } from "../style/style.js";
import { PAPERS } from "../wire/constants.js";
import { createAxes, layoutAxes } from "./axes.js";
import { changeBetween } from "./changes.js";
import { listenToGestures } from "./gestures.js";
import { createOverlay } from "./overlay.js";
import { createCellFinder } from "./pointed_cell.js";
import { createProgressReport } from "./progress.js";
import { roomIn, watchRoom } from "./room.js";
import { createSavedPictures } from "./saved.js";
import { stillImage } from "./still.js";

/**
 * @typedef {import("../screen/camera.js").Camera} Camera
 * @typedef {import("../style/style.js").Theme} Theme
 * @typedef {import("../state/state.js").State} State
 * @typedef {import("../picture/surface.js").Surface} Surface
 * @typedef {import("../picture/surface.js").Change} Change
 *
 * @typedef {object} PlotModel the model as a plot sees it
 * @property {import("../state/state.js").Store} store
 * @property {import("../state/actions.js").Actions} actions
 * @property {import("../state/shared_view.js").SharedView} view
 * @property {(site: import("../picture/surface.js").Site) => Surface} createSurface drawn by whom the state says
 * @property {() => void} begin the first points are being drawn
 * @property {(plot: object, viewport: import("../screen/camera.js").Viewport | null, refresh: () => void) => void} see what a plot
 *   shows now; null = nothing any more; refresh: draws it anew
 * @property {(polygon: number[], mode: import("../wire/protocol.js").Mode) => void} select
 * @property {(at: [number, number], radii: [number, number], waitMs: number) => Promise<import("../state/state.js").Cell | null>} cellAt data units
 * @property {(viewport: Omit<import("../screen/camera.js").Viewport, "diameter" | "dark">) => void} shows a picture has come on the screen
 * @property {(plot: object) => boolean} isForemost the view used last
 * @property {(plot: object) => void} touch
 * @property {(still: import("../state/state.js").Still) => void} keepStill
 *
 * @typedef {object} Plot
 * @property {HTMLElement} element
 * @property {(theme: Theme) => void} setTheme
 * @property {(scale?: number) => Promise<Blob>} png scale: px per CSS px
 * @property {() => void} destroy
 */

const HOVER_PX = 6;
const LABEL =
  "Scatterplot. Arrow keys move, plus and minus zoom, 0 shows everything, P, L and R pick a tool, Escape clears the selection.";

/**
 * @param {HTMLElement} host the plot fills it
 * @param {PlotModel} model
 * @param {HTMLElement} [statusOn] gets data-cxg-state, data-cxg-drawn and data-cxg-view
 * @returns {Plot}
 */
export function createPlot(host, model, statusOn = host) {
  const { store } = model;
  const element = createElement();
  const overlay = createOverlay();
  const axes = createAxes();
  element.append(overlay.element);
  host.append(element, axes.element);
  const report = createProgressReport(statusOn, store);
  /** @type {Theme} */
  let theme = PAPERS.white;
  let room = { size: { width: 0, height: 0, ratio: 1 }, margin: 0 };
  let isOnScreen = true;
  let isMoving = false;
  /** @type {Camera | null} */
  let camera = null;
  /** The shape being drawn. @type {{shape: import("./lasso.js").Shape, mode: import("../wire/protocol.js").Mode} | null} */
  let outline = null;
  /** @type {HTMLImageElement | null} */
  let still = null;

  /** @type {import("../picture/surface.js").Site} */
  const site = {
    camera: () => camera,
    zoom,
    size: () => room.size,
    theme: () => theme,
    state: store.get,
    isShown: () => isOnScreen && room.size.width > 0 && room.size.height > 0,
    isMoving: () => isMoving,
    onBegin: model.begin,
    onFrame(progress) {
      if (progress.isComplete || isMoving) surfaces.retire();
      still?.remove();
      still = null;
      report.progress(progress);
      if (camera !== null) model.shows({ camera, view: cameras.visible(camera), ratio: room.size.ratio });
      saved.stop();
      if (progress.drawn > 0 || progress.isComplete) noteSeen(store, progress.isComplete);
      if (progress.isComplete) saved.keepSoon();
    },
  };
  const surfaces = createSurfaces(element, () => model.createSurface(site));
  const saved = createSavedPictures({
    element,
    store,
    surface: surfaces.get,
    room: () => room,
    theme: site.theme,
    camera: site.camera,
    isToKeep: () =>
      !isMoving && surfaces.get().progress().isComplete && model.isForemost(plot) && store.get().link === "live",
    keep: model.keepStill,
  });

  function whole() {
    const { points } = store.get();
    return points && cameras.fit(points.extent, room.size.width, room.size.height, points.yDown, points.equalUnits);
  }

  function zoom() {
    const all = whole();
    return camera === null || all === null ? 1 : cameras.zoomOver(camera, all);
  }

  function diameterPx() {
    return camera === null ? 0 : diameterOf(store.get(), camera, zoom());
  }

  /** Look anew at what all plots look at. @param {Change} change */
  function look(change) {
    const { points } = store.get();
    const view = model.view.get();
    if (change === "all") measure();
    const { width, height } = room.size;
    camera =
      points && (view === null ? whole() : cameras.contain(view, width, height, points.yDown, points.equalUnits));
    if (camera !== null) report.view(cameras.visible(camera));
    tellWhatIsSeen();
    redraw(change);
    const labels = points?.axisLabels ?? [];
    axes.draw(layoutAxes(camera, labels, room.margin), labels);
    drawOverlay();
  }

  function tellWhatIsSeen() {
    if (camera === null) return;
    const { width, height, ratio } = room.size;
    const isEmpty = width === 0 || height === 0; // in a tab that is not on show
    const diameter = Math.round(diameterPx() * ratio);
    model.see(plot, isEmpty ? null : { camera, view: cameras.visible(camera), ratio, diameter, dark: theme.dark }, () =>
      redraw("look"),
    );
  }

  /** @param {Change} change */
  function redraw(change) {
    surfaces.get().invalidate(change);
    report.progress(surfaces.get().progress());
  }

  function drawOverlay() {
    const { cell } = store.get();
    const at = camera;
    const corners = outline?.shape.corners() ?? [];
    const pairs =
      at === null
        ? []
        : Array.from({ length: corners.length / 2 }, (_, i) => cameras.toPx(at, corners[2 * i], corners[2 * i + 1]));
    const isClosed = outline?.shape.kind === "rectangle" && pairs.length > 0;
    overlay.outline(isClosed ? [...pairs, pairs[0]] : pairs, outline?.mode ?? "replace");
    overlay.ring(cell === null || at === null ? null : cameras.toPx(at, cell.x, cell.y), diameterPx() / 2 + 3);
  }

  /** @param {(from: Camera, points: import("../state/state.js").Points) => Camera} how */
  function move(how) {
    const { points } = store.get();
    if (camera === null || points === null) return;
    isMoving = true;
    model.touch(plot);
    model.view.move(cameras.visible(cameras.keepOver(how(camera, points), points.extent)));
  }

  const finder = createCellFinder(
    async (px, py, waitMs) => {
      if (camera === null || store.get().link !== "live") return null;
      const radius = Math.max(diameterPx() / 2, HOVER_PX);
      const [perX, perY] = cameras.scales(camera);
      return model.cellAt(cameras.toData(camera, px, py), [radius * perX, radius * perY], waitMs);
    },
    (cell) => {
      if (cell !== store.get().cell) store.set({ cell });
    },
  );

  const stopGestures = listenToGestures(element, {
    tool: () => (store.get().link === "offline" ? null : store.get().traits.tool),
    toData: (px, py) => (camera === null ? [0, 0] : cameras.toData(camera, px, py)),
    pan: (dx, dy) => move((from) => cameras.pan(from, dx, dy)),
    zoom: (factor, px, py) =>
      move((from, { extent, equalUnits }) => {
        const { width, height, ratio } = room.size;
        return cameras.zoomAt(from, factor, px, py, cameras.zoomRange(extent, width, height, ratio, equalUnits));
      }),
    settle() {
      if (!isMoving) return;
      isMoving = false;
      model.view.settle();
    },
    outline(shape, mode) {
      outline = shape && { shape, mode };
      drawOverlay();
    },
    select(polygon, mode) {
      model.touch(plot);
      model.select(polygon, mode);
    },
    point: finder.point,
    leave: finder.leave,
    zooms: (isAsked) => camera !== null && (isAsked || store.get().traits.wheel_zoom !== false),
    reset: model.actions.resetView,
    clear: () => void (store.get().selection.n > 0 && model.actions.clearSelection()),
    pick: (tool) => model.actions.setTrait("tool", tool),
  });

  /** @returns {boolean} whether the plot has another size than before */
  function measure() {
    const { size: before } = room;
    room = roomIn(host, store.get().points?.axisLabels ?? []);
    element.style.inset = `0 0 ${room.margin}px ${room.margin}px`;
    const { width, height, ratio } = room.size;
    return width !== before.width || height !== before.height || ratio !== before.ratio;
  }

  function fit() {
    if (measure()) look("move");
  }

  /** @param {State} state @param {State} before */
  function follow(state, before) {
    if (room.size.width === 0 && state.points !== null) fit(); // the observer speaks only when the page is next laid out
    if (state.drawnBy !== before.drawnBy) surfaces.replace();
    if (state.cell !== before.cell) drawOverlay();
    element.style.cursor = toolOf(state) === "pan" ? "grab" : "crosshair";
    const change = changeBetween(state, before);
    if (state.traits.point_size !== before.traits.point_size) tellWhatIsSeen();
    if (change === "all") look(change);
    else if (change !== null) redraw(change);
    if (state.points === null && still === null) showStill(state);
    if (state.traits.legend !== before.traits.legend || state.traits.background !== before.traits.background)
      saved.keepSoon();
    if (state.color !== before.color && state.isSeen && !site.isShown()) noteSeen(store); // nobody looks: nothing to wait for
  }

  /** Until there are points: the picture the notebook kept. @param {State} state */
  function showStill({ traits }) {
    still = stillImage(traits._snapshot ?? null);
    if (still !== null) element.append(still);
  }

  const undo = [
    store.subscribe(follow),
    model.view.subscribe(() => look("move")),
    stopGestures,
    watchRoom(element, fit),
  ];
  const onScreen = new IntersectionObserver((entries) => {
    isOnScreen = entries[entries.length - 1].isIntersecting;
    if (isOnScreen) surfaces.get().invalidate("more");
  });
  onScreen.observe(element);

  /** @param {Theme} next */
  function takeTheme(next) {
    theme = next;
    overlay.setTheme(theme);
    axes.setTheme(theme);
  }

  /** @type {Plot} */
  const plot = {
    element,
    setTheme(next) {
      takeTheme(next);
      if (camera !== null) redraw("look");
      tellWhatIsSeen();
    },
    png: (scale = room.size.ratio) => saved.png(scale),
    destroy() {
      saved.stop();
      for (const one of undo) one();
      onScreen.disconnect();
      finder.leave();
      model.see(plot, null, () => {});
      surfaces.destroy();
      element.remove();
    },
  };
  model.touch(plot);
  takeTheme(theme);
  fit();
  follow(store.get(), store.get());
  return plot;
}

/** Note that a picture of the colouring on show has been on the screen. @param {import("../state/state.js").Store} store @param {boolean} isComplete */
function noteSeen(store, isComplete = false) {
  const { isSeen, isWhole, seen, color } = store.get();
  if (isSeen && (isWhole || !isComplete) && seen?.seq === color?.seq) return;
  store.set({ isSeen: true, isWhole: isWhole || isComplete, seen: color });
}

/** The surface that draws a plot, and what drew before another did, on show until that one has drawn.
 * @param {HTMLElement} element @param {() => Surface} create */
function createSurfaces(element, create) {
  /** @type {Surface | null} */
  let former = null;
  let surface = mount();

  function mount() {
    const made = create();
    element.prepend(made.canvas);
    return made;
  }

  function retire() {
    former?.destroy();
    former = null;
  }

  return {
    get: () => surface,
    retire,
    replace() {
      retire();
      former = surface;
      surface = mount();
    },
    destroy() {
      retire();
      surface.destroy();
    },
  };
}

function createElement() {
  const element = document.createElement("div");
  element.style.cssText =
    "position:absolute;inset:0;overflow:hidden;touch-action:none;user-select:none;-webkit-user-select:none;outline-offset:-2px";
  element.tabIndex = 0;
  element.setAttribute("role", "application");
  element.setAttribute("aria-label", LABEL);
  return element;
}
