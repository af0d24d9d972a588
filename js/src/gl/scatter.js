/** Draws a slice of points as one style says. */
import { FRAGMENT_DISC, FRAGMENT_DISC_DEPTH, FRAGMENT_SQUARE, VERTEX } from "./shaders.js";

/** @typedef {import("../style.js").Style} Style */
/** @typedef {import("./context.js").Shared} Shared */

/** Points up to this side are squares: too small for an edge to show. */
const SQUARE_PX = 3;

/**
 * @param {Shared} shared
 * @param {{bind: () => void}} buffers
 * @param {WebGLTexture | null} colors
 * @param {{style: Style, scale: [number, number], offset: [number, number], sizePx: number}} how sizePx: diameter, device px
 * @param {number} first
 * @param {number} count
 */
export function drawPoints(shared, buffers, colors, { style, scale, offset, sizePx }, first, count) {
  const { gl } = shared;
  const isDisc = sizePx > SQUARE_PX;
  const program = programOf(shared, isDisc ? (isLayered(style) ? FRAGMENT_DISC_DEPTH : FRAGMENT_DISC) : FRAGMENT_SQUARE);
  const at = locationsOf(gl, program);
  gl.useProgram(program);
  gl.uniform2f(at("u_scale"), ...scale);
  gl.uniform2f(at("u_offset"), ...offset);
  gl.uniform1f(at("u_side"), isDisc ? sizePx + 1 : Math.max(sizePx, 1));
  gl.uniform1i(at("u_mode"), style.mode);
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
  gl.enable(gl.DEPTH_TEST);
  gl.depthFunc(gl.LEQUAL);
  gl.depthMask(true);
  if (isDisc || style.opacity < 1) gl.enable(gl.BLEND);
  else gl.disable(gl.BLEND);
  gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  buffers.bind();
  gl.drawArrays(gl.POINTS, first, count);
  gl.bindVertexArray(null);
}

/** @type {WeakMap<WebGLProgram, Map<string, WebGLUniformLocation | null>>} */
const locations = new WeakMap();

/** @param {WebGL2RenderingContext} gl @param {WebGLProgram} program @returns {(name: string) => WebGLUniformLocation | null} */
function locationsOf(gl, program) {
  const known = locations.get(program) ?? new Map();
  locations.set(program, known);
  return (name) => {
    if (!known.has(name)) known.set(name, gl.getUniformLocation(program, name));
    return known.get(name);
  };
}

/** Find out now whether the shaders compile here. @param {Shared} shared @throws {Error} if they do not */
export function tryShaders(shared) {
  for (const fragment of [FRAGMENT_SQUARE, FRAGMENT_DISC, FRAGMENT_DISC_DEPTH]) programOf(shared, fragment);
}

/** Do some points lie above others whatever their order? @param {Style} style */
function isLayered({ mode, selecting, highlighted }) {
  return mode === 2 || selecting || highlighted >= 0;
}

/** @param {Shared} shared @param {string} fragment @returns {WebGLProgram} */
function programOf({ gl, programs }, fragment) {
  const key = VERTEX + fragment;
  const made = programs.get(key) ?? link(gl, VERTEX, fragment);
  programs.set(key, made);
  return made;
}

/** @param {WebGL2RenderingContext} gl @param {string} vertex @param {string} fragment @returns {WebGLProgram} */
function link(gl, vertex, fragment) {
  const program = gl.createProgram();
  for (const [type, source] of /** @type {const} */ ([
    [gl.VERTEX_SHADER, vertex],
    [gl.FRAGMENT_SHADER, fragment],
  ])) {
    const shader = gl.createShader(type);
    if (shader === null) break; // the context is lost
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
    gl.deleteShader(shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) {
    const shaders = gl.getAttachedShaders(program) ?? [];
    const logs = [gl.getProgramInfoLog(program), ...shaders.map((shader) => gl.getShaderInfoLog(shader))];
    throw new Error(`The points' shader does not compile: ${logs.filter(Boolean).join(" ")}`);
  }
  return program;
}
