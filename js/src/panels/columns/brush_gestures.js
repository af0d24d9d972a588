/** Handles pointer and keys on the brush of a histogram, and computes its limits. */
import { shareOf, valueAt } from "../../style/levels.js";
import { MOST_BINS } from "../../wire/constants.js";

/** @typedef {[number | null, number | null]} Ends lowest and highest number, null = open */
/** The part of the brush that the pointer drags. @typedef {"low" | "high" | "both" | "new"} Grip */

/** Distance within which the pointer grabs an end, px. */
const REACH_PX = 6;

/**
 * @param {{edges: number[], isInteger: boolean, isOffline: boolean, now: () => Ends, take: () => void, drag: (ends: Ends, done: boolean) => void}} given
 *   now: the current ends; take: called when a drag starts; drag: called at each move, with done = true at the last
 */
export function brushHands({ edges, isInteger, isOffline, now, take, drag }) {
  const [lo, hi] = [edges[0], /** @type {number} */ (edges.at(-1))];

  /** @param {number} a @param {number} b @param {boolean} done */
  function set(a, b, done) {
    drag(brushedEnds([a, b], edges, isInteger), done);
  }

  /** Which part of the brush the pointer grabs.
   * @param {number} x px from the left @param {number} width px @param {number} value under it
   * @returns {Grip} */
  function gripAt(x, width, value) {
    const ends = now();
    if (ends[0] === null && ends[1] === null) return "new";
    const [low, high] = shownOf(ends, edges, isInteger);
    const near = (/** @type {number} */ end) => Math.abs(x - shareOf(end, lo, hi) * width) <= REACH_PX;
    if (near(low)) return "low";
    if (near(high)) return "high";
    return value > low && value < high ? "both" : "new";
  }

  /** @param {PointerEvent} event */
  function grab(event) {
    if (event.button !== 0 || isOffline) return;
    const strip = /** @type {HTMLElement} */ (event.currentTarget);
    const { left, width } = strip.getBoundingClientRect();
    const under = (/** @type {PointerEvent} */ at) => valueAt(held((at.clientX - left) / width, 0, 1), lo, hi);
    const began = under(event);
    const ends = now();
    const [low, high] = shownOf(ends, edges, isInteger);
    const grip = gripAt(event.clientX - left, width, began);
    strip.setPointerCapture(event.pointerId);
    strip.focus({ preventScroll: true });
    event.preventDefault();
    take();
    const listening = new AbortController();
    let hasMoved = false;
    const move = (/** @type {PointerEvent} */ at, /** @type {boolean} */ done) => {
      const value = under(at);
      const by = held(value - began, lo - low, hi - high);
      if (grip === "both") set(low + by, high + by, done);
      else set(grip === "low" ? high : grip === "high" ? low : began, value, done);
    };
    const { signal } = listening;
    strip.addEventListener("pointermove", (at) => void ((hasMoved = true), move(at, false)), { signal });
    strip.addEventListener(
      "pointerup",
      (at) => {
        listening.abort();
        if (hasMoved) move(at, true);
        else drag(grip === "new" ? [null, null] : ends, true); // a click outside the brush removes it
      },
      { signal },
    );
    strip.addEventListener("pointercancel", () => (listening.abort(), drag(ends, true)), { signal });
  }

  /** @param {KeyboardEvent} event */
  function press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || isOffline) return;
    const [low, high] = shownOf(now(), edges, isInteger);
    const isOn = now().some((end) => end !== null);
    const bin = isInteger ? edges[1] - edges[0] : (hi - lo) / (edges.length - 1);
    const by = { ArrowRight: bin, ArrowUp: bin, ArrowLeft: -bin, ArrowDown: -bin }[event.key];
    if (event.key === "Escape" && isOn) drag([null, null], true);
    else if (by === undefined) return;
    else if (event.shiftKey) set(low, Math.max(low, high + by), true);
    else if (isOn) {
      const moved = held(by, lo - low, hi - high);
      set(low + moved, high + moved, true);
    } else set(by > 0 ? lo + by : lo, by > 0 ? hi : hi + by, true);
    event.preventDefault();
    event.stopPropagation();
  }

  return { grab, press };
}

/** @param {number} value @param {number} least @param {number} most */
function held(value, least, most) {
  return Math.max(least, Math.min(most, value));
}

/** The width of a value on the axis: an integer covers the range up to the next one. @param {boolean} isInteger */
export const roomOf = (isInteger) => (isInteger ? 1 : 0);

/** Inclusive limits of a brush between two values, rounded to be readable; null = the brush reaches the edge.
 * @param {[number, number]} places @param {number[]} edges @param {boolean} isInteger @returns {Ends} */
export function brushedEnds([a, b], edges, isInteger) {
  const step = stepOf(edges, isInteger);
  const [first, behind] = [Math.min(a, b), Math.max(a, b)].map((value) => rounded(value, step));
  const last = Math.max(first, behind - roomOf(isInteger));
  return [first <= edges[0] ? null : first, behind >= /** @type {number} */ (edges.at(-1)) ? null : last];
}

/** The step that limits are rounded to: a power of ten of at most a quarter of the narrowest bin.
 * @param {number[]} edges @param {boolean} isInteger @returns {number} */
export function stepOf(edges, isInteger) {
  if (isInteger) return 1;
  const [lo, hi] = [edges[0], edges[edges.length - 1]];
  const width = (hi / MOST_BINS - lo / MOST_BINS) / 4;
  return width > 0 ? 10 ** Math.floor(Math.log10(width)) : 0;
}

/** @param {number} value @param {number} step 0 = do not round @returns {number} */
export function rounded(value, step) {
  if (!(step > 0)) return value;
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const near = Math.round(value / step) * step;
  return digits <= 100 && Number.isFinite(near) ? Number(near.toFixed(digits)) : value;
}

/** Where the brush starts and ends on the axis: for integers it ends after the width of its last value.
 * @param {Ends} ends @param {number[]} edges @param {boolean} isInteger */
export function shownOf([low, high], edges, isInteger) {
  const [lo, hi] = [edges[0], /** @type {number} */ (edges.at(-1))];
  return [held(low ?? lo, lo, hi), held(high === null ? hi : high + roomOf(isInteger), lo, hi)];
}
