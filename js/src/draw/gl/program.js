/** Compiled programs, one of each per context, and where their uniforms are. */

/** @type {WeakMap<WebGLProgram, Map<string, WebGLUniformLocation | null>>} */
const locations = new WeakMap();

/** @param {WebGL2RenderingContext} gl @param {WebGLProgram} program @returns {(name: string) => WebGLUniformLocation | null} */
export function locationsOf(gl, program) {
  const known = locations.get(program) ?? new Map();
  locations.set(program, known);
  return (name) => {
    if (!known.has(name)) known.set(name, gl.getUniformLocation(program, name));
    return known.get(name);
  };
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
