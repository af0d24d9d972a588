/**
 * Looks for a graphics card once the first picture is complete: a driver takes as long to start as the CPU takes to
 * draw a million points. Drivers without a graphics card are not used.
 */
import { styleOf } from "../style/point_style.js";
import { PAPERS } from "../wire/constants.js";
import { MISSING } from "../wire/protocol.js";
import { createPointBuffers } from "./gl/buffers.js";
import { isContextKnown, sharedContext } from "./gl/context.js";
import { createTarget } from "./gl/picture.js";
import { programOf } from "./gl/program.js";
import { drawPoints } from "./gl/scatter.js";
import { FRAGMENT_DISC, FRAGMENT_DISC_DEPTH, FRAGMENT_SQUARE, VERTEX } from "./gl/shaders.js";
import { sendColors } from "./gl/textures.js";

/** Delay after the first picture: by then the user waits for nothing. */
const WAIT_MS = 1_000;
/** A context that is lost for longer does not come back. */
const LOST_MS = 5_000;

/**
 * @param {import("../state/state.js").Store} store
 * @param {(shared: import("./gl/context.js").Shared) => void} take called with a card that can draw points
 * @returns {() => void} stops the search
 */
export function seekCard(store, take) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const stop = store.subscribe(wait);

  function wait() {
    const { points, isSeen, isWhole } = store.get();
    if (points?.aggregated ? isSeen : isWhole) timer ??= setTimeout(ask, WAIT_MS);
  }

  function ask() {
    stop();
    const shared = usableContext(styleOf(store.get(), PAPERS.white, MISSING));
    if (shared !== null) take(shared);
  }

  // Another widget of the page has already tried, so no driver has to start.
  if (isContextKnown()) ask();
  else wait();
  return () => (stop(), clearTimeout(timer));
}

/** The page's WebGL context, or null if it cannot draw points faster than the CPU.
 * @param {import("../style/point_style.js").Style} style of the points */
function usableContext(style) {
  const shared = sharedContext();
  try {
    if (shared !== null) tryShaders(shared, style);
    return shared;
  } catch (failure) {
    console.warn("cxg-widget: WebGL 2 is not available here, so the CPU draws the plot.", failure);
    return null;
  }
}

/** Lets the CPU draw while the context is lost, and the GPU again once it is restored.
 * @param {EventTarget} canvas @param {import("../state/state.js").Store} store @returns {() => void} */
export function watchCard(canvas, store) {
  const ending = new AbortController();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const draw = (/** @type {import("../state/state.js").State["drawnBy"]} */ drawnBy) =>
    store.get().drawnBy !== drawnBy && store.set({ drawnBy });
  canvas.addEventListener("webglcontextlost", () => (timer = setTimeout(draw, LOST_MS, "cpu")), {
    signal: ending.signal,
  });
  canvas.addEventListener("webglcontextrestored", () => (clearTimeout(timer), draw("gpu")), { signal: ending.signal });
  return () => (ending.abort(), clearTimeout(timer));
}

const FRAGMENTS = [FRAGMENT_SQUARE, FRAGMENT_DISC, FRAGMENT_DISC_DEPTH];

/** Compiles the shaders and draws one invisible point: a driver prepares its programs with the first point, which takes
 * as long as drawing many. @param {import("./gl/context.js").Shared} shared
 * @param {import("../style/point_style.js").Style} style of the points to come
 * @throws {Error} if the shaders do not compile */
export function tryShaders(shared, style) {
  for (const fragment of FRAGMENTS) programOf(shared, VERTEX, fragment);
  const target = createTarget(shared);
  const buffers = createPointBuffers(shared.gl);
  target.resize(1, 1);
  target.bind();
  const colors = shared.gl.createTexture();
  sendColors(shared.gl, colors, new Uint8Array(1024).fill(255));
  buffers.sync({ n: 1, loaded: 1, xy: new Uint16Array(2), codes: new Uint8Array(1), flags: null, sizes: null });
  drawPoints(shared, buffers, colors, { style, scale: [1, 1], offset: [0, 0], sizePx: 1 }, 0, 1);
  shared.gl.flush();
  shared.gl.deleteTexture(colors);
  buffers.free();
  target.free();
}
