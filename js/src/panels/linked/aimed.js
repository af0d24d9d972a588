/** One view for all plots of a panel, which changes when the panel's embedding does. */

/**
 * @typedef {import("../../page/view.js").Place} Aim
 *
 * @param {() => Aim} now the place of the current embedding
 * @returns {Aim & {turn: (before: Aim) => void}} turn: call it after the embedding has changed
 */
export function createAimed(now) {
  /** @type {Set<object>} */
  const plots = new Set();
  /** @type {Set<() => void>} */
  const listeners = new Set();
  const tell = () => listeners.forEach((listener) => listener());
  let leave = now().view.subscribe(tell);
  return {
    view: {
      get: () => now().view.get(),
      isMoving: () => now().view.isMoving(),
      move: (next) => now().view.move(next),
      settle: () => now().view.settle(),
      reset: () => now().view.reset(),
      take: (next) => now().view.take(next),
      subscribe(listener) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
      destroy: () => leave(),
    },
    see(plot, viewport, refresh) {
      plots[viewport === null ? "delete" : "add"](plot);
      now().see(plot, viewport, refresh);
    },
    turn(before) {
      leave();
      for (const plot of plots) before.see(plot, null, () => {});
      leave = now().view.subscribe(tell);
    },
  };
}
