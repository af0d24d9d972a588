/** Panels side by side in place of one plot; they pan, zoom and select together. */
import { render } from "lit-html";
import { placeNote } from "../../page/parts/notes.js";
import { asSeen } from "../../state/state.js";
import { NO_KEY } from "../../words/legend_words.js";
import { nounsOf } from "../../words/nouns.js";
import { createLegendLine, legendOf } from "../overlays/legend_line.js";
import { notesOnPlot, tieNote } from "../overlays/overlay_notes.js";
import { describePanelCount, gridOf, head, isPart, placeOf, titleOf } from "./head.js";
import { compose } from "./linked_picture.js";
import { createLook } from "./look.js";
import { placesOf } from "./place.js";

/**
 * @typedef {import("../../page/view.js").Plot} Plot
 * @typedef {import("../../page/theme.js").Theme} Theme
 * @typedef {import("../../wire/constants.js").Look} Setting
 * @typedef {import("./look.js").Look} Look
 * @typedef {import("../../page/view.js").Model} Widget
 * @typedef {import("../../state/state.js").State} State
 *
 * @typedef {object} Panel a panel in one view
 * @property {Setting} setting
 * @property {import("../../state/state.js").Store} store
 * @property {HTMLElement} head
 * @property {HTMLElement} body
 * @property {Plot} plot
 * @property {() => void} destroy
 */

/** Looks by panel id, shared by all views of a widget. users: how many views show each.
 * @type {WeakMap<object, Map<number, {look: Look, users: number}>>} */
const LOOKS = new WeakMap();

/** @param {Setting} setting */
const isPlot = (setting) => Object.keys(setting).length === 1;

