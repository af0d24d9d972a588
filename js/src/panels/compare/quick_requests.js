/** Markers while you draw: requests the genes of a shape or brush as it moves, one at a time, and of what it selects. */
import { columnOf, ruleOf } from "../filters/filter_rules.js";
import { thinned } from "./quick_shape.js";

/** @typedef {import("../../state/state.js").State} State */
/** @typedef {import("../../wire/protocol.js").Quick} Quick */

/** Least time between two requests. */
const EACH_MS = 100;
/** A shape or brush that rests so long is read. */
const STILL_MS = 150;
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
  /** The brush that was followed last; null = a shape or a selection. @type {Record<string, any> | null} */
  let rule = null;
  /** The shape or brush to request next. @type {[object, number] | null} */
  let next = null;
  let isAsking = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let still;
  /** seq of the selection that was requested last; NaN = none. */
  let seq = NaN;
  /** The result that was shown when the exact test began. @type {object | null} */
  let before = null;
  let isTesting = false;

  /** @type {NonNullable<import("../../wire/client.js").Client["onShape"]>} */
  function onShape(shape, panel) {
    isDrawing = shape !== null;
    next = null;
    clearTimeout(still);
    if (shape === null) {
      if (rule !== null && !isMaking) void ofCells();
      return;
    }
    rule = shape.rule ?? null;
    const corners = shape.corners();
    if (isMaking || (shape.rule === undefined && corners.length < 6)) return;
    if (isTesting) comparing.cancel();
    isTesting = false;
    if (shape.rule === null) list = null;
    else {
      const cells = rule === null ? { polygon: thinned(corners) } : { polygon: [], rule };
      next = [cells, panel];
      still = setTimeout(() => void read(cells, panel), STILL_MS);
    }
    void drain();
  }

  /** Requests the newest shape until none is left. */
  async function drain() {
    if (isAsking) return;
    isAsking = true;
    while (isOn && next !== null) {
      const [cells, panel] = next;
      next = null;
      const pause = new Promise((resolve) => setTimeout(resolve, EACH_MS));
      take(await client.ask({ kind: "quick", ...cells, panel }), panel, true);
      if (rule !== null && missing !== null && !missing.is_remote && !isMaking) void make();
      await pause;
    }
    isAsking = false;
  }

  /** Requests exact sums. Outside of `drain`: a move does not wait for them. @param {object} cells @param {number} panel */
  async function read(cells, panel) {
    if (!isOn || !isDrawing || isMaking || list === null || list.is_remote || list.n_read === list.n_cells) return;
    take(await client.ask({ kind: "quick", ...cells, is_released: true, panel }), panel, true);
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

  /** Requests the genes of the selection, or of the released brush, and their exact test. */
  async function ofCells() {
    const [brush, selection] = [rule, seq];
    const cells = brush === null ? {} : { rule: brush, is_released: true };
    const answer = await client.ask({ kind: "quick", polygon: [], panel: 0, ...cells });
    if (!isOn || isDrawing || rule !== brush || !Object.is(seq, selection)) return;
    // Each drag would show the error again.
    if (answer === null) return put(false);
    take(answer, 0, false);
    if (missing !== null && !missing.is_remote && !isMaking) return make();
    // Reading all of a remote matrix is up to the user.
    if (list === null || list.is_remote || list.names.length === 0) return;
    isTesting = true;
    before = comparing.found();
    comparing.compare({ a: brush === null ? "selection" : "filter", b: "rest", method: "t-test" });
  }

  async function make() {
    isMaking = true;
    redraw();
    const cells = rule === null ? {} : { rule };
    const answer = await client.ask({ kind: "sketch", panel: at, ...cells }, WAIT_MS);
    isMaking = false;
    if (answer === null) put(false);
    else take(answer, at, false);
    // Request the genes of the cells as they are now, and their test.
    if (rule === null) seq = NaN;
    else if (isDrawing) next = [{ polygon: [], rule }, 0];
    else if (isOn) void ofCells();
    void drain();
    redraw();
  }

  /** @param {boolean} to */
  function put(to) {
    if (isMaking && !to) client.tell({ kind: "cancel", of: "sketch", panel: at });
    [isOn, list, missing, next, rule, seq, isTesting] = [to, null, null, null, null, NaN, false];
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
      // The filter of the brush was removed.
      if (rule !== null && !isDrawing && ruleOf(state.traits.filters, columnOf(rule)) === undefined)
        [rule, list] = [null, null];
      if (isMaking || isDrawing || seq === state.selection.seq || state.link !== "live") return;
      [seq, rule] = [state.selection.seq, null];
      // Not within a redraw, since a request draws the panel.
      queueMicrotask(() => void ofCells());
    },
  };
}
