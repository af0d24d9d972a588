/** The legend of a numeric coloring: a histogram over the color bar, two limits to drag or type, and the colormap. */
// Changes with cxg_widget/color/scale.py: kinds of a scale of colors.
// Changes with js/src/words/legend_words.js: words where a scale has no values.
// Changes with cxg_widget/draw/points/crowding.py: words for what a pixel shows.
import { html, nothing } from "lit-html";
import { countPassing, countsOf } from "../../state/counts.js";
import { readLimit, resolveLimit } from "../../style/limits.js";
import { isOfPixels, stopsOf } from "../../style/point_style.js";
import { scaleOf, WAYS } from "../../style/scale.js";
import { shortNumber } from "../../words/format.js";
import { zerosOf } from "../../words/legend_words.js";
import { nounsOf } from "../../words/nouns.js";
import { colormapMenu } from "./colormap_menu.js";
import { barHeights, barPath, cutOf, gradient, placeOf, valueAfterKey, valueAt } from "./legend_histogram.js";
import { missingRow } from "./legend_missing.js";

/** @typedef {import("./ui.js").Context} Context */
/** @typedef {import("../../state/state.js").Coloring} Coloring */
/** @typedef {"vmin" | "vmax"} Limit */

/** @type {Limit[]} */
const LIMITS = ["vmin", "vmax"];
const CROSSED = {
  vmin: "The lower limit must not exceed the upper limit.",
  vmax: "The upper limit must not be below the lower limit.",
};
const LIMIT_NAMES = { vmin: "Lower limit", vmax: "Upper limit" };

