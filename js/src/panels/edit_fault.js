/** Why the last edit of a kind failed, until one of that kind is done. */

/** @typedef {import("../state/state.js").State["error"]} Failure */

/** @param {string} kind of the edits */
export function createEditFault(kind) {
  /** The failure as last told. @type {Failure} */
  let failure = null;
  /** One that an edit has made good since. @type {Failure} */
  let passed = null;
  return {
    /** @param {Failure} error */
    follow: (error) => void (failure = error),
    done: () => void (passed = failure),
    /** "" where nothing has failed */
    told: () => (failure?.of === kind && failure !== passed ? failure.message : ""),
  };
}
