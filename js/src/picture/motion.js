/** Animations between embeddings: points move from their old to their new places, and images cross-fade. Part of the
 * second module. */
import { blank } from "../screen/canvas.js";
import { clamp } from "../screen/clamp.js";
import { MISSING } from "../wire/protocol.js";

export const MOTION_MS = 600;
/** Maximum number of moving points: the first ones, which are a random sample. */
const TRAVELLERS = 100_000;
/** During the animation, position codes span -REACH..REACH of clip space, so that points outside the view have codes
 * too. */
const REACH = 2;
const PER_CODE = (2 * REACH) / 65_534;
/** Transform from those codes to clip space. @type {Clip} */
export const UNDER_WAY = { scale: [PER_CODE, PER_CODE], offset: [-REACH, -REACH] };

/**
 * @typedef {{scale: [number, number], offset: [number, number]}} Clip from position codes to clip space
 *
 * @typedef {object} Motion one moment of the animation
 * @property {Uint16Array} xy current places of the points, codes
 * @property {Clip} clip transform of these codes
 * @property {(to: Uint16Array, clip: Clip) => Motion | null} goOn returns the motion at the current time; null = it
 *   has ended
 *
 * @typedef {(xy: Uint16Array, n: number, clip: Clip) => Motion} Depart starts the animation from the places of n points
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

/** Fades the picture on a canvas out over the next one. @param {HTMLCanvasElement} canvas
 * @returns {() => void} removes it */
export function fade(canvas) {
  const copy = blank(canvas.width, canvas.height, 1);
  copy.drawImage(canvas, 0, 0);
  const element = copy.canvas;
  element.style.cssText = `${canvas.style.cssText};pointer-events:none`;
  canvas.after(element);
  element.animate([{ opacity: 1 }, { opacity: 0 }], MOTION_MS).onfinish = () => element.remove();
  return () => element.remove();
}

/** Fraction of the way, slow at both ends (smoothstep). @param {number} share of the duration @returns {number} */
export function eased(share) {
  const at = clamp(share, 0, 1);
  return at * at * (3 - 2 * at);
}

/** Places of the first points in clip space; NaN = no coordinates. @param {Uint16Array} xy codes @param {number} n
 * @param {Clip} clip @returns {Float32Array} 2n */
export function placesOf(xy, n, { scale, offset }) {
  const places = new Float32Array(2 * n);
  for (let i = 0; i < 2 * n; i++) places[i] = xy[i] === MISSING ? Number.NaN : xy[i] * scale[i & 1] + offset[i & 1];
  return places;
}

/** Codes of the places between start and end; points without a start appear at the end immediately.
 * @param {Float32Array} from result of `placesOf` @param {Uint16Array} to codes @param {Clip} clip of `to`
 * @param {number} way 0 = at the start, 1 = at the end */
export function between(from, to, { scale, offset }, way) {
  const xy = new Uint16Array(from.length);
  for (let i = 0; i < from.length; i++) {
    const end = to[i] * scale[i & 1] + offset[i & 1];
    // A point without a former place cannot move: it appears at its new place.
    const at = Number.isNaN(from[i]) ? end : from[i] + (end - from[i]) * way;
    const code = Math.round((at + REACH) / PER_CODE);
    xy[i] = to[i] === MISSING ? MISSING : clamp(code, 0, 65_534);
  }
  return xy;
}
