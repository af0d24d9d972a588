/** Traits, which the host synchronizes with the kernel: reads them, follows their changes and sets them. */
import { SYNCED } from "../wire/constants.js";

/**
 * @typedef {import("./state.js").Traits} Traits
 * @typedef {object} Host the part of anywidget's model that holds traits
 * @property {(name: string) => any} get
 * @property {(name: string, value: any) => void} set
 * @property {() => void} save_changes
 * @property {(event: string, listener: (...args: any[]) => void) => void} on
 * @property {(event: string, listener: (...args: any[]) => void) => void} off
 */

/** @type {(keyof Traits)[]} */
const TRAITS = [...SYNCED, "n_selected", "steps", "_snapshot"];
/** @type {(keyof Traits)[]} */
const LIMITS = ["vmin", "vmax"];

/** @param {Host} host @returns {Traits} */
export function traitsOf(host) {
  return /** @type {Traits} */ (Object.fromEntries(TRAITS.map((name) => [name, host.get(name)])));
}

/**
 * @param {Host} host
 * @param {import("./state.js").Store} store
 * @param {{onTake: (name: keyof Traits, value: any) => void, onLost: () => void}} listener `onTake` is called after
 *   each change from either side, `onLost` when the comm is closed
 */
export function syncTraits(host, store, { onTake, onLost }) {
  /** A new coloring is arriving with its own limits: until it is displayed, the old limits stay. */
  let isRecolored = false;

  /** @param {keyof Traits} name @param {any} value */
  function take(name, value) {
    const before = store.get().traits;
    if (before[name] === value) return;
    store.set({ traits: { ...before, [name]: value } });
    onTake(name, value);
  }

  /** @param {keyof Traits} name */
  function follow(name) {
    if (name === "color" || name === "layer") isRecolored = true;
    if (!isRecolored || !LIMITS.includes(name)) take(name, host.get(name));
  }

  const unsubscribe = store.subscribe((state, before) => {
    if (
      !isRecolored ||
      (state.color?.seq === before.color?.seq && (state.error === null || state.error === before.error))
    )
      return;
    isRecolored = false;
    for (const name of LIMITS) take(name, host.get(name));
  });
  /** The model behind `host`, as its events hand it over. @type {any} */
  let model = null;
  const listeners = TRAITS.map((name) => ({
    event: `change:${name}`,
    listener: (/** @type {any} */ from) => ((model = from), follow(name)),
  }));
  for (const { event, listener } of listeners) host.on(event, listener);

  return {
    take,
    /** @template {keyof Traits} K @param {K} name @param {Traits[K]} value */
    set(name, value) {
      // First, so that the host's event finds nothing left to change.
      take(name, value);
      host.set(name, value);
      try {
        host.save_changes();
      } catch {
        onLost(); // the comm is closed
      }
    },
    /** Sends the changes again that the kernel has not confirmed: they or their confirmations may be lost. ipywidgets
     * sends no further change before a confirmation, and offers no way to give it up but its own fields. */
    repeat() {
      const open = model?._expectedEchoMsgIds;
      if (!(open instanceof Map)) return;
      const names = new Set([...open.keys(), ...Object.keys(model._msg_buffer ?? {})]);
      open.clear();
      Object.assign(model, { _pending_msgs: 0, _msg_buffer: null });
      if (names.size > 0)
        model.save(Object.fromEntries([...names].map((name) => [name, model.get(name)])), { patch: true });
    },
    destroy() {
      unsubscribe();
      for (const { event, listener } of listeners) host.off(event, listener);
    },
  };
}

/** @typedef {ReturnType<typeof syncTraits>} SyncedTraits */
