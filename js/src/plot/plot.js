/** One plot: connects canvas, overlay, axes and gestures. The surface draws, the model decides. */

import { changeBetween } from "../picture/plan.js";
import { createProgressReport } from "../picture/report.js";
import * as cameras from "../screen/camera.js";
import { toolOf } from "../state/state.js";
import { PAPERS } from "../wire/constants.js";
import { createAim } from "./aim.js";
import { createAxes, layoutAxes } from "./axes.js";
import { listenToGestures } from "./gestures.js";
import { createLandmarks } from "./landmarks_loader.js";
import { createCover, hideStandIn } from "./notebook_picture.js";
import { createOverlay } from "./overlay.js";
import { createSavedPictures } from "./picture_schedule.js";
import { createCellFinder } from "./pointed_cell.js";
import { watchRoom, watchSight } from "./room.js";

/**
 * @typedef {import("../screen/camera.js").Camera} Camera
 * @typedef {import("../style/point_style.js").Theme} Theme
 * @typedef {import("../state/state.js").State} State
 * @typedef {import("../picture/surface.js").Surface} Surface
 * @typedef {import("../picture/surface.js").Change} Change
 *
 * @typedef {object} PlotModel the model as a plot sees it
 * @property {import("../state/state.js").Store} store
 * @property {import("../state/actions.js").Actions} actions
 * @property {import("../wire/client.js").Client} client
 * @property {import("../state/shared_view.js").SharedView} view
 * @property {{draws: Set<() => Promise<HTMLCanvasElement>>}} together functions that draw all panels of a view in one
 *   picture, one for each view with panels
 * @property {(site: import("../picture/surface.js").Site) => Surface} createSurface creates a surface with the
 *   painter that the state selects
 * @property {() => import("../state/scene.js").Positions | null} positions of the points that have arrived
 * @property {() => void} begin to be called when the first points are drawn
 * @property {(plot: object, viewport: import("../screen/camera.js").Viewport | null, refresh: () => void) => void} see
 *   takes the current viewport of a plot; null = it shows nothing; refresh: redraws it
 * @property {(polygon: number[], mode: import("../wire/protocol.js").Mode) => void} select
 * @property {(at: [number, number], radii: [number, number], waitMs: number) => Promise<import("../state/state.js").Cell | null>} cellAt data units
 * @property {(viewport: import("../screen/camera.js").Viewport) => void} shows to be called after a picture of this
 *   viewport has appeared on the screen
 * @property {(plot: object) => boolean} isForemost whether the plot is the one used last
 * @property {(plot: object) => void} touch marks the plot as the one used last
 * @property {(plot: object) => void} leave
 * @property {(still: import("../state/state.js").Still) => void} keepStill
 *
 * @typedef {object} Plot
 * @property {HTMLElement} element
 * @property {(theme: Theme) => void} setTheme
 * @property {(scale: number, edit?: (key: import("../words/legend_words.js").Key | null) => import("../words/legend_words.js").Key | null) => Promise<HTMLCanvasElement>} figure
 *   draws the picture to save; scale: px per CSS px; edit: changes the legend in it
 * @property {() => void} destroy
 */

const HOVER_PX = 6;
const LABEL =
  "Scatterplot. Arrow keys pan, plus and minus zoom, 0 resets the view, P, L and R choose a tool, Enter draws with it, Escape clears the selection, question mark lists all keys.";

/**
 * @param {HTMLElement} host element that the plot fills
 * @param {PlotModel} model
 * @param {HTMLElement} [statusOn] gets data-cxg-state, data-cxg-drawn and data-cxg-view
 * @param {(sentence: string) => void} [say] announces a sentence to screen readers
 * @returns {Plot}
 */
