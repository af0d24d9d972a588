/** Textures: the color table in unit 0, an image of all cells in unit 1. */

const [COLORS, IMAGE] = [0, 1];
/** Texture units, by the names of their uniforms. */
export const UNITS = { colors: COLORS, image: IMAGE };

/** @param {WebGL2RenderingContext} gl @param {{colors: WebGLTexture | null, image?: WebGLTexture | null}} textures */
export function bindTextures(gl, { colors, image = null }) {
  for (const [unit, texture] of /** @type {const} */ ([
    [IMAGE, image],
    [COLORS, colors],
  ])) {
    gl.activeTexture(gl.TEXTURE0 + unit);
    gl.bindTexture(gl.TEXTURE_2D, texture);
  }
}

/** Uploads the color table. @param {WebGL2RenderingContext} gl @param {WebGLTexture | null} texture
 * @param {Uint8Array} table RGBA, rows of 256 */
export function sendColors(gl, texture, table) {
  begin(gl, COLORS, texture, gl.NEAREST);
  gl.pixelStorei(gl.UNPACK_ALIGNMENT, 4);
  // 256 x 256 for all codes: WebGL 2 guarantees only 2,048 pixels a side.
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, 256, table.length / 1024, 0, gl.RGBA, gl.UNSIGNED_BYTE, table);
}

/** Uploads an image. @param {WebGL2RenderingContext} gl @param {WebGLTexture | null} texture
 * @param {import("../../state/scene.js").CellImage} image */
export function sendImage(gl, texture, { bitmap, content }) {
  begin(gl, IMAGE, texture, content === "colors" ? gl.LINEAR : gl.NEAREST);
  // Pixels may be codes, not colors: the browser must not flip, premultiply or convert them.
  for (const name of [gl.UNPACK_FLIP_Y_WEBGL, gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL]) gl.pixelStorei(name, false);
  gl.pixelStorei(gl.UNPACK_COLORSPACE_CONVERSION_WEBGL, gl.NONE);
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, gl.RGBA, gl.UNSIGNED_BYTE, bitmap);
}

/** @param {WebGL2RenderingContext} gl @param {number} unit @param {WebGLTexture | null} texture @param {number} filter between its pixels */
function begin(gl, unit, texture, filter) {
  gl.activeTexture(gl.TEXTURE0 + unit);
  gl.bindTexture(gl.TEXTURE_2D, texture);
  for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, name, filter);
  for (const name of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, name, gl.CLAMP_TO_EDGE);
}
