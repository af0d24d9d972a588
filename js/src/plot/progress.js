/** Reports how far the picture is, as attributes of an element and marks of the browser's timeline: tests and benchmarks read them. */

/**
 * @param {HTMLElement} element @param {import("../state/state.js").Store} store */
export function createProgressReport(element, store) {
  /** @type {Record<string, string>} */
  const marked = {};
  const mark = (/** @type {string} */ name, /** @type {string} */ of) => {
    if (marked[name] === of) return;
    marked[name] = of;
    performance.clearMarks(name);
    performance.mark(name);
  };
  element.dataset.cxgState = "loading";
  element.dataset.cxgDrawn = "0";
  return {
    /** @param {readonly number[]} visible left, right, bottom, top, data units */
    view: (visible) => void (element.dataset.cxgView = JSON.stringify(visible)),
    /** @param {import("../picture/surface.js").Progress} progress */
    progress({ drawn, isComplete }) {
      const { points, color, nextColor } = store.get();
      const picture = `${points?.seq} ${color?.seq}`;
      element.dataset.cxgDrawn = String(drawn);
      element.dataset.cxgState = isComplete ? "ready" : "loading";
      if (drawn > 0 && nextColor === null) mark("cxg:first-picture", picture);
      if (isComplete) mark("cxg:complete", picture);
    },
  };
}
