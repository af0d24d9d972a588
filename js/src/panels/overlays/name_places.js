/** Places names of categories on a plot, without overlap, as cxg_widget/draw/overlays/names.py does. Pure. */
// Changes with cxg_widget/draw/overlays/names.py: places of names on the plot.
import { toPx } from "../../screen/camera.js";

/** @typedef {{i: number, x: number, y: number, width: number}} Placed x and y: center, CSS px; i: index of the name */

export const NAME_PX = 12;
/** Height of a line of text, and the margin at either end of it. */
export const HIGH_PX = 16;
const FREE_PX = 3;
/** A longer name is truncated. */
export const WIDEST_PX = 220;

/**
 * Place the largest category first. Each name goes to its position, or one line above or below if that is taken.
 * Names stay inside the plot.
 * @param {ArrayLike<number>} xy x and y of each, data units, the largest category first
 * @param {import("../../screen/camera.js").Camera} camera @param {(i: number) => number} widthOf a name, CSS px
 * @returns {Placed[]}
 */
export function place(xy, camera, widthOf) {
  const { width, height } = camera;
  /** @type {Placed[]} */
  const placed = [];
  for (let i = 0; 2 * i < xy.length; i++) {
    const [px, py] = toPx(camera, xy[2 * i], xy[2 * i + 1]);
    if (!(px >= 0 && px <= width && py >= 0 && py <= height)) continue;
    const wide = widthOf(i) + 2 * FREE_PX;
    if (wide > width || HIGH_PX > height) continue;
    const x = between(px, wide / 2, width - wide / 2);
    const y = [0, -HIGH_PX, HIGH_PX]
      .map((off) => between(py + off, HIGH_PX / 2, height - HIGH_PX / 2))
      .find((at) => placed.every((one) => isFree(one, x, at, wide)));
    if (y !== undefined) placed.push({ i, x, y, width: wide });
  }
  return placed;
}

/** @param {number} at @param {number} low @param {number} high */
function between(at, low, high) {
  return Math.min(Math.max(at, low), high);
}

/** @param {Placed} other @param {number} x @param {number} y @param {number} wide */
function isFree(other, x, y, wide) {
  return Math.abs(other.y - y) >= HIGH_PX || Math.abs(other.x - x) >= (other.width + wide) / 2;
}

/** The name at a place; -1 = none. @param {Placed[]} placed @param {number} px @param {number} py CSS px */
export function nameAt(placed, px, py) {
  const found = placed.find(({ x, y, width }) => Math.abs(x - px) <= width / 2 && Math.abs(y - py) <= HIGH_PX / 2);
  return found?.i ?? -1;
}

/** Truncate a name to a width, as one line.
 * @param {string} name @param {number} room @param {(text: string) => number} widthOf */
export function fitted(name, room, widthOf) {
  const text = name.slice(0, 200).replace(/\s+/g, " ").trim();
  if (widthOf(text) <= room) return text;
  const letters = [...text];
  const cut = () => `${letters.join("").trimEnd()}…`;
  while (letters.length > 0 && widthOf(cut()) > room) letters.pop();
  return cut();
}
