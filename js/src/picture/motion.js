/** Points on their way from the place they had in one embedding to the one they have in another, and images that fade there. The second module brings it. */
import { blank } from "../screen/canvas.js";
import { clamp } from "../screen/clamp.js";
import { MISSING } from "../wire/protocol.js";

export const MOTION_MS = 600;
/** Points that travel: the first ones, a fair sample. */
const TRAVELLERS = 100_000;
/** Codes of places under way span so much of clip space to either side: what lies out of view has one too. */
const REACH = 2;
const PER_CODE = (2 * REACH) / 65_534;
/** From those codes to clip space. @type {Clip} */
export const UNDER_WAY = { scale: [PER_CODE, PER_CODE], offset: [-REACH, -REACH] };

/**
 * @typedef {{scale: [number, number], offset: [number, number]}} Clip from position codes to clip space
 *
 * @typedef {object} Motion points on their way
 * @property {Uint16Array} xy where they are now, codes
 * @property {Clip} clip of those
 * @property {(to: Uint16Array, clip: Clip) => Motion | null} goOn as far as it is time; null = they are there
 *
 * @typedef {(xy: Uint16Array, n: number, clip: Clip) => Motion} Depart from where n points are
 */

/** @type {Depart} */
export function depart(xy, n, clip) {
  const from = placesOf(xy, Math.min(n, xy.length / 2, TRAVELLERS), clip);
  const since = performance.now();
  /** @type {Motion["goOn"]} */
  const goOn = (to, end) => {
    const share = (performance.now() - since) / MOTION_MS;
    return share >= 1 ? null : { xy: between(from, to, end, eased(share)), clip: UNDER_WAY, goOn };
  };
  return { xy: xy.subarray(0, from.length), clip, goOn };
}

/** Let the picture on a canvas fade over the next one. @param {HTMLCanvasElement} canvas @returns {() => void} removes it */
export function fade(canvas) {
  const copy = blank(canvas.width, canvas.height, 1);
  copy.drawImage(canvas, 0, 0);
  const element = copy.canvas;
  element.style.cssText = `${canvas.style.cssText};pointer-events:none`;
  canvas.after(element);
  element.animate([{ opacity: 1 }, { opacity: 0 }], MOTION_MS).onfinish = () => element.remove();
  return () => element.remove();
}

/** How far along the way, slow at both ends. @param {number} share of the time @returns {number} */
export function eased(share) {
  const at = clamp(share, 0, 1);
  return at * at * (3 - 2 * at);
}

/** Where the first points lie in clip space; NaN = nowhere. @param {Uint16Array} xy codes @param {number} n @param {Clip} clip @returns {Float32Array} 2n */
export function placesOf(xy, n, { scale, offset }) {
  const places = new Float32Array(2 * n);
  for (let i = 0; i < 2 * n; i++) places[i] = xy[i] === MISSING ? Number.NaN : xy[i] * scale[i & 1] + offset[i & 1];
  return places;
}

/** Codes of places on the way; who comes from nowhere is there at once.
 * @param {Float32Array} from as `placesOf` gives them @param {Uint16Array} to codes @param {Clip} clip of `to` @param {number} way 0 = at the start, 1 = there */
export function between(from, to, { scale, offset }, way) {
  const xy = new Uint16Array(from.length);
  for (let i = 0; i < from.length; i++) {
    const end = to[i] * scale[i & 1] + offset[i & 1];
    // A point without a former place cannot travel: it appears at its new one.
    const at = Number.isNaN(from[i]) ? end : from[i] + (end - from[i]) * way;
    const code = Math.round((at + REACH) / PER_CODE);
    xy[i] = to[i] === MISSING ? MISSING : clamp(code, 0, 65_534);
  }
  return xy;
}