/** @type {import("../../page/view.js").LinkPlots} */
export function linkPlots(plot, room, widget, say) {
  const { store } = widget;
  const host = /** @type {HTMLElement} */ (room.parentElement);
  const { host: shadow } = /** @type {ShadowRoot} */ (host.getRootNode());
  /** The element whose data-cxg-state tells whether the widget is ready. @type {HTMLElement | null} */
  const status = shadow?.closest("[data-cxg-state]") ?? null;
  const label = plot.element.getAttribute("aria-label") ?? "";
  /** Panels by id. @type {Map<number, Panel>} */
  const panels = new Map();
  /** @type {Theme | null} */
  let theme = null;
  const legend = createLegendLine(host);
  /** Height of the legend line, px. */
  let foot = 0;
  /** Number of panels in a row. */
  let columns = 1;
  let frame = 0;
  let isFirst = true;
  /** @type {Setting[] | null} */
  let laidOut = null;

  const { draws } = widget.together;
  const drawAll = () => figure(1);
  const settings = () => store.get().traits.panels ?? [];

  /** @param {Setting} setting @returns {Panel} */
  function add(setting) {
    const bar = make("panel-head");
    if (isPlot(setting)) return { setting, store, head: bar, body: room, plot, destroy: () => bar.remove() };
    const { look, leave } = lookOf(widget, setting, isFirst);
    const body = make("host");
    const own = look.createPlot(body, undefined, say);
    own.element.setAttribute("aria-describedby", plot.element.getAttribute("aria-describedby") ?? "");
    if (theme !== null) own.setTheme(theme);
    const unsubscribe = look.store.subscribe(schedule);
    return {
      setting,
      store: look.store,
      head: bar,
      body,
      plot: own,
      destroy() {
        unsubscribe();
        own.destroy();
        bar.remove();
        body.remove();
        leave();
      },
    };
  }

  /** @param {string} name */
  function make(name) {
    const element = document.createElement("div");
    element.className = name;
    host.append(element);
    return element;
  }

  /** Add and remove panels to match the settings. */
  function follow() {
    const wanted = settings();
    if (wanted === laidOut) return;
    const had = laidOut !== null;
    laidOut = wanted; // set first: the calls below may change the state and call this again
    for (const [number, panel] of [...panels]) {
      const next = wanted.find(({ id }) => id === number);
      if (next && keeps(widget, panel, next)) panel.setting = next;
      else panels.delete(number), panel.destroy();
    }
    for (const setting of wanted) if (!panels.has(setting.id)) panels.set(setting.id, add(setting));
    isFirst = false;
    room.style.display = wanted.length > 0 && !wanted.some(isPlot) ? "none" : "";
    draws.delete(drawAll);
    if (wanted.length > 0) draws.add(drawAll);
    if (had || wanted.length > 0) say(describePanelCount(wanted.length));
    place();
    order();
    draw();
    report();
  }

  /** Place the panels in the available room. */
  function place() {
    const wanted = settings();
    foot = legend.draw(legendLines(), theme);
    const grid = gridOf(Math.max(wanted.length, 1), host.clientWidth, host.clientHeight - foot);
    for (const side of ["left", "top", "width", "height", "right", "bottom"]) room.style.removeProperty(side);
    if (wanted.length === 0 && foot > 0) room.style.bottom = `${foot}px`;
    room.classList.remove("beside");
    wanted.forEach(({ id }, at) => {
      const panel = panels.get(id);
      if (panel === undefined) return;
      const isElsewhere = panel.setting.embedding !== undefined;
      const { head: above, body, isFirst, isLower } = placeOf(at, grid, foot);
      Object.assign(panel.head.style, above);
      panel.head.classList.toggle("elsewhere", isElsewhere);
      panel.head.classList.toggle("first", isFirst);
      panel.head.classList.toggle("lower", isLower);
      panel.body.classList.toggle("beside", !isFirst);
      Object.assign(panel.body.style, { ...body, right: "auto", bottom: "auto" });
    });
    const before = columns;
    columns = Math.min(grid.columns, wanted.length);
    if (columns !== before) schedule();
  }

  /** Legend lines of the overlays of the plot or of all panels. */
  function legendLines() {
    const wanted = settings();
    const states = wanted.length === 0 ? [store.get()] : wanted.flatMap(({ id }) => panels.get(id)?.store.get() ?? []);
    return legendOf(states, nounsOf(store.get()).obs.many);
  }

  /** Put the elements in tab order. Move nothing if the order is right, because a moved element loses the focus. */
  function order() {
    const wanted = settings().flatMap(({ id }) => [panels.get(id)?.head, panels.get(id)?.body]);
    const now = [...host.children].filter((one) => wanted.includes(/** @type {HTMLElement} */ (one)));
    if (now.some((one, i) => one !== wanted[i])) host.append(...wanted.filter((one) => one !== undefined));
  }

  function schedule() {
    frame ||= requestAnimationFrame(draw);
  }

  function draw() {
    cancelAnimationFrame(frame);
    frame = 0;
    const isLive = store.get().link !== "offline";
    const corner = settings()[columns - 1]?.id;
    for (const panel of panels.values()) {
      const state = asSeen(panel.store.get());
      const hands = isLive
        ? { remove: () => close(panel), choose: (/** @type {string} */ name) => turn(panel, name) }
        : null;
      render(
        head(state, panel.setting, theme?.dark ?? false, hands, panel.setting.id === corner ? closeAll : null),
        panel.head,
      );
      panel.plot.element.setAttribute("aria-label", `${titleOf(state, panel.setting)}. ${label}`);
    }
    if (panels.size === 0) plot.element.setAttribute("aria-label", label);
    if (legend.draw(legendLines(), theme) !== foot) place();
  }

  /** If the main plot is hidden, report the widget as ready once all panels are. */
  function report() {
    const bodies = [...panels.values()].map(({ body }) => body);
    if (status === null || bodies.length === 0 || bodies.includes(room)) return;
    const now = bodies.every(({ dataset }) => dataset.cxgState === "ready") ? "ready" : "loading";
    if (status.dataset.cxgState !== now) status.dataset.cxgState = now;
  }

  /** @param {Panel} panel */
  function close({ setting }) {
    const wanted = settings();
    const at = wanted.findIndex(({ id }) => id === setting.id);
    const left = wanted.filter(({ id }) => id !== setting.id);
    widget.actions.setTrait("panels", left.every(isPlot) ? [] : left);
    const next = left[Math.min(at, left.length - 1)];
    (panels.get(next?.id ?? -1)?.plot ?? plot).element.focus({ preventScroll: true });
  }

  function closeAll() {
    widget.actions.setTrait("panels", []);
    plot.element.focus({ preventScroll: true });
  }

  /** Change the embedding of a panel. @param {Panel} panel @param {string} embedding */
  function turn({ setting }, embedding) {
    if (isPlot(setting)) return widget.actions.setTrait("embedding", embedding);
    const others = settings().map((one) => (one.id === setting.id ? { ...one, embedding } : one));
    widget.actions.setTrait("panels", others);
  }

  /** All panels as one picture. @param {number} scale px per CSS px */
  async function figure(scale) {
    const shown = settings().map(({ id }) => /** @type {Panel} */ (panels.get(id)));
    if (shown.length === 0) return plot.figure(scale);
    const areApart = placesOf(store).length > 0;
    // Panels in the colors of the plot share one legend.
    const [areParts, hasPlot] = [
      shown.every(({ setting }) => isPart(setting)),
      shown.some(({ setting }) => isPlot(setting)),
    ];
    const keyed = areParts ? Math.min(columns, shown.length) - 1 : shown.findIndex(({ setting }) => isPart(setting));
    const figures = shown.map(({ plot: one, store: of, setting }, at) => {
      const title = titleOf(asSeen(of.get()), setting, areApart);
      const isKeyed = !isPart(setting) || (!hasPlot && at === keyed);
      return one.figure(scale, (key) => ({ ...(key !== null && isKeyed ? key : NO_KEY), title, size: "" }));
    });
    const how = { scale, theme, state: store.get(), element: host, lines: legendLines() };
    return compose(await Promise.all(figures), columns, how);
  }

  // Bind functions from outside: the widget outlives its views, and a closure made here would keep this view alive.
  widget.together.reset = resetPlaces.bind(null, store);
  store.set({ notesOnPlot: allNotes.bind(null, store) });
  const unsubscribe = store.subscribe(() => {
    follow();
    if (panels.size > 0 || foot > 0 || legendLines() !== null) schedule();
  });
  const resized = new ResizeObserver(place);
  resized.observe(host);
  const reported = new MutationObserver(report);
  for (const one of [host, status])
    if (one !== null) reported.observe(one, { attributeFilter: ["data-cxg-state"], subtree: true });
  follow();
  return {
    ...plot,
    figure,
    setTheme(next) {
      theme = /** @type {Theme} */ (next);
      plot.setTheme(next);
      for (const panel of panels.values()) if (panel.plot !== plot) panel.plot.setTheme(next);
      draw();
    },
    destroy() {
      cancelAnimationFrame(frame);
      unsubscribe();
      resized.disconnect();
      reported.disconnect();
      legend.destroy();
      draws.delete(drawAll);
      for (const panel of panels.values()) panel.destroy();
      plot.destroy();
    },
  };
}

