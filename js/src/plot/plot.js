/** One plot: a canvas, what lies over it, and the hands on it. What is drawn is the surface's affair, what it means the model's. */
import { createAxes, layoutAxes, marginOf, paintAxes } from "./axes.js";
import * as cameras from "../screen/camera.js";
import { listenToGestures } from "./gestures.js";
import { toBlob } from "../screen/canvas.js";
import { compose, paperOf } from "./figure.js";
import { createHover } from "./hover.js";
import { keyOf, linesOf } from "../words/key.js";
import { createOverlay } from "./overlay.js";
import { asSeen, toolOf } from "../state/state.js";
import { createStatus } from "./status.js";
import { stillImage, takeStill } from "./still.js";
import { diameterOf } from "../style/style.js";

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
 * @property {(plot: object, look: import("../picture/survey.js").Look | null) => void} see null = nothing any more
 * @property {(polygon: number[], mode: import("../wire/protocol.js").Mode) => void} select
 * @property {(at: [number, number], radii: [number, number], waitMs: number) => Promise<import("../state/state.js").Cell | null>} cellAt data units
 * @property {(look: {camera: Camera, view: number[], ratio: number}) => void} shows a picture has come on the screen
 * @property {(plot: object) => boolean} isForemost the view used last
 * @property {(plot: object) => void} touch
 * @property {(still: import("./still.js").Still) => void} keepStill
 *
 * @typedef {object} Plot
 * @property {HTMLElement} element
 * @property {(theme: Theme) => void} setTheme
 * @property {(scale?: number) => Promise<Blob>} png scale: px per CSS px
 * @property {() => void} destroy
 */

