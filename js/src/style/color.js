/** Colors as numbers: parses, compares and blends them. Pure. */

/** @typedef {[number, number, number]} Rgb 0..255 */
/** @typedef {[number, number, number, number]} Rgba alpha 0..1 */

/** @param {string} hex "#rrggbb" @returns {[number, number, number]} 0..255 */
export function parseHex(hex) {
  const number = Number.parseInt(hex.slice(1), 16);
  return [(number >> 16) & 255, (number >> 8) & 255, number & 255];
}

/** @param {number[]} rgb 0..255 @returns {string} "#rrggbb" */
export function toHex(rgb) {
  return `#${rgb.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;
}

/** The color if it is a plain hex code, else grey: no unchecked text from a file reaches a style attribute.
 * @param {string | undefined} color */
export function safeColor(color) {
  return color !== undefined && /^#([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i.test(color) ? color : "#888888";
}

/** Relative luminance, 0 black .. 1 white. Source: WCAG 2.2. @param {Rgb} rgb @returns {number} */
export function luminance(rgb) {
  const [r, g, b] = rgb.map((channel) => {
    const c = channel / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Contrast ratio, 1..21. Source: WCAG 2.2. @param {Rgb} a @param {Rgb} b @returns {number} */
export function contrast(a, b) {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

/** True if white text is more readable on a background than black. @param {Rgb} background @returns {boolean} */
export function isDark(background) {
  // sqrt(1.05 * 0.05) - 0.05: at this luminance black and white have the same contrast.
  return luminance(background) < 0.179;
}

/** Blends a transparent color over an opaque one. @param {[number, number, number, number]} over alpha 0..1
 * @param {Rgb} under @returns {Rgb} */
export function flatten([r, g, b, alpha], under) {
  const mix = (/** @type {number} */ top, /** @type {number} */ below) => Math.round(alpha * top + (1 - alpha) * below);
  return [mix(r, under[0]), mix(g, under[1]), mix(b, under[2])];
}

/** Parses the color formats that hosts and computed styles use; null for all others. @param {string} css
 * @returns {Rgba | null} */
export function parseColor(css) {
  const hex = /^#(?:([\da-f]{3})|([\da-f]{6}))$/i.exec(css);
  if (hex !== null)
    return [
      .../** @type {Rgb} */ (parseHex(hex[2] ? css : `#${[...hex[1]].map((digit) => digit + digit).join("")}`)),
      1,
    ];
  const listed = /^rgba?\((\d+), ?(\d+), ?(\d+)(?:, ?([\d.]+))?\)$/i.exec(css);
  if (listed !== null) return [Number(listed[1]), Number(listed[2]), Number(listed[3]), Number(listed[4] ?? 1)];
  return (
    { white: /** @type {Rgba} */ ([255, 255, 255, 1]), black: /** @type {Rgba} */ ([0, 0, 0, 1]) }[css.toLowerCase()] ??
    null
  );
}

/** The text color of a page, mixed with its background. @param {{foreground: number[], background: number[]}} theme
 * @param {number} share of the ink
 * @returns {string} CSS */
export function inkOf({ foreground, background }, share) {
  return `rgb(${foreground.map((one, i) => Math.round(share * one + (1 - share) * background[i]))})`;
}
