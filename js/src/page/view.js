/** One view of a widget: redraws its panels when the state changes, gives priority to the plot, and controls full
 * screen. */
import { render } from "lit-html";
import { asSeen, isOnlyMore } from "../state/state.js";
import { missingGrey } from "../style/point_style.js";
import { leaveByKey, pressKey } from "./keys.js";
import { createElements, isNarrow, layout, plotAlone } from "./layout.js";
import { createLegend } from "./parts/legend.js";
import { pick } from "./parts/search.js";
import { placeTooltip } from "./parts/tooltip.js";
import { initialUi } from "./parts/ui.js";
import { focusedIn, keepKeys, listenToPresses } from "./presses.js";
import { createAnnouncer, createDescription } from "./screen_reader.js";
import { watchTheme } from "./theme.js";

/** @typedef {import("./parts/ui.js").Ui} Ui */
/** @typedef {import("./parts/ui.js").Context} Context */
/** @typedef {import("./theme.js").Theme} Theme */
/** @typedef {import("../state/state.js").State} State */

/** @typedef {import("../plot/plot.js").Plot} Plot */

/**
 * @typedef {object} Model what all views of a widget share
 * @property {import("../state/state.js").Store} store
 * @property {import("../state/actions.js").Actions} actions
 * @property {import("../wire/client.js").Client} client
 * @property {import("../state/scene.js").Scene} scene
 * @property {CreateLook} createLook for a panel with its own coloring, filter or embedding
 * @property {Map<number, (reply: import("../wire/client.js").Reply) => void>} receivers receivers of the messages to
 *   a panel, by its number
 * @property {{draws: Set<() => Promise<HTMLCanvasElement>>, reset: (() => void) | null}} together draws: functions
 *   that draw all panels of a view in one picture, one for each view with panels; reset: resets the views of panels
 *   with other embeddings
 * @property {Place} place the shared view of the points of the plot
 * @property {(viewport: import("../screen/camera.js").Viewport) => void} crowd takes the viewports that show the
 *   widget's coloring
 *
 * @typedef {(host: HTMLElement, statusOn?: HTMLElement, say?: (sentence: string) => void) => Plot} CreatePlot
 * @typedef {{createPlot: CreatePlot, requester: import("../picture/view_request.js").ViewRequester, destroy: () => void}} Look
 *   creates the plots of one state
 * @typedef {(store: import("../state/state.js").Store, scene: import("../state/scene.js").Scene,
 *   crowd: (viewport: import("../screen/camera.js").Viewport) => void, place?: Place) => Look} CreateLook
 *   crowd: takes the viewport of a plot
 *
 * @typedef {object} Place the view of one set of points, which several looks share
 * @property {import("../state/shared_view.js").SharedView} view
 * @property {import("../plot/plot.js").PlotModel["see"]} see
 *
 * @typedef {(plot: Plot, host: HTMLElement, model: Model, say: import("./screen_reader.js").Say) => Plot} LinkPlots
 *   returns a plot that represents the plot and all panels; host: of the plot
 */

const SEARCH_WAIT_MS = 60;
/** Everything else waits at most this long for the points, because the page draws one thing after the other. */
const PLOT_FIRST_MS = 1_500;
/** Interval of progress updates: each redraw of the page takes time from the points. */
const MORE_MS = 200;

/** Shows a model in an element. @param {{el: HTMLElement, model: Model & {createPlot: CreatePlot}}} options
 * @returns {() => void} removes the view */