export function createPlot(host, model, statusOn = host, say = () => {}) {
  const { store } = model;
  const element = createElement();
  const overlay = createOverlay();
  const axes = createAxes();
  element.append(overlay.element);
  host.append(element, axes.element);
  const report = createProgressReport(statusOn, store);
  const aim = createAim(host, element, store, model.view);
  let theme = PAPERS.white;
  const cover = createCover(element);
  const landmarks = createLandmarks({
    element,
    under: overlay.element,
    look: () => ({ camera: aim.camera(), size: aim.size(), theme }),
    model,
  });
  let isInSight = true;

  /** @type {import("../picture/surface.js").Site} */
  const site = {
    camera: aim.camera,
    zoom: aim.zoom,
    size: aim.size,
    theme: () => theme,
    state: store.get,
    isShown: () => isInSight && aim.hasRoom(),
    isMoving: aim.isMoving,
    onBegin: model.begin,
    onFrame(progress) {
      if (progress.isComplete || aim.isMoving()) surfaces.retire();
      cover.remove();
      report.progress(progress);
      const viewport = aim.viewport(theme.dark);
      if (viewport !== null) model.shows(viewport);
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
    aim,
    theme: site.theme,
    landmarks,
    isToKeep: () =>
      !aim.isMoving() && surfaces.get().progress().isComplete && model.isForemost(plot) && store.get().link === "live",
    keep: model.keepStill,
    together: model.together,
  });

  /** Updates everything after a change of the shared view or the size. @param {Change} change */
  function aimAnew(change) {
    if (change === "all") aim.measure();
    aim.update();
    const viewport = aim.viewport(theme.dark);
    if (viewport !== null) report.view(viewport.view);
    tellWhatIsSeen();
    redraw(change);
    const labels = store.get().points?.axisLabels ?? [];
    axes.draw(layoutAxes(aim.camera(), labels, aim.room().margin), labels);
    landmarks.draw();
    drawOverlay();
  }

  function tellWhatIsSeen() {
    const viewport = aim.viewport(theme.dark);
    if (viewport === null) return;
    // Without a size the plot is in a hidden tab.
    model.see(plot, aim.hasRoom() ? viewport : null, () => redraw("colors"));
  }

  /** @param {Change} change */
  function redraw(change) {
    surfaces.get().invalidate(change);
    report.progress(surfaces.get().progress());
  }

  function drawOverlay() {
    overlay.draw(aim.camera(), store.get().cell, aim.diameter());
  }

  const finder = createFinder(aim, model);
  /** @type {import("./gestures.js").Meaning} */
  const meaning = {
    ...meaningOf(aim, model, move),
    settle: aim.settle,
    outline(shape, mode, cursor) {
      overlay.takeShape(shape, mode, cursor);
      drawOverlay();
      model.client.onShape?.(shape, store.get().panel);
    },
    say,
    select(polygon, mode) {
      model.touch(plot);
      model.select(polygon, mode);
    },
    point: finder.point,
    mark: finder.mark,
    leave: finder.leave,
  };

  /** @param {import("./aim.js").Move} how */
  function move(how) {
    if (aim.camera() !== null) model.touch(plot);
    aim.move(how);
  }

  function fit() {
    if (aim.measure()) aimAnew("move");
  }

  /** @param {State} state @param {State} before */
  function follow(state, before) {
    if (aim.size().width === 0 && state.points !== null) fit(); // the observer reports only after the next page layout
    // First, because everything below draws on the current surface.
    if (state.drawnBy !== before.drawnBy) surfaces.replace();
    if (state.cell !== before.cell) drawOverlay();
    const isElsewhere = state.points !== before.points && placeOf(state) !== placeOf(before);
    if (isElsewhere && before.points !== null) surfaces.get().depart();
    if (isElsewhere || state.traits.tool !== before.traits.tool) hands.drop();
    element.style.cursor = toolOf(state) === "pan" ? "grab" : "crosshair";
    const change = changeBetween(state, before);
    if (state.traits.point_size !== before.traits.point_size) tellWhatIsSeen();
    if (change === "all") aimAnew(change);
    else if (change !== null) redraw(change);
    if (state.points === null) cover.show(state.traits._snapshot);
    if (state.keyShape !== before.keyShape || state.needsPanels < before.needsPanels) hands.goOn();
    if (landmarks.follow(state, before)) saved.keepSoon();
    if (state.traits.legend !== before.traits.legend || state.traits.background !== before.traits.background)
      saved.keepSoon();
    // The plot is out of sight: nothing to wait for.
    if (state.color !== before.color && state.isSeen && !site.isShown()) noteSeen(store);
  }

  const hands = listenToGestures(element, meaning);
  const undo = [
    store.subscribe(follow),
    model.view.subscribe(() => aimAnew("move")),
    hands.destroy,
    hideStandIn(store), // from the start: to paint a picture that is gone a moment later delays the first points
    watchRoom(element, fit),
    watchSight(element, (isNow) => {
      isInSight = isNow;
      if (isInSight) surfaces.get().invalidate("more");
    }),
  ];

  /** @type {Plot} */
  const plot = {
    element,
    setTheme(next) {
      const isSame = JSON.stringify(next) === JSON.stringify(theme);
      theme = next;
      overlay.setTheme(theme);
      axes.setTheme(theme);
      landmarks.draw();
      if (aim.camera() !== null && !isSame) redraw("colors");
      tellWhatIsSeen();
    },
    figure: saved.figure,
    destroy() {
      aim.settle();
      saved.stop();
      for (const one of undo) one();
      finder.leave();
      landmarks.destroy();
      model.see(plot, null, () => {});
      model.leave(plot);
      surfaces.destroy();
      element.remove();
    },
  };
  model.touch(plot);
  plot.setTheme(theme);
  fit();
  follow(store.get(), store.get());
  return plot;
}

