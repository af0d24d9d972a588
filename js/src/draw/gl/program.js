/** Compiled programs, one of each per context, and their uniforms. */

/** @typedef {{location: WebGLUniformLocation | null, type: number}} Slot */

/** The uniforms of a program, by their names without the "u_". @type {WeakMap<WebGLProgram, Map<string, Slot>>} */
const uniforms = new WeakMap();

/**
 * Selects a program for the next draw calls and sets its uniforms.
 * @param {import("./context.js").Shared} shared @param {string} vertex @param {string} fragment
 * @param {Record<string, any>} values numbers, booleans and arrays by the names of uniforms without the "u_";
 *   other names are ignored
 */
export function useProgram(shared, vertex, fragment, values) {
  const { gl } = shared;
  const program = programOf(shared, vertex, fragment);
  const slots = uniforms.get(program) ?? slotsOf(gl, program);
  uniforms.set(program, slots);
  gl.useProgram(program);
  for (const [name, { location, type }] of slots) {
    const value = values[name];
    if (type === gl.FLOAT) gl.uniform1f(location, value);
    else if (type === gl.FLOAT_VEC2) gl.uniform2fv(location, value);
    else if (type === gl.FLOAT_VEC3) gl.uniform3fv(location, value);
    else if (type === gl.FLOAT_VEC4) gl.uniform4fv(location, value);
    else if (type === gl.UNSIGNED_INT) gl.uniform1ui(location, value);
    else gl.uniform1i(location, value); // whole numbers, booleans and textures
  }
}

/** @param {WebGL2RenderingContext} gl @param {WebGLProgram} program @returns {Map<string, Slot>} */
function slotsOf(gl, program) {
  /** @type {Map<string, Slot>} */
  const slots = new Map();
  for (let i = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS) ?? 0; i-- > 0; ) {
    const { name, type } = gl.getActiveUniform(program, i) ?? { name: "", type: 0 };
    slots.set(name.slice(2), { location: gl.getUniformLocation(program, name), type });
  }
  return slots;
}

/** @param {import("./context.js").Shared} shared @param {string} vertex @param {string} fragment @returns {WebGLProgram} */
export function programOf({ gl, programs }, vertex, fragment) {
  const key = vertex + fragment;
  const made = programs.get(key) ?? link(gl, vertex, fragment);
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
    throw new Error(`A shader does not compile: ${logs.filter(Boolean).join(" ")}`);
  }
  return program;
}
