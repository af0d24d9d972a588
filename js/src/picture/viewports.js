/** Viewports of all plots of a widget. Each plot reports its viewport; requests read them. */

/** @typedef {import("../screen/camera.js").Viewport} Viewport */

export function createViewports() {
  /** @type {Map<object, {viewport: Viewport, refresh: () => void}>} */
  const shown = new Map();
  return {
    /** @param {object} plot @param {Viewport} viewport @param {() => void} refresh redraws the plot */
    see: (plot, viewport, refresh) => void shown.set(plot, { viewport, refresh }),
    /** @param {object} plot */
    forget: (plot) => void shown.delete(plot),
    all: () => [...shown.values()].map(({ viewport }) => viewport),
    /** Redraws all plots. */
    refresh: () => shown.forEach(({ refresh }) => refresh()),
  };
}

/** @typedef {ReturnType<typeof createViewports>} Viewports */