/** Identifies the coordinate system of the displayed points, which the corners of shapes use. @param {State} state */
function placeOf({ points }) {
  return points === null ? "" : JSON.stringify([points.embedding, points.axes]);
}

/** The actions of gestures that depend only on the aim and the model.
 * @param {import("./aim.js").Aim} aim @param {PlotModel} model @param {(how: import("./aim.js").Move) => void} move
 * @returns {Omit<import("./gestures.js").Meaning, "settle" | "outline" | "say" | "select" | "point" | "mark" | "leave">} */
function meaningOf(aim, { store, actions, view }, move) {
  return {
    state: store.get,
    isReady: () => aim.camera() !== null,
    toData(px, py) {
      const camera = aim.camera();
      return camera === null ? [0, 0] : cameras.toData(camera, px, py);
    },
    pan: (dx, dy) => move((from) => cameras.pan(from, dx, dy)),
    zoom: (factor, px, py) =>
      move((from, { extent, equalUnits }) => {
        const { width, height, ratio } = aim.size();
        return cameras.zoomAt(from, factor, px, py, cameras.zoomRange(extent, width, height, ratio, equalUnits));
      }),
    reset: view.reset,
    clear: () => void (store.get().selection.n > 0 && actions.clearSelection()),
    pick: (tool) => actions.setTrait("tool", tool),
    needKeyShape: actions.needPanels,
  };
}

/** Finds the cell under the pointer. @param {import("./aim.js").Aim} aim @param {PlotModel} model */
function createFinder(aim, { store, cellAt }) {
  return createCellFinder(
    async (px, py, waitMs) => {
      const camera = aim.camera();
      if (camera === null || store.get().link !== "live") return null;
      const radius = Math.max(aim.diameter() / 2, HOVER_PX);
      const [perX, perY] = cameras.scales(camera);
      return cellAt(cameras.toData(camera, px, py), [radius * perX, radius * perY], waitMs);
    },
    (cell, isMarked) => {
      if (cell !== store.get().cell) store.set({ cell });
      if (isMarked && cell !== null) store.set({ marked: cell });
    },
  );
}

/** Records that a picture of the displayed coloring has been on the screen.
 * @param {import("../state/state.js").Store} store @param {boolean} isComplete */
function noteSeen(store, isComplete = false) {
  const { isSeen, isWhole, seen, color } = store.get();
  if (isSeen && (isWhole || !isComplete) && seen?.seq === color?.seq) return;
  store.set({ isSeen: true, isWhole: isWhole || isComplete, seen: color });
}

/** The surface that draws a plot. A replaced surface stays visible until the new one has drawn.
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
