/** Colours of codes in GPU memory. */

/** @param {WebGL2RenderingContext} gl @param {WebGLTexture | null} texture @param {Uint8Array} table RGBA, rows of 256 */
export function sendColors(gl, texture, table) {
  gl.activeTexture(gl.TEXTURE0);
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.pixelStorei(gl.UNPACK_ALIGNMENT, 4);
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, 256, table.length / 1024, 0, gl.RGBA, gl.UNSIGNED_BYTE, table);
  for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, name, gl.NEAREST);
  for (const name of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, name, gl.CLAMP_TO_EDGE);
}
