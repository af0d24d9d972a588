/** Asks for full precision where position codes would show as a lattice: for what all views of a model see, and some around it. */
import { codeSizePx, covers, expand } from "../screen/camera.js";
import { isComplete, joinDetail } from "../state/scene.js";
import { COARSE_PX } from "./surface.js";

/** How much more than is seen is asked for, so that a small move needs no answer. */
const AROUND = 1.5;
const WAIT_MS = 120;

/**
 * @typedef {{camera: import("../screen/camera.js").Camera, view: readonly number[], ratio: number, refresh: () => void}} Look refresh: draw anew
 *
 * @param {import("../state/scene.js").Scene} scene
 * @param {() => import("../state/state.js").State} getState
 * @param {(view: number[]) => Promise<import("../wire/protocol.js").Detail[] | null>} ask
 */
export function createDetailer(scene, getState, ask) {
  /** @type {Map<object, Look>} */
  const looks = new Map();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let isAsking = false;

  /** What is seen too closely for the codes at hand; null = nothing. @returns {number[] | null} */
  function lacking() {
    const { points, link } = getState();
    if (points === null || points.aggregated || link !== "live" || !isComplete({ ...scene, nextColor: null })) return null;
    const near = [...looks.values()].filter((look) => codeSizePx(look.camera, points.extent) * look.ratio > COARSE_PX);
    if (near.length === 0) return null;
    const { detail } = scene;
    const isGood = (/** @type {Look} */ look) =>
      detail !== null && covers(detail.extent, look.view) && codeSizePx(look.camera, detail.extent) * look.ratio <= COARSE_PX;
    return near.every(isGood) ? null : union(near.map((look) => look.view));
  }

  function check() {
    if (lacking() !== null) timer ??= setTimeout(refresh, WAIT_MS);
  }

  async function refresh() {
    timer = undefined;
    const view = lacking();
    if (view === null || isAsking) return;
    isAsking = true;
    const seq = getState().points?.seq;
    const parts = await ask(expand(view, AROUND));
    isAsking = false;
    if (parts === null || getState().points?.seq !== seq) return;
    scene.detail = joinDetail(parts);
    for (const look of looks.values()) look.refresh();
    if (lacking() !== null && covers(scene.detail.extent, view)) check(); // the view has moved on meanwhile
  }

  return {
    /** Say what a plot sees now. @param {object} plot @param {Look} look */
    see(plot, look) {
      looks.set(plot, look);
      check();
    },
    /** @param {object} plot */
    forget(plot) {
      looks.delete(plot);
    },
    destroy() {
      looks.clear();
      clearTimeout(timer);
    },
  };
}

/** @param {(readonly number[])[]} views @returns {number[]} x0, x1, y0, y1 */
function union(views) {
  const xs = views.flatMap((view) => [view[0], view[1]]);
  const ys = views.flatMap((view) => [view[2], view[3]]);
  return [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
}
