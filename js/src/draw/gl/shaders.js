/** GLSL shaders of points and images. Depth alone decides which point lies on top, so nothing has to be sorted. */
// Changes with cxg_widget/draw/points/inks.py and js/src/draw/cpu/inks.js: which point lies on top, in which color.
// Changes with cxg_widget/draw/points/discs.py: which pixels a point covers.
import { SQUARE_PX } from "../../wire/constants.js";
import { LEFT_OUT_ALPHA } from "../../wire/protocol.js";

/** The same program for points with individual sizes. @param {string} source */
export const ofSizes = (source) => source.replace("\n", "\n#define SIZED\n");

/** Looks up the color of a code in a table 256 wide. */
const LOOK_UP = /* glsl */ `
vec4 colorAt(sampler2D colors, int code) {
  return texelFetch(colors, ivec2(code & 255, code >> 8), 0);
}
`;

/**
 * Draw order from front to back: values by rank, values in the range u_grey, missing values, then all dimmed points
 * in the same order, then points that the filters exclude.
 * a_flag bit 0: selected, bit 1: excluded. u_mode 0: one color, 1: categories, 2: numbers.
 */
export const VERTEX = /* glsl */ `#version 300 es
precision highp float;
precision highp int;
precision highp sampler2D;
layout(location = 0) in uvec2 a_xy;
layout(location = 1) in uint a_code;
layout(location = 2) in uint a_flag;
uniform vec2 u_scale;
uniform vec2 u_offset;
#ifdef SIZED
layout(location = 3) in uint a_size;
uniform vec3 u_sizes;
flat out float v_side;
#else
uniform float u_side;
#endif
uniform int u_mode;
uniform float u_ranked;
uniform uint u_missing;
uniform int u_highlighted;
uniform bool u_selecting;
uniform vec2 u_grey;
uniform vec4 u_plain;
uniform vec4 u_missingColor;
uniform vec4 u_leftOut;
uniform vec3 u_background;
uniform float u_dimmed;
uniform float u_opacity;
uniform sampler2D u_colors;
flat out vec4 v_color;
${LOOK_UP}
void main() {
  vec4 color = u_plain;
  float rank = 0.0;
  bool dimmed = u_selecting && (a_flag & 1u) == 0u;
  if (u_mode != 0 && a_code == u_missing) {
    color = u_missingColor;
    rank = -0.5;
    dimmed = dimmed || u_highlighted >= 0;
  } else if (u_mode == 1) {
    color = colorAt(u_colors, int(a_code));
    rank = u_ranked * float(a_code) / 65534.0;
    dimmed = dimmed || (u_highlighted >= 0 && int(a_code) != u_highlighted);
  } else if (u_mode == 2) {
    float code = float(a_code);
    color = colorAt(u_colors, int(a_code));
    rank = code >= u_grey.x && code <= u_grey.y ? -0.25 : u_ranked * code / 65534.0;
  }
  bool leftOut = color.a == 0.0 || (a_flag & 2u) != 0u;
  if ((leftOut && u_leftOut.a == 0.0) || a_xy.x == 65535u || a_xy.y == 65535u) {
    gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
    gl_PointSize = 1.0;
    return;
  }
  float depth = leftOut ? 0.9 : (dimmed ? 0.5 : -0.3) - 0.4 * rank;
  gl_Position = vec4(vec2(a_xy) * u_scale + u_offset, depth, 1.0);
#ifdef SIZED
  float px = clamp(float(a_size) * u_sizes.x, u_sizes.y, u_sizes.z);
  v_side = px > ${SQUARE_PX}.0 ? px + 1.0 : px;
  gl_PointSize = v_side;
#else
  gl_PointSize = u_side;
#endif
  vec3 rgb = leftOut ? u_leftOut.rgb : dimmed ? mix(u_background, color.rgb, u_dimmed) : color.rgb;
  v_color = vec4(rgb, 1.0) * (leftOut ? u_leftOut.a : u_opacity);
}
`;

/** Square points, for small sizes. */
export const FRAGMENT_SQUARE = /* glsl */ `#version 300 es
precision highp float;
flat in vec4 v_color;
out vec4 color;
void main() {
  color = v_color;
}
`;

/** @param {string} edge extra statement for each pixel, e.g. to set its depth */
const disc = (edge) => /* glsl */ `#version 300 es
precision highp float;
#ifdef SIZED
flat in float v_side;
#define SIDE v_side
#else
uniform float u_side;
#define SIDE u_side
#endif
flat in vec4 v_color;
out vec4 color;
void main() {
  float coverage = clamp(0.5 * SIDE - SIDE * length(gl_PointCoord - 0.5), 0.0, 1.0);
#ifdef SIZED
  if (v_side <= ${SQUARE_PX}.0) coverage = 1.0;
#endif
  if (coverage == 0.0) discard;
  ${edge}
  color = v_color * coverage;
}
`;

/** Round points with a soft edge, where later points lie on top of earlier ones. */
export const FRAGMENT_DISC = disc("");

/** Round points where depth decides which lies on top. Their soft edge lies at the back: otherwise it would hide lower
 * points that are drawn later. */
export const FRAGMENT_DISC_DEPTH = disc("gl_FragDepth = coverage < 1.0 ? 0.9999 : gl_FragCoord.z;");

/** A picture over a rectangle of clip space (left, right, bottom, top), in front of all points. */
export const VERTEX_IMAGE = /* glsl */ `#version 300 es
precision highp float;
uniform vec4 u_rect;
out vec2 v_at;
void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
  v_at = vec2(corner.x, 1.0 - corner.y);
  gl_Position = vec4(mix(u_rect.xz, u_rect.yw, corner), -0.99, 1.0);
}
`;

/** u_mode 1: premultiplied colors; 2: numbers, with the code in red and green and the opacity in blue. u_background
 * lies behind dimmed pixels, as it does for points; u_behind says how fast it grows with the opacity of the pixel. */
export const FRAGMENT_IMAGE = /* glsl */ `#version 300 es
precision highp float;
precision highp sampler2D;
uniform sampler2D u_image;
uniform sampler2D u_colors;
uniform int u_mode;
uniform vec4 u_missingColor;
uniform vec4 u_leftOut;
uniform vec3 u_background;
uniform float u_behind;
uniform float u_opacity;
in vec2 v_at;
out vec4 color;
${LOOK_UP}
vec4 colorOf() {
  if (u_mode == 1) return texture(u_image, v_at);
  ivec2 size = textureSize(u_image, 0);
  vec3 pixel = texelFetch(u_image, min(ivec2(v_at * vec2(size)), size - 1), 0).rgb;
  if (floor(pixel.b * 255.0 + 0.5) == ${LEFT_OUT_ALPHA}.0) return vec4(u_leftOut.rgb, 1.0) * ceil(u_leftOut.a);
  int code = int(pixel.r * 255.0 + 0.5) * 256 + int(pixel.g * 255.0 + 0.5);
  vec4 found = code > 65534 ? u_missingColor : colorAt(u_colors, code);
  return vec4(found.rgb, 1.0) * pixel.b;
}

void main() {
  vec4 above = colorOf();
  color = (above + vec4(u_background, 1.0) * (1.0 - above.a) * min(above.a * u_behind, 1.0)) * u_opacity;
}
`;

/** Fills with the color of one code. */
export const FRAGMENT_FILL = /* glsl */ `#version 300 es
precision highp float;
precision highp sampler2D;
uniform sampler2D u_colors;
uniform float u_code;
out vec4 color;
${LOOK_UP}
void main() {
  color = colorAt(u_colors, int(u_code));
}
`;
