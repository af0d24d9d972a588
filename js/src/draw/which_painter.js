/**
 * Looks for a graphics card, once the first picture is whole: a driver takes as long to start as the processor takes to draw
 * a million points, and one that has no card is not used at all.
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

/** So long after the first picture, when nobody waits for anything. */
const WAIT_MS = 1_000;
/** A lost context is back before that, or not at all. */
const LOST_MS = 5_000;

/**
 * @param {import("../state/state.js").Store} store
 * @param {(shared: import("./gl/context.js").Shared) => void} take is given a card that can draw points
 * @returns {() => void} stops asking
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

  // Another widget of the page has tried before: nothing has to start any more.
  if (isContextKnown()) ask();
  else wait();
  return () => (stop(), clearTimeout(timer));
}

/** The page's WebGL context, if it can draw points, and faster than the processor does. @param {import("../style/point_style.js").Style} style of them */
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

/** A context that does not come back leaves the drawing to the processor, for as long as it is away.
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

/** Find out now whether the shaders compile here, and draw a point nowhere: a driver prepares its programs with the first
 * one, which lasts as long as drawing many. @param {import("./gl/context.js").Shared} shared @param {import("../style/point_style.js").Style} style of
 * the points to come @throws {Error} if they do not compile */
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