export function createView({ el, model }) {
  const { host, mount, plotHost, spoken, described } = createElements(el);
  const announcer = createAnnouncer(spoken);
  const description = createDescription(described, () => model.store.set({ needsQuietly: true }));
  const room = plotHost.appendChild(document.createElement("div"));
  room.className = "host";
  let plot = model.createPlot(room, el, announcer.say);
  let isLinked = false;
  /** @type {Theme | null} */
  let theme = null;
  plot.element.setAttribute("aria-describedby", described.id);
  description.follow(model.store.get());
  const ending = new AbortController();
  const drawLegend = createLegend();
  let ui = initialUi();
  /** @type {import("./second_module.js").DrawPanels | null} */
  let panels = null;
  let frame = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let later;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let asking;
  let plotFirst = true;
  let isLaidOut = false;
  const plotFirstTimer = setTimeout(() => ((plotFirst = false), schedule()), PLOT_FIRST_MS);

  /** @type {Context} */
  const context = {
    get state() {
      return asSeen(model.store.get());
    },
    get ui() {
      return ui;
    },
    actions: model.actions,
    get panels() {
      return (panels ??= model.store.get().panels?.(model.client, schedule) ?? null);
    },
    update(change) {
      ui = { ...ui, ...change };
      schedule();
    },
    ask(query) {
      clearTimeout(asking);
      asking = setTimeout(() => model.actions.search(query), query === "" ? 0 : SEARCH_WAIT_MS);
    },
    save: (scale) => void savePng(plot, model, scale),
    room: () => [plotHost.clientWidth, plotHost.clientHeight],
    fullScreen: () => screen.toggle(),
  };

  function schedule() {
    // A redraw of the page may take as long as drawing the first points.
    if (plotFirst && isLaidOut && isPlotAwaited(context.state)) return;
    frame ||= requestAnimationFrame(draw);
  }

  function draw() {
    if (frame < 0) return;
    clearTimeout(later);
    later = undefined;
    frame = 0;
    isLaidOut = true;
    plotFirst &&= isPlotAwaited(context.state);
    const hadKeys = focusedIn(mount) !== null;
    render(plotFirst ? plotAlone(context, plotHost) : layout(context, plotHost, drawLegend), mount);
    placeTip(mount, ui);
    letOutputGrow(el, "none");
    if (hadKeys) keepKeys(mount);
    const height = mount.querySelector(".rows")?.clientHeight ?? ui.legend.height;
    focusMenu(mount, ui);
    if (height !== ui.legend.height) context.update({ legend: { ...ui.legend, height } });
  }

  const screen = createFullScreen(host, (full) => context.update({ full }));
  /** Replaces the plot by a grid of all panels once the second module has loaded. */
  function link() {
    const { linkPlots } = model.store.get();
    if (isLinked || !linkPlots) return;
    isLinked = true;
    plot = linkPlots(plot, room, model, announcer.say);
    if (theme !== null) plot.setTheme(theme);
  }

  const unsubscribe = model.store.subscribe((state, before) => {
    link();
    if (asSeen(state).color?.seq !== asSeen(before).color?.seq) forgetLegend(context, mount);
    announcer.follow(state, before);
    description.follow(state, before);
    if (ui.search.pick && state.found.query === ui.search.text) pickBest(context);
    if (isOnlyMore(state, before)) later ??= setTimeout(schedule, MORE_MS);
    else schedule();
  });
  const unwatchTheme = watchTheme(el, (next) => {
    theme = next;
    applyTheme(mount, next);
    if (next.dark !== ui.dark) context.update({ dark: next.dark });
    plot.setTheme(next);
  });
  link();
  const resized = new ResizeObserver(() => context.update({ isNarrow: isNarrow(mount) }));
  resized.observe(mount);
  listen(context, mount, plotHost, ending.signal);
  draw();

  return () => {
    ending.abort();
    announcer.stop();
    description.stop();
    unsubscribe();
    unwatchTheme();
    screen.destroy();
    resized.disconnect();
    clearTimeout(asking);
    clearTimeout(plotFirstTimer);
    frame = -1; // cancels redraws, including a scheduled one
    panels?.(null);
    letOutputGrow(el, "");
    plot.destroy();
    host.remove();
  };
}

/** Sets the maximum height of an output area in marimo, whose editor cuts outputs, and with them the widget, at 610
 * px. @param {HTMLElement} el @param {string} most */
function letOutputGrow(el, most) {
  const { host } = /** @type {ShadowRoot} */ (el.getRootNode());
  const area = /** @type {HTMLElement | null | undefined} */ (host?.closest(".output-area"));
  if (area) area.style.maxHeight = most;
}

/** True until the first picture has appeared or, without an image of all cells, is complete. @param {State} state */
function isPlotAwaited({ points, isSeen, isWhole, link, error }) {
  return !(points?.aggregated ? isSeen : isWhole) && link !== "offline" && error === null;
}

/** Adds listeners that belong to no single panel: the pointer over the plot, clicks outside popovers, shortcut keys.
 * @param {Context} context @param {HTMLElement} mount @param {HTMLElement} plotHost @param {AbortSignal} signal */
