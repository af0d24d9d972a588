/** The Settings popover: points, overlapping cells, color scale, names, contours, scrolling, saved pictures. */
// Changes with cxg_widget/display/statistic.py: words of a statistic and of density.
import { html, nothing } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { textIn } from "../../page/parts/ui.js";
import { readLimit } from "../../style/limits.js";
import { shortNumber } from "../../words/format.js";
import { nounsOf } from "../../words/nouns.js";

/**
 * @typedef {object} Slider
 * @property {number} min
 * @property {number} max
 * @property {number} step
 * @property {number} start value when the setting stops being automatic
 * @property {(value: number) => string} text @property {(value: number) => string} spoken to screen readers
 */
/** @type {Slider} */
const SIZE = { min: 0.5, max: 12, step: 0.5, start: 3, text: (px) => `${px} px`, spoken: (px) => `${px} pixels` };
const percent = (/** @type {number} */ share) => Math.round(share * 100);
/** @type {Slider} */
const OPACITY = {
  min: 0.02,
  max: 1,
  step: 0.01,
  start: 1,
  text: (share) => `${percent(share)} %`,
  spoken: (share) => `${percent(share)} percent`,
};
/** @type {Record<import("../../wire/constants.js").Settings["density"], string>} */
const DENSITIES = { eq_hist: "equalized", log: "logarithmic", cbrt: "cube root", linear: "linear" };
/** @type {Record<import("../../wire/constants.js").Settings["filtered"], string>} */
const FILTERED = { hide: "hidden", grey: "grey" };
/** @type {Record<import("../../wire/constants.js").Settings["background"] & string | "", string>} */
const BACKGROUNDS = { "": "as displayed", white: "white", dark: "dark", transparent: "transparent" };
/** @type {Record<import("../../wire/constants.js").Settings["scale"], string>} */
const SCALES = { linear: "linear", log: "logarithmic" };
/** @type {Record<import("../../wire/constants.js").Settings["limits"], string>} */
const LIMITS = { hold: "fixed for the whole plot", follow: "follow the zoom" };
/** @type {Record<import("../../wire/constants.js").Settings["zero"], string>} */
const ZEROS = { color: "colored", grey: "grey, behind the others" };
/** @type {Record<import("../../wire/constants.js").Statistic, string>} */
const STATISTICS = {
  auto: "mean; maximum when zoomed in",
  mean: "mean",
  max: "maximum",
  min: "minimum",
  sum: "sum",
  std: "standard deviation",
  var: "variance",
  count: "count",
};

/** @param {import("../../page/parts/ui.js").Context} context @param {ReturnType<typeof import("./tissue_choice.js").createTissueChoice>} tissue */
export function settingsPopover(context, tissue) {
  const { state, ui, actions } = context;
  if (ui.popover !== "settings") return nothing;
  const { point_size: size, opacity } = state.traits;
  return html`<div class="popover settings" role="dialog" aria-label="Settings">
    ${slider("Point size", size, SIZE, (value) => actions.setTrait("point_size", value))}
    ${slider("Opacity", opacity, OPACITY, (value) => actions.setTrait("opacity", value))}
    ${together(state, actions)}
    ${choice("Filtered out", FILTERED, state.traits.filtered, (value) => actions.setTrait("filtered", value))}
    ${tissue(context)}
    ${onPlot(state, actions)}
    ${numbers(state, actions)}
    <label class="check" title="Ctrl or Cmd + scroll always zooms">
      <input type="checkbox" .checked=${live(state.traits.wheel_zoom)}
        @change=${() => actions.setTrait("wheel_zoom", !state.traits.wheel_zoom)}>Scroll to zoom
    </label>
    ${pictures(state, actions)}
  </div>`;
}

/** A slider for a number that may be automatic.
 * @param {string} label @param {number | null} value @param {Slider} slider
 * @param {(value: number | null) => void} set */
function slider(label, value, { min, max, step, start, text, spoken }, set) {
  const isAuto = value === null;
  return html`<div class="setting">
    <span>${label}</span>
    <output>${isAuto ? "" : text(value)}</output>
    <label class="check">
      <input type="checkbox" aria-label="Auto ${label.toLowerCase()}" .checked=${live(isAuto)} @change=${() => set(isAuto ? start : null)}>Auto
    </label>
    <input type="range" aria-label=${label} min=${min} max=${max} step=${step} class=${isAuto ? "quiet" : ""}
      aria-valuetext=${isAuto ? "automatic" : spoken(value)} .value=${live(String(value ?? start))}
      @input=${(/** @type {Event} */ event) => set(Number(textIn(event)))}>
  </div>`;
}

