/** The layout of a view: creates the elements in its shadow root and arranges the templates of parts/. */
import { html, nothing } from "lit-html";
import { divider, sizeOf } from "./parts/divider.js";
import { embeddingBox } from "./parts/embedding.js";
import { ROW_PX } from "./parts/legend_rows.js";
import { emptyMessage, progressBar } from "./parts/messages.js";
import { searchBox } from "./parts/search.js";
import { statusLine } from "./parts/status.js";
import { panelButton, toolbar } from "./parts/toolbar.js";
import { tooltip } from "./parts/tooltip.js";
import css from "./style.css";

/** @typedef {import("./parts/ui.js").Context} Context */

/** A widget below this height has buttons and status in one line, and the fields of its panel side by side. */
const LOW_PX = 240;

/** Creates the elements that all redraws share. @param {HTMLElement} el */
export function createElements(el) {
  el.classList.add("cxg-widget");
  const host = document.createElement("div");
  // Otherwise JupyterLab's shortcuts would take the keys of the focused element.
  host.setAttribute("data-lm-suppress-shortcuts", "true");
  const root = host.attachShadow({ mode: "open" });
  const style = document.createElement("style");
  style.textContent = css;
  const mount = document.createElement("div");
  mount.className = "mount";
  const plotHost = document.createElement("div");
  plotHost.className = "host";
  mount.append(plotHost); // the first redraw moves it into the layout
  const spoken = document.createElement("div");
  spoken.className = "spoken";
  spoken.setAttribute("role", "status");
  const described = document.createElement("p");
  described.id = "described";
  described.hidden = true;
  plotHost.append(spoken);
  root.append(style, mount, described);
  el.append(host);
  return { host, mount, plotHost, spoken, described };
}

/** @param {Context} context @param {HTMLElement} plotHost @param {(context: Context, more: unknown) => unknown} drawLegend */
export function layout(context, plotHost, drawLegend) {
  const { state, ui } = context;
  const panels = context.panels?.(context);
  const bare = state.link === "offline" && state.dataset === null;
  const panel = bare ? "closed" : ui.panel === null ? "auto" : ui.panel ? "open" : "closed";
  return html`<div class="root ${sizeClass(context)}" data-panel=${panel} style=${sizes(context)}>
    ${bare ? nothing : toolbar(context, panels?.settings, panels?.saving)}
    <div class="plot">
      ${plotHost} ${panels?.chips} ${emptyMessage(context)} ${tooltip(context)} ${progressBar(context)}
    </div>
    ${statusLine(context, panels?.notes)} ${bare ? nothing : panelButton(context)} ${panels?.side}
    <aside class="panel" id="panel" aria-label="Colors">
      ${divider(context, "panel_width")}
      ${state.dataset === null && state.link !== "offline" ? skeletonFields() : html`${embeddingBox(context, panels?.place)} ${searchBox(context)}`} ${drawLegend(context, panels?.legend)}
    </aside>
    ${panels?.bottom} ${bare || ui.full ? nothing : divider(context, "height")}
  </div>`;
}

/** The same layout with only the plot and empty elements around it. @param {Context} context
 * @param {HTMLElement} plotHost */
export function plotAlone(context, plotHost) {
  return html`<div class="root ${sizeClass(context)}" data-panel=${context.ui.panel === null ? "auto" : "open"} style=${sizes(context)}>
    <div class="toolbar"></div><div class="plot">${plotHost}</div><div class="status"></div>
    <aside class="panel" id="panel"></aside>
  </div>`;
}

/** Placeholders with the height of the fields that replace them. */
function skeletonFields() {
  const field = html`<div class="field skeleton" aria-hidden="true"><span class="caption">&nbsp;</span><div class="box"></div></div>`;
  return [field, field];
}

/** True if the view is too narrow for the side panel beside the plot; style.css defines the width.
 * @param {HTMLElement} mount @returns {boolean} */
export function isNarrow(mount) {
  const root = mount.querySelector(".root");
  return root !== null && getComputedStyle(root).getPropertyValue("--is-narrow") !== "";
}

/** @param {Context} context */
function sizeClass(context) {
  return context.ui.full ? "full" : sizeOf(context, "height") < LOW_PX ? "low" : "";
}

/** @param {Context} context */
function sizes(context) {
  return `--height:${context.ui.full ? "100vh" : `${sizeOf(context, "height")}px`};--panel-px:${sizeOf(context, "panel_width")}px;--row-px:${ROW_PX}px`;
}
