/** The view that all plots of a model share, in data units. Any plot can move it; it is saved as a trait once it
 * rests. */

const SAVE_MS = 150;

/**
 * @param {number[] | null} start
 * @param {(view: number[] | null) => void} save
 */
export function createSharedView(start, save) {
  let view = start;
  let isMoving = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** @type {Set<() => void>} */
  const listeners = new Set();

  /** @param {number[] | null} next */
  function change(next) {
    view = next;
    for (const listener of listeners) listener();
  }

  function saveSoon() {
    clearTimeout(timer);
    // Only once the view rests: setting a trait at every frame would delay the kernel's replies to other requests.
    timer = setTimeout(() => save(view), SAVE_MS);
  }

  return {
    get: () => view,
    isMoving: () => isMoving,
    /** The user moves the view. @param {number[]} next */
    move(next) {
      clearTimeout(timer);
      isMoving = true;
      change(next);
    },
    /** The user has finished moving. */
    settle() {
      isMoving = false;
      saveSoon();
    },
    /** Shows all points. */
    reset() {
      change(null);
      saveSoon();
    },
    /** Takes a view that was set elsewhere; cancels a pending save. @param {number[] | null} next */
    take(next) {
      clearTimeout(timer);
      if (String(next) !== String(view)) change(next);
    },
    /** @param {() => void} listener @returns {() => void} */
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    destroy() {
      clearTimeout(timer);
    },
  };
}

/** @typedef {ReturnType<typeof createSharedView>} SharedView */