/** @param {Context} context @param {Coloring} color @param {unknown} more the list of colormaps, if it is open */
export function numberLegend(context, color, more) {
  const { state, actions } = context;
  if (color.nMissing >= color.nObs) return html`<p class="none">No values.</p>${missingRow(context, color)}`;
  if (state.traits.scale === "log" && color.hi <= 0)
    return html`<p class="none">No values above 0.</p>${zeroRow(context, color)}${missingRow(context, color)}`;
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
    ${colormapMenu(context, more)}
    ${zeroRow(context, color)}
    ${missingRow(context, color)}`;
}

/** The effective limits: a dragged limit, else the trait, else the default for the picture.
 * @param {Context} context @param {Coloring} color @returns {Record<Limit, number>} */
function limitsInForce({ state: { traits }, ui: { drag } }, color) {
  const { low, high } = scaleOf(color, drag === null ? traits : { ...traits, [drag.name]: drag.value });
  return { vmin: low, vmax: Math.max(low, high) };
}

/** The axis of the bar: its ends, and the transform to it and back. @param {Coloring} color
 * @param {Pick<import("../../wire/constants.js").Settings, "scale">} traits */
function axisOf({ lo, hi, least }, { scale }) {
  const [to, from] = WAYS[scale];
  const ends = /** @type {[number, number]} */ ([to(scale === "log" ? least : lo), to(hi)]);
  return {
    ends,
    to,
    placeOf: (/** @type {number} */ value) => placeOf(to(value), ...ends),
    valueAt: (/** @type {number} */ place) => from(valueAt(place, ...ends)),
    from,
  };
}

/** The row of numbers drawn in the grey of zeros. @param {Context} context @param {Coloring} color */
const zeroRow = ({ state, ui }, color) => swatches(zerosOf(countPassing(state, color), state.traits, ui.dark));

/** Legend rows without actions. @param {import("../../words/legend_words.js").Key["rows"]} rows */
export function swatches(rows) {
  return rows.map(
    ([label, amount, grey]) =>
      html`<div class="row zero"><i class="swatch" style="background:${grey}"></i><span class="label">${label}</span><span class="end"><span class="count">${amount}</span></span></div>`,
  );
}

/** @param {Context} context @param {Coloring} color @param {Record<Limit, number>} limits */
function scale(context, color, limits) {
  const { traits } = context.state;
  const axis = axisOf(color, traits);
  const { center, isLog } = scaleOf(color, traits);
  const places = { vmin: axis.placeOf(limits.vmin), vmax: axis.placeOf(limits.vmax) };
  const middle = center === null ? undefined : axis.placeOf(center);
  const [bars, ofSelected] = [isLog ? color.logHistogram : color.histogram, countsOf(context.state, color)?.counts];
  const n = color.histogram.length;
  const selected = ofSelected?.slice(...(isLog ? [n] : [0, n])) ?? [];
  const edges = Array.from({ length: n + 1 }, (_, i) => valueAt(i / n, color.lo, color.hi));
  const { most, cut } = cutOf(bars, edges, isLog ? 0 : color.nZero); // zeros have no logarithm
  return html`<div class="scale" @pointerdown=${(/** @type {PointerEvent} */ event) => grab(context, color, limits, event)}>
    <svg class="histogram" viewBox="0 0 ${Math.max(1, bars.length)} 1" preserveAspectRatio="none" role="img"
      aria-label="Histogram of ${color.name}${cut < 0 ? "" : ", bar of zeros truncated"}${isLog ? ", along a log scale" : ""}${selected.length > 0 ? "; selection in front" : ""}">
      <path d=${barPath(barHeights(bars, most))} /><path class="selected" d=${barPath(barHeights(selected, most))} /></svg>
    ${cut < 0 ? nothing : html`<i class="cut" style="left:${(100 * cut) / n}%;width:${100 / n}%"></i>`}
    <div class="ramp" style="background:${gradient(stopsOf(traits.cmap, context.ui.dark), places.vmin, places.vmax, middle)}"></div>
    <i class="outside" style="width:${100 * places.vmin}%"></i>
    <i class="outside" style="left:${100 * places.vmax}%;right:0"></i>
    ${LIMITS.map((name) => handle(context, color, name, limits, places[name]))}
  </div>`;
}

/** Sentences on the colors: which number a shared pixel shows, and which values the colors span.
 * @param {import("../../state/state.js").State} state */
export function whatIsShown({ crowd: { weight, behind }, traits: { vmin, vmax, statistic, limits }, color, dataset }) {
  const { many } = nounsOf({ dataset }).obs;
  if (isOfPixels(statistic) && !color?.statistic) return "";
  const number =
    weight === 0
      ? "their mean"
      : weight < 1
        ? "a value between their mean and maximum"
        : behind > 1
          ? "their maximum"
          : "";
  const shared = color?.statistic
    ? `Shown per pixel: ${color.statistic}.`
    : number === ""
      ? "High values are drawn on top."
      : `Where ${many} share a pixel, its color shows ${number}${weight < 1 && behind > 1 ? `. With fewer than ${behind} ${many} in a pixel, nearby ${many} count too` : ""}.`;
  if (!color?.limits || (vmin !== null && vmax !== null)) return shared;
  const span =
    color.statistic || limits === "follow"
      ? "the displayed values"
      : `the ${statistic === "max" ? "maxima" : "means"} of pixels in the whole plot, at any zoom`;
  return `${shared} The colors span 99 % of ${span}.`;
}

/** Replaces the color bar for a column with a single value. @param {Coloring} color */
function oneValue(color) {
  return html`<p class="none">All values are ${shortNumber(color.lo)}.</p>`;
}

/** @param {Context} context @param {Coloring} color @param {Limit} name @param {Record<Limit, number>} limits in force @param {number} place */
function handle(context, color, name, limits, place) {
  const { actions } = context;
  const value = limits[name];
  const { ends, to, from } = axisOf(color, context.state.traits);
  const { center } = scaleOf(color, context.state.traits);
  const [least, greatest] = reachOf(name, limits, ends.map(from));
  return html`<div class="handle ${name}" role="slider" tabindex="0" data-limit=${name} aria-label=${LIMIT_NAMES[name]} aria-orientation="horizontal"
    aria-valuemin=${least} aria-valuemax=${greatest} aria-valuenow=${value} aria-valuetext=${shortNumber(value)} style="left:${100 * place}%"
    @dblclick=${() => actions.setTrait(name, null)}
    @keydown=${(/** @type {KeyboardEvent} */ event) => {
      const now = limitsInForce(context, color); // keys may arrive faster than redraws
      const moved = valueAfterKey(
        event.key,
        event.shiftKey,
        to(now[name]),
        ends,
        /** @type {[number, number]} */ (reachOf(name, now, ends.map(from)).map(to)),
      );
      if (moved === null || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      event.stopPropagation();
      actions.dragLimit(name, held(name, from(moved), now, center), true);
    }}></div>`;
}

/** Starts to drag the handle under the pointer, else the nearer one. @param {Context} context @param {Coloring} color
 * @param {Record<Limit, number>} limits
 * @param {PointerEvent} event */
function grab(context, color, limits, event) {
  if (event.button !== 0) return;
  const strip = /** @type {HTMLElement} */ (event.currentTarget);
  const { left, width } = strip.getBoundingClientRect();
  const axis = axisOf(color, context.state.traits);
  const { center } = scaleOf(color, context.state.traits);
  const placeUnder = (/** @type {PointerEvent} */ at) => (at.clientX - left) / width;
  const handled = event.target instanceof HTMLElement ? event.target.dataset.limit : undefined;
  const name =
    handled === "vmin" || handled === "vmax"
      ? handled
      : nearer(placeUnder(event), axis.placeOf(limits.vmin), axis.placeOf(limits.vmax));
  strip.setPointerCapture(event.pointerId);
  /** @type {HTMLElement | null} */ (strip.querySelector(`[data-limit=${name}]`))?.focus({ preventScroll: true });
  event.preventDefault();
  const listening = new AbortController();
  let moved = handled === undefined;
  const move = (/** @type {PointerEvent} */ at, /** @type {boolean} */ done) => {
    const value = held(name, axis.valueAt(placeUnder(at)), limits, center);
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

/** @param {number} place @param {number} low @param {number} high @returns {Limit} */
function nearer(place, low, high) {
  return Math.abs(place - low) <= Math.abs(place - high) ? "vmin" : "vmax";
}

/** Range of a limit: from an end of the data to the other limit. @param {Limit} name
 * @param {Record<Limit, number>} limits @param {number[]} ends of the data
 * @returns {[number, number]} */
function reachOf(name, { vmin, vmax }, [lo, hi]) {
  return name === "vmin" ? [lo, Math.max(lo, Math.min(hi, vmax))] : [Math.min(hi, Math.max(lo, vmin)), hi];
}

/** Stops a limit at the center if there is one, else at the other limit. @param {Limit} name @param {number} value
 * @param {Record<Limit, number>} limits
 * @param {number | null} center @returns {number} */
function held(name, value, { vmin, vmax }, center) {
  return name === "vmin" ? Math.min(value, center ?? vmax) : Math.max(value, center ?? vmin);
}

/** @param {Context} context @param {Coloring} color @param {Limit} name @param {Record<Limit, number>} limits in force */
function field(context, color, name, limits) {
  const { state, ui } = context;
  const [trait, value] = [state.traits[name], limits[name]];
  const text = typeof trait === "string" && ui.drag?.name !== name ? trait : shortNumber(value);
  const input = (/** @type {Event} */ event) => /** @type {HTMLInputElement} */ (event.currentTarget);
  return html`<input type="text" class="limit ${trait === null ? "auto" : ""}" aria-label="${LIMIT_NAMES[name]}: a number or a percentile such as p99"
    title=${typeof trait === "string" ? `${trait} = ${shortNumber(value)}` : "A number or a percentile such as p99; empty for automatic"}
    aria-invalid=${ui.badLimit === name} autocomplete="off" spellcheck="false" ?disabled=${state.link === "offline"} .value=${text}
    @focus=${(/** @type {Event} */ event) => input(event).select()} @change=${(/** @type {Event} */ event) => commit(context, color, name, limits, text, input(event))}
    @keydown=${(/** @type {KeyboardEvent} */ event) => event.key === "Escape" && restore(context, text, input(event))}>`;
}

/** @param {Context} context @param {Coloring} color @param {Limit} name
 * @param {Record<Limit, number>} limits in force @param {string} text shown before the change
 * @param {HTMLInputElement} input */
function commit(context, color, name, limits, text, input) {
  const limit = readLimit(input.value);
  if (limit === undefined)
    return context.update({ badLimit: name, limitFault: "Enter a number or a percentile such as p99." });
  if (input.value !== text) {
    const value = resolveLimit(limit, color, name === "vmin" ? color.lo : color.hi);
    const { center } = scaleOf(color, context.state.traits);
    if (limit !== null && held(name, value, limits, center) !== value)
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
