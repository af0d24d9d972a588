/** Draws a slice of points as one style says. */
import { isLayered, SQUARE_PX } from "../../style/style.js";
import { locationsOf, programOf } from "./program.js";
import { FRAGMENT_DISC, FRAGMENT_DISC_DEPTH, FRAGMENT_SQUARE, VERTEX } from "./shaders.js";

/** @typedef {import("../../style/style.js").Style} Style */
/** @typedef {import("./context.js").Shared} Shared */

/**
 * @param {Shared} shared
 * @param {{bind: () => void}} buffers
 * @param {WebGLTexture | null} colors
 * @param {{style: Style, scale: [number, number], offset: [number, number], sizePx: number, isCovered?: boolean}} how
 *   sizePx: diameter, device px; isCovered: a picture lies in front
 * @param {number} first
 * @param {number} count
 */
export function drawPoints(shared, buffers, colors, { style, scale, offset, sizePx, isCovered = false }, first, count) {
  const { gl } = shared;
  const isDisc = sizePx > SQUARE_PX;
  const program = programOf(shared, VERTEX, isDisc ? (isLayered(style) ? FRAGMENT_DISC_DEPTH : FRAGMENT_DISC) : FRAGMENT_SQUARE);
  const at = locationsOf(gl, program);
  gl.useProgram(program);
  gl.uniform2f(at("u_scale"), ...scale);
  gl.uniform2f(at("u_offset"), ...offset);
  gl.uniform1f(at("u_side"), isDisc ? sizePx + 1 : Math.max(sizePx, 1));
  gl.uniform1i(at("u_mode"), style.mode);
  gl.uniform1f(at("u_ranked"), Number(style.ranked));
  gl.uniform1ui(at("u_missing"), style.missing);
  gl.uniform1i(at("u_highlighted"), style.highlighted);
  gl.uniform1i(at("u_selecting"), Number(style.selecting));
  gl.uniform2f(at("u_limits"), ...style.limits);
  gl.uniform4f(at("u_plain"), ...style.plain);
  gl.uniform4f(at("u_missingColor"), ...style.missingColor);
  gl.uniform3f(at("u_background"), ...style.background);
  gl.uniform1f(at("u_dimmed"), style.dimmed);
  gl.uniform1f(at("u_opacity"), style.opacity);
  gl.uniform1i(at("u_colors"), 0);
  gl.activeTexture(gl.TEXTURE0);
  gl.bindTexture(gl.TEXTURE_2D, colors);
  gl.disable(gl.SCISSOR_TEST);
  if (isCovered || isLayered(style) || style.hasMissing) gl.enable(gl.DEPTH_TEST);
  else gl.disable(gl.DEPTH_TEST); // a tenth faster without a GPU
  gl.depthFunc(gl.LEQUAL);
  gl.depthMask(true);
  if (isDisc || style.opacity < 1) gl.enable(gl.BLEND);
  else gl.disable(gl.BLEND);
  gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  buffers.bind();
  gl.drawArrays(gl.POINTS, first, count);
  gl.bindVertexArray(null);
}
