/** The legend of a numeric colouring: histogram over the colour bar, two limits to drag or type, the colormap. */
import { html, nothing } from "lit-html";
import { countsOf } from "../../state/counts.js";
import { limitsShown, readLimit, resolveLimit } from "../../style/limits.js";
import { isOfPixels, stopsOf } from "../../style/style.js";
import { shortNumber } from "../../words/format.js";
import { nounsOf } from "../../words/nouns.js";
import { colormapMenu } from "./colormap_menu.js";
import { barHeights, barPath, gradient, mergeBins, placeOf, valueAfterKey, valueAt } from "./histogram.js";
import { missingRow } from "./missing.js";

/** @typedef {import("./ui.js").Context} Context */
/** @typedef {import("../../state/state.js").Coloring} Coloring */
/** @typedef {"vmin" | "vmax"} Limit */

const MOST_BARS = 64;
/** @type {Limit[]} */
const LIMITS = ["vmin", "vmax"];
const CROSSED = {
  vmin: "The lower limit must not lie above the upper one.",
  vmax: "The upper limit must not lie below the lower one.",
};
const LIMIT_NAMES = { vmin: "Lower limit", vmax: "Upper limit" };

/** @param {Context} context @param {Coloring} color */
export function numberLegend(context, color) {
  const { state, actions } = context;
  if (color.nMissing >= color.nObs) return html`<p class="none">There are no values.</p>${missingRow(context, color)}`;
  const limits = limitsInForce(context, color);
  const { vmin, vmax } = state.traits;
  const reset = () => LIMITS.forEach((name) => actions.setTrait(name, null));
  return html`
    ${color.hi > color.lo ? scale(context, color, limits) : oneValue(color)}
    <div class="limits">
      ${field(context, color, "vmin", limits)}
      ${vmin === null && vmax === null ? nothing : html`<button type="button" class="text" @click=${reset}>Reset</button>`}
      ${field(context, color, "vmax", limits)}
    </div>
    ${context.ui.badLimit === "" ? nothing : html`<p class="none" role="alert">${context.ui.limitFault}</p>`}
    <p class="detail shown">${whatIsShown(state)}</p>
    ${colormapMenu(context)}
    ${missingRow(context, color)}`;
}

/** @param {Context} context @param {Coloring} color @returns {Record<Limit, number>} */
function limitsInForce(context, color) {
  const vmin = limitShown(context, color, "vmin");
  return { vmin, vmax: Math.max(vmin, limitShown(context, color, "vmax")) };
}

/** The limit in force: the one under the hand, else what the trait says, else what suits the picture.
 * @param {Context} context @param {Coloring} color @param {Limit} name @returns {number} */
function limitShown({ state, ui }, color, name) {
  if (ui.drag?.name === name) return ui.drag.value;
  return limitsShown(color, state.traits)[LIMITS.indexOf(name)];
}

/** @param {Context} context @param {Coloring} color @param {Record<Limit, number>} limits */
function scale(context, color, limits) {
  const { lo, hi } = color;
  const places = { vmin: placeOf(limits.vmin, lo, hi), vmax: placeOf(limits.vmax, lo, hi) };
  const bars = mergeBins(color.histogram, MOST_BARS);
  const selected = mergeBins(countsOf(context.state, color)?.counts ?? [], MOST_BARS);
  return html`<div class="scale" @pointerdown=${(/** @type {PointerEvent} */ event) => grab(context, color, limits, event)}>
    <svg class="histogram" viewBox="0 0 ${Math.max(1, bars.length)} 1" preserveAspectRatio="none" role="img"
      aria-label="Histogram of ${color.name}, heights by cube root${selected.length > 0 ? "; in front of all, those selected" : ""}">
      <path d=${barPath(barHeights(bars))} /><path class="selected" d=${barPath(barHeights(selected, Math.max(...bars)))} /></svg>
    <div class="ramp" style="background:${gradient(stopsOf(context.state.traits.cmap, context.ui.dark), places.vmin, places.vmax)}"></div>
    <i class="outside" style="width:${100 * places.vmin}%"></i>
    <i class="outside" style="left:${100 * places.vmax}%;right:0"></i>
    ${LIMITS.map((name) => handle(context, color, name, limits, places[name]))}
  </div>`;
}

/** What the colours stand for: of which number of those that share a pixel, and between which ends. @param {import("../../state/state.js").State} state */
export function whatIsShown({ crowd: { weight, solidity }, traits: { vmin, vmax, statistic }, color, dataset }) {
  const { many } = nounsOf({ dataset }).obs;
  if (isOfPixels(statistic) && !color?.statistic) return "";
  const number =
    weight === 0
      ? "their mean"
      : weight < 1
        ? "a number between their mean and the highest"
        : solidity < 1
          ? "the highest"
          : "";
  const shared = color?.statistic
    ? `Shown per pixel: ${color.statistic}.`
    : number === ""
      ? "High values lie on top."
      : `Where ${many} share a pixel, it shows ${number}.`;
  return color?.limits && (vmin === null || vmax === null)
    ? `${shared} The colors span 99 % of what is shown.`
    : shared;
}

/** A column with one value has no range to show. @param {Coloring} color */
function oneValue(color) {
  return html`<p class="none">Every value is ${shortNumber(color.lo)}.</p>`;
}

