/** Draws areas: an image of all cells, or one color over all drawn points. */
import { isDimming } from "../../style/point_style.js";
import { FAINTEST } from "../../wire/constants.js";
import { useProgram } from "./program.js";
import { FRAGMENT_FILL, FRAGMENT_IMAGE, VERTEX_IMAGE } from "./shaders.js";
import { bindTextures, UNITS } from "./textures.js";

/**
 * @param {import("./context.js").Shared} shared
 * @param {{image: WebGLTexture | null, colors: WebGLTexture | null}} textures
 * @param {import("../../state/scene.js").CellImage["content"]} content
 * @param {import("../painter.js").ImageOptions} options
 */
export function drawImage(shared, textures, content, { style, rect, isCover }) {
  const { gl } = shared;
  const behind = isDimming(style) ? 255 / FAINTEST : 0;
  useProgram(shared, VERTEX_IMAGE, FRAGMENT_IMAGE, {
    ...style,
    ...UNITS,
    rect,
    behind,
    mode: content === "colors" ? 1 : 2,
  });
  bindTextures(gl, textures);
  gl.enable(gl.DEPTH_TEST);
  gl.depthFunc(gl.LEQUAL);
  // An image that covers the view hides the points behind it by its depth.
  gl.depthMask(isCover);
  drawRectangle(gl, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  gl.depthMask(true);
}

/** Recolors all points of the bound picture with the color of one code.
 * @param {import("./context.js").Shared} shared @param {WebGLTexture | null} colors @param {number} code */
export function fillPoints(shared, colors, code) {
  const { gl } = shared;
  useProgram(shared, VERTEX_IMAGE, FRAGMENT_FILL, { ...UNITS, rect: [-1, 1, -1, 1], code });
  bindTextures(gl, { colors });
  gl.disable(gl.DEPTH_TEST);
  // Multiplies the new color by the coverage, so the points need not be drawn again (decision 14).
  drawRectangle(gl, gl.DST_ALPHA, gl.ZERO);
}

/** @param {WebGL2RenderingContext} gl @param {number} source blend factor of the new color
 * @param {number} target blend factor of the old color */
function drawRectangle(gl, source, target) {
  gl.enable(gl.BLEND);
  gl.blendFunc(source, target);
  gl.bindVertexArray(null);
  gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
}
