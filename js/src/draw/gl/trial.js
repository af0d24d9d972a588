/** Draws one point before there are any, to see whether the shaders work here and to have the driver prepare them. */
import { createPointBuffers } from "./buffers.js";
import { createTarget } from "./picture.js";
import { programOf } from "./program.js";
import { drawPoints } from "./scatter.js";
import { FRAGMENT_DISC, FRAGMENT_DISC_DEPTH, FRAGMENT_SQUARE, VERTEX } from "./shaders.js";
import { sendColors } from "./textures.js";

const FRAGMENTS = [FRAGMENT_SQUARE, FRAGMENT_DISC, FRAGMENT_DISC_DEPTH];

/** Find out now whether the shaders compile here, and draw a point nowhere: a driver prepares its programs with the first
 * one, which lasts as long as drawing many. @param {import("./context.js").Shared} shared @param {import("../../style/style.js").Style} style of
 * the points to come @throws {Error} if they do not compile */
export function tryShaders(shared, style) {
  for (const fragment of FRAGMENTS) programOf(shared, VERTEX, fragment);
  const target = createTarget(shared);
  const buffers = createPointBuffers(shared.gl);
  target.resize(1, 1);
  target.bind();
  const colors = shared.gl.createTexture();
  sendColors(shared.gl, colors, new Uint8Array(1024).fill(255));
  buffers.sync({ n: 1, loaded: 1, xy: new Uint16Array(2), codes: new Uint8Array(1), flags: null });
  drawPoints(shared, buffers, colors, { style, scale: [1, 1], offset: [0, 0], sizePx: 1 }, 0, 1);
  shared.gl.flush();
  shared.gl.deleteTexture(colors);
  buffers.free();
  target.free();
}
