/** The list of all keys and gestures, as a dialog; which keys there are is said where they act. */
import { html, noChange, nothing } from "lit-html";
import { Directive, directive } from "lit-html/directive.js";
import { ICONS } from "../page/icons.js";
import { PAGE_KEYS } from "../page/keys.js";
import { PANELS } from "../page/panels/panel_buttons.js";
import { PLOT_KEYS } from "../plot/gestures.js";
import { MODES_TOLD } from "../plot/lasso.js";
import { nounsOf } from "../words/nouns.js";
import { DRAWING_KEYS, FINE_PX, STEP_PX } from "./key_shape.js";

/** @typedef {import("../page/panels/ui.js").Context} Context */
/** @typedef {[keys: string[], does: string, by?: "kernel"]} Row by: who does it, where that is not the page alone */

/** Panels tell their own names. @type {Record<Exclude<keyof typeof PAGE_KEYS, "panel">, string>} */
const ANYWHERE = {
  tool: "Pan, Lasso, Rectangle: what a drag and Enter do",
  everything: "Show everything",
  undo: "Take the last step back",
  redo: "Take it again",
  full: "Full screen, and back",
  list: "This list",
};
/** @type {Record<Exclude<keyof typeof PLOT_KEYS, "tool">, string>} */
const ON_THE_PLOT = {
  move: "Move the picture",
  closer: "Zoom in",
  farther: "Zoom out",
  everything: "Show everything",
  hold: "Held down, a drag moves the picture, whatever the tool",
  draw: "Begin to draw a polygon (Lasso) or a rectangle by keys",
  clear: "Clear the selection",
};
/** Of both, what takes a kernel. */
const BY_KERNEL = ["tool", "undo", "redo", "draw"];
/** @type {Record<keyof typeof DRAWING_KEYS, string>} */
const WHILE_DRAWING = {
  cursor: `Move the cursor by ${STEP_PX} px, with Shift by ${FINE_PX}`,
  corner: "Set a corner: the second one ends a rectangle; the first one, or the last one once more, a polygon",
  back: "Take the last corner back",
  drop: "End without selecting",
};

/** @param {Context["state"]} state @returns {[heading: string, rows: Row[], by?: "kernel"][]} */
function sections({ dataset, traits }) {
  const nouns = nounsOf({ dataset });
  const { one, many } = nouns.obs;
  const rows = (/** @type {Record<string, string>} */ words, /** @type {Record<string, string[]>} */ keys) =>
    Object.entries(words).map(
      ([name, does]) =>
        /** @type {Row} */ ([keys[name].map(named), does, BY_KERNEL.includes(name) ? "kernel" : undefined]),
    );
  const panels = PANELS.map(
    ({ key, name }) => /** @type {Row} */ ([[key], `${name(nouns)}, open or closed`, "kernel"]),
  );
  const anywhere = Object.fromEntries(Object.entries(PAGE_KEYS).map(([name, { keys }]) => [name, keys]));
  return [
    ["Anywhere in the widget", [...rows(ANYWHERE, anywhere), ...panels, [["Escape"], "Close what is open"]]],
    ["On the plot", rows(ON_THE_PLOT, PLOT_KEYS)],
    [
      `Selecting ${many} by keys`,
      [...rows(WHILE_DRAWING, DRAWING_KEYS), [["Shift", "Alt"], `At the last corner: ${MODES_TOLD}`]],
      "kernel",
    ],
    [
      "By hand",
      [
        [["Click"], `Tell of the ${nouns.obs.one} that is there, and show it in the table where that is open`],
        [["Drag"], "Move the picture, or draw what selects, as the tool says"],
        [["Shift", "Alt"], `At the begin or end of a drag: ${MODES_TOLD}`, "kernel"],
        [[traits.wheel_zoom ? "Wheel" : "Ctrl + wheel"], "Zoom where the pointer is"],
        [["Double click"], "Show everything"],
        [["Middle button"], "Drag to move the picture, whatever the tool"],
        [["Two fingers"], "Move and zoom"],
      ],
    ],
    [
      "In the table",
      [
        [["Arrow keys", "Home", "End"], "Go from value to value"],
        [["Page Up", "Page Down", "Ctrl + Home", "Ctrl + End"], "Go far, to the first row and the last"],
        [["Enter", "Click"], "On a head: sort by it, up, down, not at all"],
        [["Enter", "Double click"], `On a row: select its ${one}. ${MODES_TOLD}`],
        [["Ctrl + C"], "Copy rows"],
      ],
      "kernel",
    ],
    [
      `In the table of ${nouns.var.many} of a comparison`,
      [
        [["Enter", "Click"], `On a head: sort by it. On a row: color by its ${nouns.var.one}`],
        [["Drag"], `Over the volcano: list the ${nouns.var.many} within; a click beside them lists all again`],
      ],
    ],
    [
      "In the legend, and in columns",
      [
        [["Arrow keys"], "Go from row to row"],
        [["Space", "Click"], "Hide or show a category"],
        [["Enter", "Double click"], "Show it alone"],
        [["S"], `Select its ${many}. ${MODES_TOLD}`, "kernel"],
        [["Arrow keys"], "On a range or a limit: move it; Shift and arrows grow a range, Escape clears it"],
      ],
    ],
  ];
}

/** A key as people call it. @param {string} key @returns {string} */
function named(key) {
  return { " ": "Space", "-": "−", ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓" }[key] ?? key;
}

/** Shows a dialog that has been put into the document: the browser keeps the focus in it and gives it back. */
const shown = directive(
  class extends Directive {
    /** @param {any} part */
    update({ element }) {
      queueMicrotask(() => element.isConnected && !element.open && element.showModal());
      return noChange;
    }

    render() {
      return noChange;
    }
  },
);

/** @param {Context} context */
export function keyList({ state, ui, update }) {
  if (ui.popover !== "keys") return nothing;
  const stop = (/** @type {Event} */ event) => event.stopPropagation(); // keys are for the dialog alone
  const leave = (/** @type {Event} */ event) =>
    event.target === event.currentTarget && /** @type {HTMLDialogElement} */ (event.target).close(); // beside it
  return html`<dialog class="keys" data-popover="keys" aria-labelledby="keys-heading" ${shown()} @keydown=${stop} @click=${leave}
    @close=${() => update({ popover: "" })}>
    <div class="all">
      <form method="dialog" class="head"><h2 id="keys-heading">Keys and gestures</h2>
        <button class="small" aria-label="Close" title="Close (Esc)">${ICONS.close}</button></form>
      ${sections(state).map(
        ([heading, rows, whose = "page"]) =>
          html`<h3 data-by=${whose}>${heading}</h3><dl data-by=${whose}>${rows.map(
            ([keys, does, by = "page"]) =>
              html`<div data-by=${by}><dt>${keys.map((key) => html`<kbd>${key}</kbd> `)}</dt><dd>${does}</dd></div>`,
          )}</dl>`,
      )}
    </div>
  </dialog>`;
}
