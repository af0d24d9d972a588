/** Follows the theme of the page around the widget, from variables of JupyterLab and VS Code or the background
 * color. */
import { contrast, flatten, isDark, luminance, parseColor } from "../style/color.js";

/** @typedef {import("../style/color.js").Rgb} Rgb */
/** @typedef {import("../style/color.js").Rgba} Rgba */
/** @typedef {{background: Rgb, foreground: Rgb, accent: Rgb, dark: boolean}} Theme */

/** @type {{light: Theme, dark: Theme}} */
const OWN = {
  light: { background: [255, 255, 255], foreground: [31, 35, 40], accent: [37, 99, 205], dark: false },
  dark: { background: [24, 26, 29], foreground: [226, 229, 233], accent: [110, 168, 254], dark: true },
};
// VS Code first: it also sets variables of JupyterLab, and uses the color of inputs for the background.
const BACKGROUNDS = ["--vscode-editor-background", "--jp-layout-color0"];
const FOREGROUNDS = ["--vscode-editor-foreground", "--vscode-foreground", "--jp-ui-font-color1"];
const ACCENTS = ["--vscode-focusBorder", "--jp-brand-color1"];
/** Hosts change attributes first and load the theme's stylesheet later. */
const SETTLE_MS = [0, 150, 700];

/** Completes the theme of a host with our own colors where its colors are missing or unreadable on its background.
 * @param {{background: Rgb, foreground?: Rgb, accent?: Rgb}} host @returns {Theme} */
export function completeTheme({ background, foreground, accent }) {
  const dark = isDark(background);
  const own = dark ? OWN.dark : OWN.light;
  return {
    background,
    foreground: foreground !== undefined && contrast(foreground, background) >= 7 ? foreground : own.foreground,
    accent: accent !== undefined && contrast(accent, background) >= 4.5 ? accent : own.accent,
    dark,
  };
}

/** The current theme of the page around an element. @param {HTMLElement} el @returns {Theme} */
export function readTheme(el) {
  const variables = getComputedStyle(el);
  const pick = (/** @type {string[]} */ names) =>
    names.map((name) => toRgba(variables.getPropertyValue(name))).find((rgba) => rgba !== null);
  const declared = pick(BACKGROUNDS);
  const background = declared && declared[3] > 0.5 ? flatten(declared, [255, 255, 255]) : backgroundBehind(el);
  if (background === null) return ownTheme(el);
  const foreground = pick(FOREGROUNDS);
  const accent = pick(ACCENTS);
  return completeTheme({
    background,
    foreground: foreground && flatten(foreground, background),
    accent: accent && flatten(accent, background),
  });
}

/**
 * Calls a listener with the theme now and whenever it changes.
 * @param {HTMLElement} el @param {(theme: Theme) => void} listener @returns {() => void} stops watching
 */
export function watchTheme(el, listener) {
  let last = "";
  /** @type {ReturnType<typeof setTimeout>[]} */
  let timers = [];
  const read = () => {
    unpaintBackdrop(el);
    const theme = readTheme(el);
    const text = JSON.stringify(theme);
    if (text !== last) listener(theme);
    last = text;
  };
  const readSoon = () => {
    timers.forEach(clearTimeout);
    timers = SETTLE_MS.map((delay) => setTimeout(read, delay));
  };
  const observer = new MutationObserver(readSoon);
  observer.observe(document.documentElement, { attributes: true });
  observer.observe(document.body, { attributes: true });
  observer.observe(document.head, { childList: true });
  const media = matchMedia("(prefers-color-scheme: dark)");
  media.addEventListener("change", readSoon);
  const shown = new ResizeObserver(readSoon); // also fires when the element is attached to the page
  shown.observe(el);
  read();
  return () => {
    observer.disconnect();
    shown.disconnect();
    media.removeEventListener("change", readSoon);
    timers.forEach(clearTimeout);
  };
}

/** VS Code paints white behind every widget, in dark themes too: it shows as a frame around ours. @param {HTMLElement} el */
function unpaintBackdrop(el) {
  const backdrop = el.closest(".cell-output-ipywidget-background");
  if (backdrop instanceof HTMLElement) backdrop.style.setProperty("background-color", "transparent", "important");
}

/** The first opaque background behind an element, through shadow roots; null if there is none. @param {Element} el @returns {Rgb | null} */
function backgroundBehind(el) {
  for (let at = /** @type {Element | null} */ (el); at !== null; at = parentOf(at)) {
    const rgba = toRgba(getComputedStyle(at).backgroundColor);
    if (rgba !== null && rgba[3] > 0.9) return [rgba[0], rgba[1], rgba[2]];
  }
  return null;
}

/** @param {Element} el @returns {Element | null} */
function parentOf(el) {
  const root = el.getRootNode();
  return el.parentElement ?? (root instanceof ShadowRoot ? root.host : null);
}

/** Theme for a page without a background: dark if its text is light or the user prefers dark. @param {Element} el
 * @returns {Theme} */
function ownTheme(el) {
  const text = toRgba(getComputedStyle(el).color);
  const lightText =
    text !== null && !isDark([text[0], text[1], text[2]]) && luminance([text[0], text[1], text[2]]) > 0.5;
  return lightText || matchMedia("(prefers-color-scheme: dark)").matches ? OWN.dark : OWN.light;
}

/** @type {CanvasRenderingContext2D | null} */
let painter = null;

/** Converts any CSS color to numbers. @param {string} css @returns {Rgba | null} */
function toRgba(css) {
  const color = css.trim();
  if (color === "" || !CSS.supports("color", color)) return null;
  return parseColor(color) ?? paintColor(color);
}

/** Reads a color from a painted pixel. This is the fallback, because starting a canvas context may take as long as a
 * whole first picture.
 * @param {string} css @returns {Rgba | null} */
function paintColor(css) {
  painter ??= document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  if (painter === null) return null;
  painter.canvas.width = painter.canvas.height = 1; // also clears
  painter.fillStyle = css;
  painter.fillRect(0, 0, 1, 1);
  const [r, g, b, a] = painter.getImageData(0, 0, 1, 1).data;
  return [r, g, b, a / 255];
}
