/** Markers while you draw: requests the genes of a shape as it moves, at most one at a time, and of each selection. */
import { thinned } from "./quick_shape.js";

/** @typedef {import("../../state/state.js").State} State */
/** @typedef {import("../../wire/protocol.js").Quick} Quick */

/** Least time between two requests. */
const EACH_MS = 100;
/** A day: the user can cancel earlier. */
const WAIT_MS = 86_400_000;

/** @typedef {ReturnType<typeof createQuick>} QuickMarkers */

/**
 * @param {import("../../wire/client.js").Client} client @param {() => void} redraw
 * @param {import("./comparison_requests.js").Comparing} comparing runs the exact test
 */
export function createQuick(client, redraw, comparing) {
  let isOn = false;
  let isMaking = false;
  /** The newest answer; null = the result of the exact test is shown. @type {Quick | null} */
  let list = null;
  /** The newest answer if there is no sketch. @type {Quick | null} */
  let missing = null;
  /** The panel whose embedding it lacks. */
  let at = 0;
  let isDrawing = false;
  /** The shape to request next. @type {[number[], number] | null} */
  let next = null;
  let isAsking = false;
  /** seq of the selection that was requested last; NaN = none. */
  let seq = NaN;
  /** The result that was shown when the exact test began. @type {object | null} */
  let before = null;
  let isTesting = false;

  /** @type {NonNullable<import("../../wire/client.js").Client["onShape"]>} */
  function onShape(shape, panel) {
    isDrawing = shape !== null;
    next = null;
    const corners = shape?.corners() ?? [];
    if (corners.length < 6 || isMaking) return;
    if (isTesting) comparing.cancel();
    isTesting = false;
    next = [thinned(corners), panel];
    void drain();
  }

  /** Requests the newest shape until none is left. */
  async function drain() {
    if (isAsking) return;
    isAsking = true;
    while (isOn && next !== null) {
      const [polygon, panel] = next;
      next = null;
      const pause = new Promise((resolve) => setTimeout(resolve, EACH_MS));
      take(await client.ask({ kind: "quick", polygon, panel }), panel, true);
      await pause;
    }
    isAsking = false;
  }

  /** @param {import("../../wire/client.js").Reply[] | null} answer @param {number} panel @param {boolean} isOfShape */
  function take(answer, panel, isOfShape) {
    // The client has shown the error; an answer about a shape that is finished is out of date.
    if (!isOn || answer === null || (isOfShape && !isDrawing)) return;
    const found = /** @type {Quick} */ (answer[0]);
    if (found.has_sketch) [list, missing] = [found, null];
    else [list, missing, at] = [null, found, panel];
    redraw();
  }

  /** Requests the genes of the selection, and its exact test. @param {State} state */
  async function ofSelection({ selection }) {
    const answer = await client.ask({ kind: "quick", polygon: [], panel: 0 });
    if (!isOn || isDrawing || seq !== selection.seq) return;
    // Each drag would show the error again.
    if (answer === null) return put(false);
    take(answer, 0, false);
    if (missing !== null && !missing.is_remote && !isMaking) return make();
    // Reading all of a remote matrix is up to the user.
    if (list === null || list.is_remote || list.names.length === 0) return;
    isTesting = true;
    before = comparing.found();
    comparing.compare({ a: "selection", b: "rest", method: "t-test" });
  }

  async function make() {
    isMaking = true;
    redraw();
    const answer = await client.ask({ kind: "sketch", panel: at }, WAIT_MS);
    isMaking = false;
    seq = NaN; // request the genes of the selection, and its test
    if (answer === null) put(false);
    else take(answer, at, false);
    redraw();
  }

  /** @param {boolean} to */
  function put(to) {
    if (isMaking && !to) client.tell({ kind: "cancel", of: "sketch", panel: at });
    [isOn, list, missing, next, seq, isTesting] = [to, null, null, null, NaN, false];
    if (isOn) client.onShape = onShape;
    else if (client.onShape === onShape) client.onShape = undefined;
    redraw();
  }

  return {
    isOn: () => isOn,
    isMaking: () => isMaking,
    missing: () => missing,
    isDrawing: () => isDrawing,
    put,
    make: () => void make(),
    /** The genes to show in place of a result; null = show the result. */
    list: () => list,
    /** Follows the selection. Called at each redraw. @param {State | null} state null = the panel is closed */
    follow(state) {
      if (state === null) {
        if (isOn) put(false);
        return;
      }
      if (!isOn) return;
      if (isTesting && !comparing.isBusy()) {
        isTesting = false;
        if (comparing.found() !== before) list = null;
      }
      if (isMaking || isDrawing || seq === state.selection.seq || state.link !== "live") return;
      seq = state.selection.seq;
      // Not within a redraw, since a request draws the panel.
      queueMicrotask(() => void ofSelection(state));
    },
  };
}
