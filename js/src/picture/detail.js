/** Requests positions at full precision where rounded codes would show as a lattice: for the views of all plots of a
 * model, with a margin. */
import { covers, expand, isCoarse } from "../screen/camera.js";
import { isComplete, joinDetail } from "../state/scene.js";
import { DETAIL } from "../wire/constants.js";

const WAIT_MS = 120;

/**
 * @param {import("../state/scene.js").Scene} scene
 * @param {() => import("../state/state.js").State} getState
 * @param {import("./viewports.js").Viewports} viewports
 * @param {(view: number[]) => Promise<import("../wire/protocol.js").Detail[] | null>} ask
 */
export function createDetailer(scene, getState, viewports, ask) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let isAsking = false;

  /** The view that needs more precise codes than those loaded; null = none. @returns {number[] | null} */
  function missing() {
    const { points, link } = getState();
    if (points === null || points.aggregated || link !== "live" || !isComplete({ ...scene, nextColor: null }))
      return null;
    const near = viewports.all().filter((one) => isCoarse(one, points.extent));
    const isGood = near.every((one) => isDetailed(scene, one));
    return isGood ? null : union(near.map(({ view }) => view));
  }

  function check() {
    if (missing() !== null) timer ??= setTimeout(refresh, WAIT_MS);
  }

  async function refresh() {
    timer = undefined;
    const view = missing();
    if (view === null || isAsking) return;
    isAsking = true;
    const seq = getState().points?.seq;
    const parts = await ask(expand(view, DETAIL));
    isAsking = false;
    // Other points may have arrived while the kernel worked.
    if (parts === null || getState().points?.seq !== seq) return;
    scene.detail = joinDetail(parts);
    viewports.refresh();
    if (missing() !== null && covers(scene.detail.extent, view)) check(); // the view has moved meanwhile
  }

  return { check, destroy: () => clearTimeout(timer) };
}

/** True if the loaded detail covers a viewport and is precise enough for it.
 * @param {import("../state/scene.js").Scene} scene @param {import("./viewports.js").Viewport} viewport */
function isDetailed({ detail }, viewport) {
  return detail !== null && covers(detail.extent, viewport.view) && !isCoarse(viewport, detail.extent);
}

/** @param {(readonly number[])[]} views @returns {number[]} x0, x1, y0, y1 */
function union(views) {
  const xs = views.flatMap((view) => [view[0], view[1]]);
  const ys = views.flatMap((view) => [view[2], view[3]]);
  return [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
}
