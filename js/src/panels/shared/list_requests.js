/** A list that the kernel counts and edits: requested after each edit and each change of filters or selection. */

/** @typedef {import("../../state/state.js").State} State @typedef {import("../../wire/protocol.js").Reply} Reply */

/**
 * @template Listed
 * @template {{op: string, name: string}} Edit
 * @param {import("../../wire/client.js").Client} client @param {() => void} redraw
 * @param {string} kind of its edits; the request for the list has the plural
 * @param {(message: any) => Listed} read
 */
export function createNamedList(client, redraw, kind, read) {
  const lists = `${kind}s`;
  let requested = "";
  /** @type {Listed | null} */
  let listed = null;
  /** The latest error, and the error that a later edit has cleared. @type {State["error"][]} */
  let [failure, passed] = [null, null];

  /** @param {Record<string, unknown>} request @returns {Promise<any>} the response; null = it failed */
  async function ask(request) {
    const reply = (await client.ask(request))?.[0] ?? null;
    if (reply?.kind === lists) listed = read(reply);
    if (reply !== null && request.kind === kind) passed = failure;
    redraw();
    return reply;
  }

  return {
    /** The error of the last edit; "" = none, or an edit has succeeded since. */
    fault: () => (failure?.of === kind && failure !== passed ? failure.message : ""),
    /** The latest list; null = none received yet, or the panel is closed.
     * @param {State | null} state @param {Record<string, unknown>} [question] */
    follow(state, question = {}) {
      if (state === null) {
        requested = "";
        return null;
      }
      const wanted = JSON.stringify([state.traits.steps.n, state.filter.seq, state.selection.seq, question]);
      if (wanted !== requested && state.link === "live") {
        requested = wanted;
        void ask({ kind: lists, ...question });
      }
      failure = state.error;
      return listed;
    },
    /** Resolves to the response; null = it failed. @param {Edit} what */
    edit: (what) => ask({ kind, ...what }),
  };
}