const HOVER_PX = 6;
const STILL_MS = 1_500;
/** A plot that is less across shows nobody much; the kernel's picture is kept then. */
const LEAST_STILL_PX = 100;
/** A plot is never larger than this: some hosts report heights of thousands of px. */
const LARGEST_PX = 12_000_000;
const LONGEST_PX = 8_192;
const LABEL = "Scatterplot. Arrow keys move, plus and minus zoom, 0 shows everything, P, L and R pick a tool, Escape clears the selection.";

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
  const status = createStatus(statusOn, store);
  /** @type {Theme} */
  let theme = { background: [255, 255, 255], foreground: [31, 35, 40], dark: false };
  let size = { width: 0, height: 0, ratio: 1 };
  /** What the axes take of the host, left of the plot and beneath it, CSS px. */
  let margin = 0;
  let isShown = true;
  let isMoving = false;
  /** @type {Camera | null} */
  let camera = null;
  /** @type {{shape: import("./lasso.js").Shape, mode: import("../wire/protocol.js").Mode} | null} */
  let sketch = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let stillTimer;
  /** @type {HTMLImageElement | null} */
  let still = null;

  /** @type {import("../picture/surface.js").Site} */
  const site = {
    camera: () => camera,
    zoom,
    size: () => size,
    theme: () => theme,
    state: store.get,
    isShown: () => isShown && size.width > 0 && size.height > 0,
    isMoving: () => isMoving,
    onBegin: model.begin,
    onFrame(frame) {
      if (frame.isComplete || isMoving) retire();
      still?.remove();
      still = null;
      status.frame(frame);
      if (camera !== null) model.shows({ camera, view: cameras.visible(camera), ratio: size.ratio });
      clearTimeout(stillTimer);
      if (frame.drawn > 0 || frame.isComplete) noteSeen(frame.isComplete);
      if (frame.isComplete) keepStillSoon();
    },
  };
  let surface = mount();
  /** What drew before another did, on show until that one has drawn. @type {Surface | null} */
  let former = null;

  /** @param {boolean} isComplete */
  function noteSeen(isComplete = false) {
    const { isSeen, isWhole, seen, color } = store.get();
    if (isSeen && (isWhole || !isComplete) && seen?.seq === color?.seq) return;
    store.set({ isSeen: true, isWhole: isWhole || isComplete, seen: color });
  }

  function mount() {
    const made = model.createSurface(site);
    element.prepend(made.canvas);
    return made;
  }

  function retire() {
    former?.destroy();
    former = null;
  }

  function whole() {
    const { points } = store.get();
    return points && cameras.fit(points.extent, size.width, size.height, points.yDown, points.equalUnits);
  }

  function zoom() {
    const all = whole();
    return camera === null || all === null ? 1 : cameras.zoomOver(camera, all);
  }

  /** Look anew at what all plots look at. @param {Change} change */
  function look(change) {
    const { points } = store.get();
    const view = model.view.get();
    if (change === "all") measure();
    camera = points && (view === null ? whole() : cameras.contain(view, size.width, size.height, points.yDown, points.equalUnits));
    if (camera !== null) status.view(cameras.visible(camera));
    tellWhatIsSeen();
    redraw(change);
    axes.draw(axesNow(), points?.axisLabels ?? []);
    drawOverlay();
  }

  function axesNow() {
    return layoutAxes(camera, store.get().points?.axisLabels ?? [], margin);
  }

  /** A picture as it is saved: on its paper, with axes and key. @param {HTMLCanvasElement} points @param {import("./figure.js").Paper} paper
   * @param {number} scale px per px of the key @param {import("../words/key.js").Key | null} key */
  function figure(points, paper, scale, key) {
    const family = getComputedStyle(element).fontFamily;
    const ratio = points.width / size.width;
    const onto = (/** @type {CanvasRenderingContext2D} */ context) => paintAxes(context, ratio, axesNow(), paper.theme, family);
    return compose({ points, margin: margin * ratio, key, paper, scale, family, onto });
  }

  /** What the picture on the screen means, unless that is not to be said. @param {import("./figure.js").Paper} paper */
  function keyNow({ theme: { dark } }) {
    const state = asSeen(store.get());
    return state.traits.legend ? keyOf(state, dark) : null;
  }

  function tellWhatIsSeen() {
    if (camera === null) return;
    const { width, height, ratio } = size;
    if (width === 0 || height === 0) return model.see(plot, null); // in a tab that is not on show
    const diameter = Math.round(diameterPx() * ratio);
    model.see(plot, { camera, view: cameras.visible(camera), ratio, diameter, dark: theme.dark, refresh: () => redraw("look") });
  }

  /** @param {Change} change */
  function redraw(change) {
    surface.invalidate(change);
    status.frame(surface.frame());
  }

  function drawOverlay() {
    const { cell } = store.get();
    const at = camera;
    const corners = sketch?.shape.corners() ?? [];
    const pairs = at === null ? [] : Array.from({ length: corners.length / 2 }, (_, i) => cameras.toPx(at, corners[2 * i], corners[2 * i + 1]));
    overlay.sketch(sketch?.shape.kind === "rectangle" && pairs.length > 0 ? [...pairs, pairs[0]] : pairs, sketch?.mode ?? "replace");
    overlay.ring(cell === null || at === null ? null : cameras.toPx(at, cell.x, cell.y), diameterPx() / 2 + 3);
  }

  function diameterPx() {
    return camera === null ? 0 : diameterOf(store.get(), camera, zoom());
  }

  /** @param {(from: Camera, points: import("../state/state.js").Points) => Camera} how */
  function move(how) {
    const { points } = store.get();
    if (camera === null || points === null) return;
    isMoving = true;
    model.touch(plot);
    model.view.move(cameras.visible(cameras.keepOver(how(camera, points), points.extent)));
  }

  const hover = createHover(
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
      move((from, { extent, equalUnits }) =>
        cameras.zoomAt(from, factor, px, py, cameras.zoomRange(extent, size.width, size.height, size.ratio, equalUnits))),
    settle() {
      if (!isMoving) return;
      isMoving = false;
      model.view.settle();
    },
    sketch(shape, mode) {
      sketch = shape && { shape, mode };
      drawOverlay();
    },
    select(polygon, mode) {
      model.touch(plot);
      model.select(polygon, mode);
    },
    point: hover.point,
    leave: hover.leave,
    zooms: (isAsked) => camera !== null && (isAsked || store.get().traits.wheel_zoom !== false),
    reset: model.actions.resetView,
    clear: () => void (store.get().selection.n > 0 && model.actions.clearSelection()),
    pick: (tool) => model.actions.setTrait("tool", tool),
  });

  function keepStillSoon() {
    clearTimeout(stillTimer);
    stillTimer = setTimeout(keepStill, STILL_MS);
  }

  function keepStill() {
    if (isMoving || !surface.frame().isComplete || !model.isForemost(plot) || store.get().link !== "live") return;
    if (Math.min(size.width, size.height) < LEAST_STILL_PX) return;
    const paper = paperOf(store.get().traits.background, theme);
    const key = keyNow(paper);
    // Drawn anew only where the screen has other colours.
    const points = paper.theme.dark === theme.dark ? surface.canvas : surface.draw(size.ratio, paper.theme);
    void takeStill(points, (small) => figure(small, paper, 1, key)).then((still) => still && model.keepStill({ ...still, key: key && linesOf(key) }));
  }

  /** @param {number} wanted px per CSS px */
  async function png(wanted) {
    const scale = Math.min(wanted, LONGEST_PX / Math.max(size.width, size.height, 1));
    const paper = paperOf(store.get().traits.background, theme);
    return toBlob(figure(await surface.draw(scale, paper.theme), paper, scale, keyNow(paper)));
  }

  /** @returns {boolean} whether the plot has another size than before */
  function measure() {
    const { width: all, height: high } = host.getBoundingClientRect();
    margin = marginOf(store.get().points?.axisLabels ?? [], all, high);
    element.style.inset = `0 0 ${margin}px ${margin}px`;
    const [width, height] = [Math.max(all - margin, 0), Math.max(high - margin, 0)];
    const most = Math.min(Math.sqrt(LARGEST_PX / Math.max(width * height, 1)), LONGEST_PX / Math.max(width, height, 1));
    const before = size;
    size = { width, height, ratio: Math.min(globalThis.devicePixelRatio || 1, most) };
    return width !== before.width || height !== before.height || size.ratio !== before.ratio;
  }

  function fit() {
    if (measure()) look("move");
  }

  /** @param {State} state @param {State} before */
  function follow(state, before) {
    if (size.width === 0 && state.points !== null) fit(); // the observer speaks only when the page is next laid out
    if (state.drawnBy !== before.drawnBy) {
      retire();
      former = surface;
      surface = mount();
    }
    if (state.cell !== before.cell) drawOverlay();
    element.style.cursor = toolOf(state) === "pan" ? "grab" : "crosshair";
    const change = changeBetween(state, before);
    if (state.traits.point_size !== before.traits.point_size) tellWhatIsSeen();
    if (change === "all") look(change);
    else if (change !== null) redraw(change);
    showStill(state);
    if (state.traits.legend !== before.traits.legend || state.traits.background !== before.traits.background) keepStillSoon();
    if (state.color !== before.color && state.isSeen && !site.isShown()) noteSeen(); // nobody looks: nothing to wait for
  }

  /** Until there are points: the picture the notebook kept. @param {State} state */
  function showStill({ points, traits }) {
    if (points !== null || still !== null) return;
    still = stillImage(traits._snapshot ?? null);
    if (still !== null) element.append(still);
  }

  const unsubscribe = store.subscribe(follow);
  const unsubscribeView = model.view.subscribe(() => look("move"));
  const resized = new ResizeObserver(fit);
  resized.observe(element);
  const seen = new IntersectionObserver((entries) => {
    isShown = entries[entries.length - 1].isIntersecting;
    if (isShown) surface.invalidate("more");
  });
  seen.observe(element);
  const stopRatio = onRatioChange(fit);

  /** @type {Plot} */
  const plot = {
    element,
    setTheme(next) {
      const isFirst = camera === null;
      theme = next;
      overlay.setTheme(theme);
      axes.setTheme(theme);
      if (!isFirst) redraw("look");
      tellWhatIsSeen();
    },
    png: (scale = size.ratio) => png(scale),
    destroy() {
      clearTimeout(stillTimer);
      unsubscribe();
      unsubscribeView();
      stopGestures();
      stopRatio();
      resized.disconnect();
      seen.disconnect();
      hover.leave();
      model.see(plot, null);
      retire();
      surface.destroy();
      element.remove();
    },
  };
  model.touch(plot);
  overlay.setTheme(theme);
  axes.setTheme(theme);
  fit();
  follow(store.get(), store.get());
  return plot;
}

