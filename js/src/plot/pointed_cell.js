/** Finds the cell under a resting pointer, with at most one request at a time. */

const REST_MS = 50;
const WAIT_MS = 5_000;

/**
 * @param {(px: number, py: number, waitMs: number) => Promise<import("../state/state.js").Cell | null>} ask
 * @param {(cell: import("../state/state.js").Cell | null, isMarked: boolean) => void} show isMarked: after a click
 */
export function createCellFinder(ask, show) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** Counts pointer positions; a reply for an older position is not shown. */
  let visit = 0;
  let isAsking = false;

  /** @param {number} px @param {number} py */
  async function request(px, py, isMarked = false) {
    if (isAsking) {
      const again = setTimeout(request, REST_MS, px, py, isMarked);
      if (!isMarked) timer = again; // a click counts wherever the pointer goes next
      return;
    }
    isAsking = true;
    // A reply may take seconds, and the pointer may have moved by then.
    const visited = visit;
    const cell = await ask(px, py, WAIT_MS);
    isAsking = false;
    if (isMarked || visited === visit) show(cell, isMarked);
  }

  return {
    /** @param {number} px @param {number} py */
    point(px, py) {
      visit++;
      clearTimeout(timer);
      timer = setTimeout(request, REST_MS, px, py);
    },
    /** @param {number} px @param {number} py */
    mark(px, py) {
      visit++;
      clearTimeout(timer);
      void request(px, py, true);
    },
    leave() {
      visit++;
      clearTimeout(timer);
      show(null, false);
    },
  };
}