/** Reset the view of each embedding that only panels show. @param {import("../../state/state.js").Store} store */
function resetPlaces(store) {
  for (const one of placesOf(store)) one.reset();
}

/** All notes: on the plot and on the embeddings that only panels show.
 * @param {import("../../state/state.js").Store} store @param {State} state */
function allNotes(store, state) {
  const ofPlaces = placesOf(store).flatMap(({ state: at }) => [nowhereNote(at()), placeNote(at()), tieNote(at())]);
  return [...notesOnPlot(state), ...ofPlaces];
}

/** @param {State} state */
function nowhereNote(state) {
  const { points } = state;
  const isNowhere = points !== null && points.nObs > 0 && points.nMissing >= points.nObs;
  return isNowhere ? `No ${nounsOf(state).obs.one} has coordinates in ${points.embedding}.` : "";
}

/** The shared look of a panel; created for the first view.
 * @param {Widget} widget @param {Setting} setting @param {boolean} isRequested see `createLook` */
function lookOf(widget, setting, isRequested) {
  const looks = LOOKS.get(widget.store) ?? new Map();
  LOOKS.set(widget.store, looks);
  const known = looks.get(setting.id);
  const shared = known?.look.isOf(setting) ? known : { look: createLook(widget, setting, isRequested), users: 0 };
  looks.set(setting.id, shared);
  shared.users++;
  return {
    look: /** @type {Look} */ (shared.look),
    leave() {
      if (--shared.users > 0) return;
      shared.look.destroy();
      if (looks.get(setting.id) === shared) looks.delete(setting.id);
    },
  };
}

/** Apply new settings to a panel; false = it must be created anew.
 * @param {Widget} widget @param {Panel} panel @param {Setting} next */
function keeps(widget, { setting }, next) {
  if (isPlot(setting) || isPlot(next)) return isPlot(setting) && isPlot(next);
  const look = LOOKS.get(widget.store)?.get(setting.id)?.look;
  if (!look?.isOf(next)) return false;
  look.take(next);
  return true;
}
