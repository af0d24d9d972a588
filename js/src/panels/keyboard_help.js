/** The dialog that lists all keys and gestures. */
// Changes with js/src/plot/gestures.js and js/src/page/keys.js: keys, and the list of them.
import { html, noChange, nothing } from "lit-html";
import { Directive, directive } from "lit-html/directive.js";
import { ICONS } from "../page/icons.js";
import { PAGE_KEYS } from "../page/keys.js";
import { PANELS } from "../page/parts/panel_buttons.js";
import { PLOT_KEYS } from "../plot/gestures.js";
import { MODES_HINT } from "../plot/lasso.js";
import { nounsOf } from "../words/nouns.js";
import { DRAWING_KEYS, FINE_PX, STEP_PX } from "./keyboard_shape.js";

/** @typedef {import("../page/parts/ui.js").Context} Context */
/** @typedef {[keys: string[], does: string, by?: "kernel"]} Row by: "kernel" if the action needs one */

/** Descriptions of the keys of the page; panels bring their own names.
 * @type {Record<Exclude<keyof typeof PAGE_KEYS, "panel">, string>} */
const ANYWHERE = {
  tool: "Choose Pan, Lasso or Rectangle",
  everything: "Reset view",
  undo: "Undo",
  redo: "Redo",
  full: "Enter or exit full screen",
  list: "Show this list",
};
/** @type {Record<Exclude<keyof typeof PLOT_KEYS, "tool">, string>} */
const ON_THE_PLOT = {
  move: "Pan",
  closer: "Zoom in",
  farther: "Zoom out",
  everything: "Reset view",
  hold: "Hold and drag to pan with any tool",
  draw: "Draw a polygon (Lasso) or rectangle with keys",
  clear: "Clear the selection",
};
/** Keys of both lists that need a kernel. */
const BY_KERNEL = ["tool", "undo", "redo", "draw"];
/** @type {Record<keyof typeof DRAWING_KEYS, string>} */
const WHILE_DRAWING = {
  cursor: `Move the cursor by ${STEP_PX} px, with Shift by ${FINE_PX}`,
  corner: "Set a corner. A rectangle ends at its second corner; a polygon ends at its first or last corner",
  back: "Remove the last corner",
  drop: "Cancel the drawing",
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
  const panels = PANELS.map(({ key, name }) => /** @type {Row} */ ([[key], `Open or close ${name(nouns)}`, "kernel"]));
  const anywhere = Object.fromEntries(Object.entries(PAGE_KEYS).map(([name, { keys }]) => [name, keys]));
  return [
    ["Anywhere in the widget", [...rows(ANYWHERE, anywhere), ...panels, [["Escape"], "Close the open menu or panel"]]],
    ["On the plot", rows(ON_THE_PLOT, PLOT_KEYS)],
    [
      `Select ${many} with keys`,
      [...rows(WHILE_DRAWING, DRAWING_KEYS), [["Shift", "Alt"], `At the last corner: ${MODES_HINT}`]],
      "kernel",
    ],
    [
      "Mouse and touch",
      [
        [["Click"], `Show details of the ${nouns.obs.one}, and its row if the table is open`],
        [["Drag"], "Pan or select, depending on the tool"],
        [["Shift", "Alt"], `At the start or end of a drag: ${MODES_HINT}`, "kernel"],
        [[traits.wheel_zoom ? "Wheel" : "Ctrl + wheel"], "Zoom at the pointer"],
        [["Double click"], "Reset view"],
        [["Middle button"], "Drag to pan with any tool"],
        [["Two fingers"], "Pan and zoom"],
        [["Long press"], "Show the tooltip"],
      ],
    ],
    [
      "In the table",
      [
        [["Arrow keys", "Home", "End"], "Move between cells of the table"],
        [["Page Up", "Page Down", "Ctrl + Home", "Ctrl + End"], "Move by a page, to the first or last row"],
        [["Enter", "Click"], "On a column header: sort ascending, descending, or in original order"],
        [["Enter", "Double click"], `On a row: select the ${one}. ${MODES_HINT}`],
        [["Ctrl + C"], "Copy rows"],
      ],
      "kernel",
    ],
    [
      `In the ${nouns.var.one} table of a comparison`,
      [
        [["Enter", "Click"], `On a column header: sort. On a row: color by the ${nouns.var.one}`],
        [["Drag"], `On the volcano plot: list the ${nouns.var.many} in the box; click outside to list all`],
      ],
    ],
    [
      "In the study",
      [
        [["Arrow keys", "Home", "End"], "Move between cards, conditions and samples"],
        [["Enter", "Click"], `Select the ${many} of a sample, condition or category. ${MODES_HINT}`],
        [["Delete"], "Exclude the sample, or include it again"],
      ],
      "kernel",
    ],
    [
      "In the legend and in Columns",
      [
        [["Arrow keys"], "Move between rows"],
        [["Space", "Click"], "Hide or show a category"],
        [["Enter", "Double click"], "Show only this category"],
        [["S"], `Select the ${many}. ${MODES_HINT}`, "kernel"],
        [["Arrow keys"], "On a range or limit: move it; Shift + arrows resize a range, Escape clears it"],
      ],
    ],
  ];
}

/** The common name of a key. @param {string} key @returns {string} */
function named(key) {
  return { " ": "Space", "-": "−", ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓" }[key] ?? key;
}

/** Opens a dialog as modal once it is in the document: the browser then traps the focus and returns it. */
const shown = directive(
  class extends Directive {
    /** @param {any} part */
    update({ element }) {
      queueMicrotask(() => {
        if (!element.isConnected || element.open) return;
        // In VS Code the window is as high as the whole notebook: a centered dialog could be out of view.
        const { top } = element.getRootNode().host.getBoundingClientRect();
        if (innerHeight > screen.height) element.style.margin = `${Math.max(top, 0) + 16}px auto auto`;
        element.showModal();
      });
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
  const stop = (/** @type {Event} */ event) => event.stopPropagation(); // only the dialog handles keys
  const leave = (/** @type {Event} */ event) =>
    // a click on the backdrop
    event.target === event.currentTarget && /** @type {HTMLDialogElement} */ (event.target).close();
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
