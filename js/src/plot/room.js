/** The size of a plot: CSS px, device pixels, margins of its axes, and whether it is in view. */
import { marginOf } from "./axes.js";

/** A plot is never larger than this: some hosts report heights of thousands of px. */
const LARGEST_PX = 12_000_000;
export const LONGEST_PX = 8_192;

/**
 * @typedef {object} Room
 * @property {{width: number, height: number, ratio: number}} size of the plot, CSS px; ratio: device px per CSS px
 * @property {number} margin left of it and beneath it, CSS px
 */

/** @param {HTMLElement} host of plot and axes @param {string[]} axisLabels @returns {Room} */
export function roomIn(host, axisLabels) {
  const { width: all, height: high } = host.getBoundingClientRect();
  const margin = marginOf(axisLabels, all, high);
  const [width, height] = [Math.max(all - margin, 0), Math.max(high - margin, 0)];
  const most = Math.min(Math.sqrt(LARGEST_PX / Math.max(width * height, 1)), LONGEST_PX / Math.max(width, height, 1));
  return { size: { width, height, ratio: Math.min(globalThis.devicePixelRatio || 1, most) }, margin };
}

/** Calls a listener when an element enters or leaves the browser's viewport.
 * @param {HTMLElement} element @param {(isInSight: boolean) => void} listener @returns {() => void} stops watching */
export function watchSight(element, listener) {
  // The observer may deliver several entries at once: the last one is current.
  const observer = new IntersectionObserver((entries) => listener(entries[entries.length - 1].isIntersecting));
  observer.observe(element);
  return () => observer.disconnect();
}

/** Calls a listener when the size of an element or the pixel ratio of the screen may have changed.
 * @param {HTMLElement} element @param {() => void} listener @returns {() => void} stops watching */
export function watchRoom(element, listener) {
  const resized = new ResizeObserver(listener);
  resized.observe(element);
  const ending = new AbortController();
  (function watch() {
    if (ending.signal.aborted) return;
    // No event reports a new pixel ratio. A media query for the current ratio stops matching once, so each change needs
    // a new query.
    const media = matchMedia(`(resolution: ${globalThis.devicePixelRatio}dppx)`);
    media.addEventListener("change", () => (listener(), watch()), { once: true, signal: ending.signal });
  })();
  return () => (resized.disconnect(), ending.abort());
}
