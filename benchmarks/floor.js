// The floor: takes the bytes, puts them in GPU memory and draws every point with one call. Less work cannot draw this
// picture, and nothing here is kept from being fast: no legend, no hover, no selection.
const VERTEX = `#version 300 es
precision highp float;
layout(location = 0) in uvec2 a_xy;
layout(location = 1) in uint a_code;
uniform vec3 u_zoom;
uniform bool u_isGene;
uniform sampler2D u_palette;
flat out vec4 v_color;
void main() {
  int at = u_isGene ? int(a_code >> 8) : int(a_code);
  v_color = texelFetch(u_palette, ivec2(at, u_isGene ? 1 : 0), 0);
  gl_Position = vec4((vec2(a_xy) / 32767.0 - 1.0) * u_zoom.x + u_zoom.yz, 0.0, 1.0);
  gl_PointSize = 2.0;
}`;
const FRAGMENT = `#version 300 es
precision highp float;
flat in vec4 v_color;
out vec4 color;
void main() { color = v_color; }`;

function program(gl) {
  const made = gl.createProgram();
  for (const [type, source] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
    const shader = gl.createShader(type);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(made, shader);
  }
  gl.linkProgram(made);
  return made;
}

/** Row 0: 256 hues, row 1: a ramp. */
function palette(gl) {
  const rgba = new Uint8Array(2 * 256 * 4).fill(255);
  for (let i = 0; i < 256; i++) {
    rgba.set([(i * 97) % 224, (i * 61) % 224, (i * 151) % 224], 4 * i);
    rgba.set([i, 0.8 * i, 255 - i], 1024 + 4 * i);
  }
  gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, 256, 2, 0, gl.RGBA, gl.UNSIGNED_BYTE, rgba);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
}

const bytes = (view) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
const words = (view, Type) => new Type(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength));

/** Containers of 65,536 points: how many entries each has, offsets within it, values. */
function expand(n, [counts, offsets, values]) {
  const codes = new Uint16Array(n);
  let entry = 0;
  for (let c = 0; c < counts.length; c++) {
    for (const end = entry + counts[c]; entry < end; entry++) codes[65536 * c + offsets[entry]] = values[entry];
  }
  return codes;
}

function render({ model, el }) {
  const n = model.get("n");
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [model.get("width"), model.get("height")];
  el.append(canvas);
  const gl = canvas.getContext("webgl2", { antialias: false, depth: false, alpha: false });
  const used = program(gl);
  gl.useProgram(used);
  palette(gl);
  const [xy, codes, values] = [4, 1, 2].map((size) => {
    const buffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, size * n, gl.STATIC_DRAW);
    return buffer;
  });
  gl.bindBuffer(gl.ARRAY_BUFFER, xy);
  gl.vertexAttribIPointer(0, 2, gl.UNSIGNED_SHORT, 0, 0);
  gl.enableVertexAttribArray(0);
  gl.enableVertexAttribArray(1);
  const zoom = [1, 0, 0];
  let isGene = false;
  let frame = 0;

  function draw() {
    frame = 0;
    gl.bindBuffer(gl.ARRAY_BUFFER, isGene ? values : codes);
    gl.vertexAttribIPointer(1, 1, isGene ? gl.UNSIGNED_SHORT : gl.UNSIGNED_BYTE, 0, 0);
    gl.uniform1i(gl.getUniformLocation(used, "u_isGene"), Number(isGene));
    gl.uniform3f(gl.getUniformLocation(used, "u_zoom"), ...zoom);
    gl.clearColor(1, 1, 1, 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.drawArrays(gl.POINTS, 0, n);
  }

  function put(buffer, at, array) {
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferSubData(gl.ARRAY_BUFFER, at, array);
  }

  model.on("msg:custom", ({ kind, at, last }, buffers) => {
    if (kind === "gene") {
      put(values, 0, expand(n, [words(buffers[0], Uint32Array), words(buffers[1], Uint16Array), words(buffers[2], Uint16Array)]));
    } else {
      put(kind === "xy" ? xy : codes, at, bytes(buffers[0]));
    }
    if (!last) return;
    isGene = kind === "gene";
    frame ||= requestAnimationFrame(draw);
  });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom[0] *= 2 ** (-event.deltaY / 500);
    frame ||= requestAnimationFrame(draw);
  });
  model.send({ kind: "ready" });
  return () => gl.getExtension("WEBGL_lose_context")?.loseContext();
}

export default { render };
