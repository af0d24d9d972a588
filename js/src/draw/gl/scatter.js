/** Draws a slice of points in a style. */
import { isLayered } from "../../style/point_style.js";
import { SQUARE_PX } from "../../wire/constants.js";
import { useProgram } from "./program.js";
import { FRAGMENT_DISC, FRAGMENT_DISC_DEPTH, FRAGMENT_SQUARE, ofSizes, VERTEX } from "./shaders.js";
import { bindTextures, UNITS } from "./textures.js";

/**
 * @param {import("./context.js").Shared} shared
 * @param {{bind: () => void}} buffers
 * @param {WebGLTexture | null} colors
 * @param {import("../painter.js").PointOptions} options
 * @param {number} first
 * @param {number} count
 */
export function drawPoints(
  shared,
  buffers,
  colors,
  { style, scale, offset, sizePx, sizes, isCovered = false },
  first,
  count,
) {
  const { gl } = shared;
  const isDisc = sizePx > SQUARE_PX || Boolean(sizes);
  const fragment = isDisc ? (isLayered(style) ? FRAGMENT_DISC_DEPTH : FRAGMENT_DISC) : FRAGMENT_SQUARE;
  const [vertex, shown] = sizes ? [VERTEX, fragment].map(ofSizes) : [VERTEX, fragment];
  useProgram(shared, vertex, shown, {
    ...style,
    ...UNITS,
    scale,
    offset,
    sizes,
    side: isDisc ? sizePx + 1 : Math.max(sizePx, 1),
  });
  bindTextures(gl, { colors });
  if (isCovered || isLayered(style) || style.hasMissing) gl.enable(gl.DEPTH_TEST);
  else gl.disable(gl.DEPTH_TEST); // 10 % faster with software GL
  // At equal depth the later point lies on top, as the draw order requires.
  gl.depthFunc(gl.LEQUAL);
  gl.depthMask(true);
  if (isDisc || style.opacity < 1) gl.enable(gl.BLEND);
  else gl.disable(gl.BLEND);
  gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  buffers.bind();
  gl.drawArrays(gl.POINTS, first, count);
  gl.bindVertexArray(null);
}
