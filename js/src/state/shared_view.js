/** The view that all plots of a model share, in data units: moved by any of them, saved as a trait once it rests. */

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
    // Once the view rests: a trait set at every frame would delay the kernel's answers to other requests.
    timer = setTimeout(() => save(view), SAVE_MS);
  }

  return {
    get: () => view,
    isMoving: () => isMoving,
    /** A hand moves it. @param {number[]} next */
    move(next) {
      clearTimeout(timer);
      isMoving = true;
      change(next);
    },
    /** The hand has let go. */
    settle() {
      isMoving = false;
      saveSoon();
    },
    /** Show everything. */
    reset() {
      change(null);
      saveSoon();
    },
    /** It was set from elsewhere, which ends what was to be saved. @param {number[] | null} next */
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
