/**
 * The single WebGL 2 context of a page, and its draw loop. Each widget evaluates its own copy of this bundle, but a
 * browser grants only about 16 contexts. All copies therefore share one object under a global symbol, whose number
 * changes with the object's shape.
 */
import { createBudget } from "../budget.js";
import { createTurns } from "../turns.js";

/**
 * @typedef {import("../painter.js").Drawer} Drawer
 *
 * @typedef {object} Shared
 * @property {WebGL2RenderingContext} gl
 * @property {OffscreenCanvas | HTMLCanvasElement} canvas
 * @property {Map<string, WebGLProgram>} programs by source
 * @property {import("../painter.js").Loop} loop
 */

const KEY = Symbol.for("cxg-widget/gl/3");
const POLL_MS = 2;
/** A fence that has not signaled by then never will. */
const GIVE_UP_MS = 4_000;
/** @type {WebGLContextAttributes} */
const ATTRIBUTES = {
  alpha: true,
  antialias: false,
  depth: false,
  stencil: false,
  premultipliedAlpha: true,
  powerPreference: "high-performance",
};

/** Names of software drivers: the loops in `cpu/` are many times faster. */
const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;

/** @returns {Shared | null} null without WebGL 2 on a graphics card; the global `__CXG_DRAWN_BY__` overrides the
 * check */
export function sharedContext() {
  const page = /** @type {any} */ (globalThis);
  const forced = page.__CXG_DRAWN_BY__;
  if (forced === "cpu") return null;
  if (page[KEY] === undefined) page[KEY] = createShared(forced !== "gpu");
  return page[KEY];
}

/** True if a widget has already tried to create the context, or if `__CXG_DRAWN_BY__` decides. */
export function isContextKnown() {
  const page = /** @type {any} */ (globalThis);
  return page.__CXG_DRAWN_BY__ !== undefined || page[KEY] !== undefined;
}

/** @param {boolean} isCardNeeded @returns {Shared | null} */
function createShared(isCardNeeded) {
  const made = createContext({ ...ATTRIBUTES, failIfMajorPerformanceCaveat: isCardNeeded });
  if (made === null) return null;
  const { gl, canvas } = made;
  if (isCardNeeded && isSoftware(gl)) {
    // Frees the context: a page has about 16, and the browser blanks the oldest (decision 3).
    gl.getExtension("WEBGL_lose_context")?.loseContext();
    return null;
  }
  /** @type {Map<string, WebGLProgram>} */
  const programs = new Map();
  const { turns, tick, forget } = createLoop(gl);
  canvas.addEventListener("webglcontextlost", (event) => {
    event.preventDefault(); // else it is never restored
    forget();
  });
  canvas.addEventListener("webglcontextrestored", () => {
    programs.clear();
    for (const drawer of turns.drawers) drawer.restored();
    turns.wake();
  });
  return { gl, canvas, programs, loop: { wake: turns.wake, wakeSoon: turns.wakeSoon, hurry: tick, join: turns.join } };
}

/** @param {WebGL2RenderingContext} gl */
function isSoftware(gl) {
  const names = gl.getExtension("WEBGL_debug_renderer_info");
  return SOFTWARE.test(String(gl.getParameter(names?.UNMASKED_RENDERER_WEBGL ?? gl.RENDERER)));
}

/** Prefers an off-screen canvas, which transfers pictures without a copy; not every browser supports WebGL there.
 * @param {WebGLContextAttributes} attributes */
function createContext(attributes) {
  if (typeof OffscreenCanvas === "function") {
    const canvas = new OffscreenCanvas(1, 1);
    const gl = canvas.getContext("webgl2", attributes);
    if (gl !== null) return { canvas, gl };
  }
  const canvas = document.createElement("canvas");
  const gl = canvas.getContext("webgl2", attributes);
  return gl && { canvas, gl };
}

/** Draws one slice after the other, each as large as the budget allows, and never blocks on the GPU.
 * @param {WebGL2RenderingContext} gl */
function createLoop(gl) {
  const budget = createBudget();
  const turns = createTurns(tick, () => fence !== null);
  /** @type {Drawer[]} */
  let drawing = [];
  /** @type {WebGLSync | null} */
  let fence = null;
  let submitted = { points: 0, at: 0 };

  function tick() {
    turns.begin();
    if (gl.isContextLost() || !isIdle()) return;
    const presented = drawing.splice(0).filter((drawer) => turns.drawers.has(drawer));
    if (presented.map((drawer) => drawer.present()).includes(true)) {
      turns.wake();
      return;
    }
    const { drawing: drawn, points } = turns.draw(budget);
    if (drawn.length === 0) return;
    drawing = drawn;
    submitted = { points, at: performance.now() };
    fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    // Without a flush the fence may never reach the GPU.
    gl.flush();
    // In a new task: the status of a fence does not change within a task.
    setTimeout(poll, 0);
  }

  function poll() {
    if (fence === null) return; // another call has already handled it
    if (!isIdle()) setTimeout(poll, POLL_MS);
    // While the user moves the picture, draw with the page's frames; at rest, continue immediately.
    else if (turns.isUrgent()) turns.wake();
    else tick();
  }

  /** True if the GPU has finished the submitted slice. */
  function isIdle() {
    if (fence === null) return true;
    const elapsed = performance.now() - submitted.at;
    const isDone =
      gl.isContextLost() || gl.getSyncParameter(fence, gl.SYNC_STATUS) === gl.SIGNALED || elapsed > GIVE_UP_MS;
    if (!isDone) return false;
    gl.deleteSync(fence);
    fence = null;
    budget.record(submitted.points, elapsed);
    return true;
  }

  /** Drops the submitted slice, which is lost with the context. */
  function forget() {
    drawing = [];
    fence = null;
  }

  return { turns, tick, forget };
}