/** @param {Context} context @param {Coloring} color @param {Limit} name @param {Record<Limit, number>} limits in force @param {number} place */
function handle(context, color, name, limits, place) {
  const { actions } = context;
  const value = limits[name];
  const [least, greatest] = reachOf(name, limits, color);
  return html`<div class="handle ${name}" role="slider" tabindex="0" data-limit=${name} aria-label=${LIMIT_NAMES[name]} aria-orientation="horizontal"
    aria-valuemin=${least} aria-valuemax=${greatest} aria-valuenow=${value} aria-valuetext=${shortNumber(value)} style="left:${100 * place}%"
    @dblclick=${() => actions.setTrait(name, null)}
    @keydown=${(/** @type {KeyboardEvent} */ event) => {
      const now = limitsInForce(context, color); // keys come faster than drawings
      const moved = valueAfterKey(
        event.key,
        event.shiftKey,
        now[name],
        [color.lo, color.hi],
        reachOf(name, now, color),
      );
      if (moved === null || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      event.stopPropagation();
      actions.dragLimit(name, held(name, moved, now), true);
    }}></div>`;
}

/** Drag the handle under the pointer, or else the nearer one. @param {Context} context @param {Coloring} color @param {Record<Limit, number>} limits
 * @param {PointerEvent} event */
function grab(context, color, limits, event) {
  if (event.button !== 0) return;
  const strip = /** @type {HTMLElement} */ (event.currentTarget);
  const { left, width } = strip.getBoundingClientRect();
  const valueUnder = (/** @type {PointerEvent} */ at) => valueAt((at.clientX - left) / width, color.lo, color.hi);
  const handled = event.target instanceof HTMLElement ? event.target.dataset.limit : undefined;
  const name = handled === "vmin" || handled === "vmax" ? handled : nearer(valueUnder(event), limits);
  strip.setPointerCapture(event.pointerId);
  /** @type {HTMLElement | null} */ (strip.querySelector(`[data-limit=${name}]`))?.focus({ preventScroll: true });
  event.preventDefault();
  const listening = new AbortController();
  let moved = handled === undefined;
  const move = (/** @type {PointerEvent} */ at, /** @type {boolean} */ done) => {
    const value = held(name, valueUnder(at), limits);
    context.update({ drag: done ? null : { name, value } });
    if (moved) context.actions.dragLimit(name, value, done);
  };
  const stop = () => {
    listening.abort();
    context.update({ drag: null });
  };
  const { signal } = listening;
  strip.addEventListener("pointermove", (at) => void ((moved = true), move(at, false)), { signal });
  strip.addEventListener("pointerup", (at) => void (move(at, true), stop()), { signal });
  strip.addEventListener("pointercancel", stop, { signal });
  if (moved) move(event, false);
}

/** @param {number} value @param {Record<Limit, number>} limits @returns {Limit} */
function nearer(value, limits) {
  return Math.abs(value - limits.vmin) <= Math.abs(value - limits.vmax) ? "vmin" : "vmax";
}

/** How far a limit may go: to an end of the data, or to the other limit. @param {Limit} name @param {Record<Limit, number>} limits @param {Coloring} color
 * @returns {[number, number]} */
function reachOf(name, { vmin, vmax }, { lo, hi }) {
  return name === "vmin" ? [lo, Math.max(lo, Math.min(hi, vmax))] : [Math.min(hi, Math.max(lo, vmin)), hi];
}

/** A dragged limit stops at the other one. @param {Limit} name @param {number} value @param {Record<Limit, number>} limits @returns {number} */
function held(name, value, limits) {
  return name === "vmin" ? Math.min(value, limits.vmax) : Math.max(value, limits.vmin);
}

/** @param {Context} context @param {Coloring} color @param {Limit} name @param {Record<Limit, number>} limits in force */
function field(context, color, name, limits) {
  const { state, ui } = context;
  const [trait, value] = [state.traits[name], limits[name]];
  const text = typeof trait === "string" && ui.drag?.name !== name ? trait : shortNumber(value);
  const input = (/** @type {Event} */ event) => /** @type {HTMLInputElement} */ (event.currentTarget);
  return html`<input type="text" class="limit ${trait === null ? "auto" : ""}" aria-label="${LIMIT_NAMES[name]}: a number, or a percentile such as p99"
    title=${typeof trait === "string" ? `${trait} = ${shortNumber(value)}` : "A number, or a percentile such as p99; empty for what suits the picture"}
    aria-invalid=${ui.badLimit === name} autocomplete="off" spellcheck="false" ?disabled=${state.link === "offline"} .value=${text}
    @focus=${(/** @type {Event} */ event) => input(event).select()} @change=${(/** @type {Event} */ event) => commit(context, color, name, limits, text, input(event))}
    @keydown=${(/** @type {KeyboardEvent} */ event) => event.key === "Escape" && restore(context, text, input(event))}>`;
}

/** @param {Context} context @param {Coloring} color @param {Limit} name @param {Record<Limit, number>} limits in force @param {string} text what was shown
 * @param {HTMLInputElement} input */
function commit(context, color, name, limits, text, input) {
  const limit = readLimit(input.value);
  if (limit === undefined)
    return context.update({ badLimit: name, limitFault: "A limit is a number, or a percentile such as p99." });
  if (input.value !== text) {
    const value = resolveLimit(limit, color, name === "vmin" ? color.lo : color.hi);
    if (limit !== null && held(name, value, limits) !== value)
      return context.update({ badLimit: name, limitFault: CROSSED[name] });
    context.actions.setTrait(name, limit);
  }
  return restore(context, text, input);
}

/** @param {Context} context @param {string} text @param {HTMLInputElement} input */
function restore(context, text, input) {
  input.value = text;
  context.update({ badLimit: "" });
}
