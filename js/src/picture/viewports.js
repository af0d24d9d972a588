/** Viewports of all plots of a widget: each plot reports its own, requests read them. */

/** @typedef {import("../screen/camera.js").Viewport} Viewport */

export function createViewports() {
  /** @type {Map<object, {viewport: Viewport, refresh: () => void}>} */
  const shown = new Map();
  return {
    /** @param {object} plot @param {Viewport} viewport @param {() => void} refresh draws the plot anew */
    see: (plot, viewport, refresh) => void shown.set(plot, { viewport, refresh }),
    /** @param {object} plot */
    forget: (plot) => void shown.delete(plot),
    all: () => [...shown.values()].map(({ viewport }) => viewport),
    /** Draw all plots anew. */
    refresh: () => shown.forEach(({ refresh }) => refresh()),
  };
}

/** @typedef {ReturnType<typeof createViewports>} Viewports */