/** How a picture differs from the last one; null = not at all. @param {State} state @param {State} before @returns {Change | null} */
export function changeBetween(state, before) {
  const { points, color, crowd, selection, traits } = state;
  if (state.drawnBy !== before.drawnBy || points?.seq !== before.points?.seq) return "all";
  const look = /** @type {const} */ (["cmap", "vmin", "vmax", "point_size", "opacity", "hidden", "density", "statistic"]);
  if (state.highlighted !== before.highlighted || look.some((name) => traits[name] !== before.traits[name])) return "tune";
  if (crowd !== before.crowd || String(color?.limits) !== String(before.color?.limits)) return "tune";
  if (color?.seq !== before.color?.seq || color?.colors !== before.color?.colors) return "look";
  if (selection !== before.selection && (selection.n > 0 || before.selection.n > 0)) return "look";
  const loaded = (/** @type {State} */ one) => `${one.points?.loaded} ${one.color?.loaded} ${one.nextColor?.loaded}`;
  if (loaded(state) === loaded(before)) return null;
  // What points show where they share pixels was known from the first of them.
  return crowd.weight < 1 && isLoaded(points) && isLoaded(color) && !(isLoaded(before.points) && isLoaded(before.color)) ? "look" : "more";
}

/** @param {{loaded: number, nPoints: number} | null} part */
function isLoaded(part) {
  return part !== null && part.loaded === part.nPoints;
}

function createElement() {
  const element = document.createElement("div");
  element.style.cssText = "position:absolute;inset:0;overflow:hidden;touch-action:none;user-select:none;-webkit-user-select:none;outline-offset:-2px";
  element.tabIndex = 0;
  element.setAttribute("role", "application");
  element.setAttribute("aria-label", LABEL);
  return element;
}

/** @param {() => void} listener @returns {() => void} */
function onRatioChange(listener) {
  const ending = new AbortController();
  (function watch() {
    if (ending.signal.aborted) return;
    const media = matchMedia(`(resolution: ${globalThis.devicePixelRatio}dppx)`);
    media.addEventListener("change", () => (listener(), watch()), { once: true, signal: ending.signal });
  })();
  return () => ending.abort();
}
