/** The map of a difference of two sets: where one is denser than the other, over pale points. */
// Changes with cxg_widget/draw/overlays/difference.py: the map of a difference.

import { scales, toPx } from "../../screen/camera.js";
import { VEIL } from "../../wire/constants.js";
import { wholeNumber } from "../../words/format.js";

/** @typedef {import("../../wire/protocol.js").Difference} Difference */

/** Code of a bin with too few cells nearby. */
const NOTHING = 255;

/** Cache of rendered maps by color array: one per response and page color. One px per bin, lowest y first.
 * @type {WeakMap<Uint8Array, OffscreenCanvas>} */
const MAPS = new WeakMap();

/** Red, green and blue of each code, for light or dark pages.
 * @param {Difference} difference @param {Pick<import("../../style/point_style.js").Theme, "dark">} theme */
export const mapColors = ({ arrays }, { dark }) => (dark ? arrays.dark_colors : arrays.colors);

/** @param {Difference} difference @param {import("../../style/point_style.js").Theme} theme */
function mapOf(difference, theme) {
  const colors = mapColors(difference, theme);
  const held = MAPS.get(colors);
  if (held !== undefined) return held;
  const { shape, arrays } = difference;
  const map = new OffscreenCanvas(shape[1], shape[0]);
  const context = /** @type {OffscreenCanvasRenderingContext2D} */ (map.getContext("2d"));
  const image = context.createImageData(shape[1], shape[0]);
  arrays.codes.forEach((code, i) => {
    if (code !== NOTHING) image.data.set([...colors.subarray(3 * code, 3 * code + 3), 255], 4 * i);
  });
  context.putImageData(image, 0, 0);
  MAPS.set(colors, map);
  return map;
}

/** @param {CanvasRenderingContext2D} context @param {Difference} difference @param {import("../../screen/camera.js").Camera} camera
 * @param {import("../../style/point_style.js").Theme} theme @param {boolean} isPicture the points are on the same canvas */
export function paintDifference(context, difference, camera, theme, isPicture) {
  const [x0, x1, y0, y1] = difference.extent;
  const [perX, perY] = scales(camera);
  const [left, bottom] = toPx(camera, x0, y0);
  context.save();
  if (isPicture) context.globalCompositeOperation = "source-atop"; // draw only where the picture is opaque
  context.fillStyle = `rgba(${theme.background},${VEIL})`;
  context.fillRect(0, 0, camera.width, camera.height);
  context.globalCompositeOperation = "source-over";
  context.translate(left, bottom);
  context.scale((x1 - x0) / perX / difference.shape[1], ((y0 - y1) / perY / difference.shape[0]) * camera.up);
  context.drawImage(mapOf(difference, theme), 0, 0);
  context.restore();
}

/** Describes the map in words. @param {Difference} difference @param {string} many */
export function describeDifference({ sets: [first, second], counts: [nFirst, nSecond], least }, many) {
  return `log2 density ratio of ${first} (${wholeNumber(nFirst)}) to ${second} (${wholeNumber(nSecond)}); blank: fewer than ${least} ${many} nearby`;
}