function listen(context, mount, plotHost, signal) {
  const track = (/** @type {PointerEvent} */ event) => {
    const { left, top } = plotHost.getBoundingClientRect();
    const isTouch = event.pointerType === "touch"; // a resting finger shows a tooltip, which stays after it is lifted
    if (isTouch && event.type === "pointerleave") return;
    const free = event.type === "pointermove" && event.buttons === 0;
    const pointer = free || isTouch ? { x: event.clientX - left, y: event.clientY - top } : null;
    if (pointer !== null || context.ui.pointer !== null) context.update({ pointer });
  };
  for (const type of /** @type {const} */ (["pointermove", "pointerdown", "pointerleave"]))
    plotHost.addEventListener(type, track, { signal });
  const closePopover = (/** @type {Event} */ event) => {
    const { popover } = context.ui;
    if (event.target === mount) return; // a press on the text of a popover
    const inside = event.composedPath().some((at) => at instanceof HTMLElement && at.dataset.popover === popover);
    if (popover !== "" && !inside) context.update({ popover: "" });
  };
  document.addEventListener("pointerdown", closePopover, { signal, capture: true });
  mount.addEventListener("focusin", closePopover, { signal });
  listenToPresses(mount, signal);
  mount.addEventListener("keydown", (event) => pressKey(context, mount, event), { signal });
  mount.addEventListener("keydown", (event) => leaveByKey(context, event), { signal, capture: true });
}

/** @param {Context} context @param {HTMLElement} mount */
function forgetLegend({ ui, update }, mount) {
  const rows = mount.querySelector(".rows");
  if (rows !== null) rows.scrollTop = 0;
  update({ legend: { ...ui.legend, filter: "", scroll: 0, active: -1 }, drag: null, badLimit: "" });
}

/** @param {Context} context */
function pickBest(context) {
  const [best] = context.state.found.matches;
  if (best !== undefined) pick(context, best);
  else context.update({ search: { ...context.ui.search, pick: false } });
}

/** @param {HTMLElement} mount @param {Theme} theme */
function applyTheme(mount, { background, foreground, accent, dark }) {
  mount.style.setProperty("--bg", `rgb(${background})`);
  mount.style.setProperty("--fg", `rgb(${foreground})`);
  mount.style.setProperty("--accent", `rgb(${accent})`);
  mount.style.setProperty("--missing", `rgb(${missingGrey(dark)})`);
  mount.dataset.theme = dark ? "dark" : "light";
}

/** @param {HTMLElement} mount @param {Ui} ui */
function placeTip(mount, ui) {
  const tip = mount.querySelector(".tooltip");
  const plot = tip?.parentElement;
  if (!(tip instanceof HTMLElement) || !plot || ui.pointer === null) return;
  const size = { width: tip.offsetWidth, height: tip.offsetHeight };
  const { left, top } = placeTooltip(ui.pointer, size, { width: plot.clientWidth, height: plot.clientHeight });
  tip.style.transform = `translate(${left}px, ${top}px)`;
}

/** Focuses a menu that has just opened. @param {HTMLElement} mount @param {Ui} ui */
function focusMenu(mount, ui) {
  const menu = ui.popover === "cmap" ? mount.querySelector(".cmaps") : null;
  if (menu === null || menu.matches(":focus-within")) return;
  /** @type {HTMLElement | null} */ (menu.querySelector("[tabindex='0']"))?.focus({ preventScroll: true });
}

/** @param {Plot} plot @param {Model} model @param {number} scale px per CSS px */
async function savePng(plot, { store }, scale) {
  try {
    const state = store.get();
    const picture = await plot.figure(scale);
    await store.get().saveFile(picture, state);
  } catch (failure) {
    const message = `The picture could not be saved: ${failure instanceof Error ? failure.message : failure}`;
    store.set({ error: { of: "png", message } });
  }
}

/**
 * @param {HTMLElement} element
 * @param {(full: boolean | null) => void} tell called with whether the element is in full screen; null = not available
 * @returns {{toggle: () => void, destroy: () => void}}
 */
export function createFullScreen(element, tell) {
  const isOn = () => element.matches(":fullscreen");
  const check = () => tell(isOn());
  element.addEventListener("fullscreenchange", check);
  tell(document.fullscreenEnabled ? false : null);
  return {
    toggle: () =>
      void (isOn() ? document.exitFullscreen() : element.requestFullscreen()).catch(() => tell(isOn() || null)),
    destroy() {
      element.removeEventListener("fullscreenchange", check);
      if (isOn()) document.exitFullscreen().catch(() => {});
    },
  };
}
