/** Draws what covers an area rather than a point: a picture that the kernel made, one colour over all points. */
import { FAINTEST, isDimming } from "../../style/style.js";
import { locationsOf, programOf } from "./program.js";
import { FRAGMENT_FILL, FRAGMENT_IMAGE, VERTEX_IMAGE } from "./shaders.js";

/** @typedef {import("../../state/scene.js").Image} Image */

/** Put a picture in GPU memory. @param {WebGL2RenderingContext} gl @param {WebGLTexture | null} texture @param {Image} image */
export function sendImage(gl, texture, { bitmap, content }) {
  gl.activeTexture(gl.TEXTURE1);
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.pixelStorei(gl.UNPACK_FLIP_Y_WEBGL, false);
  gl.pixelStorei(gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL, false);
  gl.pixelStorei(gl.UNPACK_COLORSPACE_CONVERSION_WEBGL, gl.NONE);
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, gl.RGBA, gl.UNSIGNED_BYTE, bitmap);
  const filter = content === "colors" ? gl.LINEAR : gl.NEAREST;
  for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, name, filter);
  for (const name of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, name, gl.CLAMP_TO_EDGE);
}

/**
 * @param {import("./context.js").Shared} shared
 * @param {{image: WebGLTexture | null, colors: WebGLTexture | null}} textures
 * @param {{content: Image["content"], style: import("../../style/style.js").Style, rect: number[], isCover: boolean}} how rect: left, right,
 *   bottom, top in clip space; isCover: no point shows through
 */
export function drawImage(shared, { image, colors }, { content, style, rect, isCover }) {
  const { gl } = shared;
  const program = programOf(shared, VERTEX_IMAGE, FRAGMENT_IMAGE);
  const at = locationsOf(gl, program);
  gl.useProgram(program);
  gl.uniform4f(at("u_rect"), rect[0], rect[1], rect[2], rect[3]);
  gl.uniform1i(at("u_mode"), content === "colors" ? 1 : 2);
  gl.uniform2f(at("u_limits"), ...style.limits);
  gl.uniform4f(at("u_missingColor"), ...style.missingColor);
  gl.uniform3f(at("u_background"), ...style.background);
  gl.uniform1f(at("u_behind"), isDimming(style) ? 1 / FAINTEST : 0);
  gl.uniform1f(at("u_opacity"), style.opacity);
  for (const [unit, name, texture] of /** @type {const} */ ([[0, "u_colors", colors], [1, "u_image", image]])) {
    gl.activeTexture(gl.TEXTURE0 + unit);
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.uniform1i(at(name), unit);
  }
  gl.disable(gl.SCISSOR_TEST);
  gl.enable(gl.DEPTH_TEST);
  gl.depthFunc(gl.LEQUAL);
  gl.depthMask(isCover);
  gl.enable(gl.BLEND);
  gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  gl.bindVertexArray(null);
  gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
  gl.depthMask(true);
}

/** Give every point of the picture at hand the colour of one number, wherever one has been drawn.
 * @param {import("./context.js").Shared} shared @param {WebGLTexture | null} colors @param {import("../../style/style.js").Style} style @param {number} code */
export function fillPoints(shared, colors, { limits }, code) {
  const { gl } = shared;
  const program = programOf(shared, VERTEX_IMAGE, FRAGMENT_FILL);
  const at = locationsOf(gl, program);
  gl.useProgram(program);
  gl.uniform4f(at("u_rect"), -1, 1, -1, 1);
  gl.uniform2f(at("u_limits"), ...limits);
  gl.uniform1f(at("u_code"), code);
  gl.uniform1i(at("u_colors"), 0);
  gl.activeTexture(gl.TEXTURE0);
  gl.bindTexture(gl.TEXTURE_2D, colors);
  gl.disable(gl.SCISSOR_TEST);
  gl.disable(gl.DEPTH_TEST);
  gl.enable(gl.BLEND);
  gl.blendFunc(gl.DST_ALPHA, gl.ZERO);
  gl.bindVertexArray(null);
  gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
}