/** Settings of saved pictures.
 * @param {import("../../state/state.js").State} state @param {import("../../state/actions.js").Actions} actions */
function pictures({ traits: { legend, background } }, actions) {
  return html`<label class="check" title="In downloaded pictures and in the notebook's saved picture">
      <input type="checkbox" .checked=${live(legend)} @change=${() => actions.setTrait("legend", !legend)}>Legend in pictures</label>
    ${choice("Background", BACKGROUNDS, background ?? "", (value) => actions.setTrait("background", value || null))}`;
}

/** Settings of the color scale of numbers.
 * @param {import("../../state/state.js").State} state @param {import("../../state/actions.js").Actions} actions */
function numbers({ traits: { scale, zero, center, limits }, color }, actions) {
  if (color?.scale !== "continuous") return nothing;
  const text = center === null || center === undefined ? "" : shortNumber(center);
  const commit = (/** @type {Event} */ event) => {
    const input = /** @type {HTMLInputElement} */ (event.currentTarget);
    const typed = readLimit(input.value);
    if (typed === null || typeof typed === "number") actions.setTrait("center", typed);
    else input.value = text;
  };
  return html`${choice("Color scale", SCALES, scale, (value) => actions.setTrait("scale", value))}
    ${choice("Zeros", ZEROS, zero, (value) => actions.setTrait("zero", value))}
    <label class="setting choose"><span>Center</span>
      <input class="wide" type="text" autocomplete="off" placeholder="none" .value=${live(text)} @change=${commit}></label>
    ${color?.limits && !color.statistic ? choice("Color limits", LIMITS, limits, (value) => actions.setTrait("limits", value)) : nothing}`;
}

/** The setting for cells that share a pixel.
 * @param {import("../../state/state.js").State} state @param {import("../../state/actions.js").Actions} actions */
function together({ traits, color, points, dataset }, actions) {
  const { statistic } = traits;
  const label = `Overlapping ${nounsOf({ dataset }).obs.many}`;
  if (color?.scale === "continuous")
    return choice(
      label,
      { ...STATISTICS, [statistic]: STATISTICS[/** @type {keyof typeof STATISTICS} */ (statistic)] ?? statistic },
      statistic,
      (value) => actions.setTrait("statistic", value),
    );
  return points?.aggregated
    ? choice("Density", DENSITIES, traits.density, (value) => actions.setTrait("density", value))
    : nothing;
}

/** Settings of category names and contours.
 * @param {import("../../state/state.js").State} state @param {import("../../state/actions.js").Actions} actions */
function onPlot({ traits, dataset }, actions) {
  const columns = (dataset?.columns ?? []).filter(({ kind }) => kind !== "int" && kind !== "float");
  // Keys are positions, because an object lists keys that are integers first.
  const named = Object.fromEntries(columns.map(({ name }, i) => [`column ${i}`, name]));
  const chosen = (/** @type {string | boolean | string[] | null} */ wanted) =>
    wanted === true
      ? "all"
      : Array.isArray(wanted)
        ? "sets"
        : wanted
          ? `column ${columns.findIndex(({ name }) => name === wanted)}`
          : "";
  const { contours } = traits;
  /** @type {Record<string, string>} */
  const sets = Array.isArray(contours)
    ? { sets: contours.length > 1 ? `sets ${contours.join(", ")}` : `set ${contours}` }
    : {};
  const all = { "": "none", all: `all ${nounsOf({ dataset }).obs.many}`, ...sets };
  return [
    choice("Names", { "": "none", ...named }, chosen(traits.labels), (value) =>
      actions.setTrait("labels", named[value] ?? null),
    ),
    choice("Contours", { ...all, ...named }, chosen(traits.contours), (value) =>
      actions.setTrait("contours", value === "sets" ? contours : value === "all" ? true : (named[value] ?? null)),
    ),
  ];
}

/** @param {string} label @param {Record<string, string>} options trait value -> text @param {string} chosen @param {(value: any) => void} choose */
function choice(label, options, chosen, choose) {
  const pick = (/** @type {Event} */ event) => choose(textIn(event));
  return html`<label class="setting choose"><span>${label}</span>
    <select class="wide" .value=${live(chosen)} @change=${pick}>
      ${Object.entries(options).map(([value, text]) => html`<option value=${value} ?selected=${value === chosen}>${text}</option>`)}
    </select></label>`;
}
