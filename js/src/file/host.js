/** Replaces anywidget's host in a saved page: stores traits and passes messages to the page's own kernel. */

/** @typedef {import("../wire/client.js").Comm & import("../state/traits.js").Host} AnyModel anywidget's model */

/**
 * @param {Record<string, any>} traits
 * @param {{onChange: (change: Record<string, any>) => void, onMessage: (content: any) => void}} listener `onChange`
 * gets the traits that the page has set
 */
export function createHost(traits, { onChange, onMessage }) {
  /** @type {Map<string, Set<(...args: any[]) => void>>} */
  const listeners = new Map();
  /** @type {Record<string, any>} */
  let changed = {};

  /** @param {string} event @param {any[]} args */
  function fire(event, ...args) {
    for (const listener of [...(listeners.get(event) ?? [])]) listener(...args);
  }

  /** @type {AnyModel} */
  const model = {
    get: (name) => traits[name],
    set(name, value) {
      traits[name] = value;
      changed[name] = value;
      fire(`change:${name}`);
    },
    save_changes() {
      const now = changed;
      changed = {};
      onChange(now);
    },
    on: (/** @type {string} */ event, /** @type {(...args: any[]) => void} */ listener) =>
      void listeners.set(event, (listeners.get(event) ?? new Set()).add(listener)),
    off: (/** @type {string} */ event, /** @type {(...args: any[]) => void} */ listener) =>
      void listeners.get(event)?.delete(listener),
    send: onMessage,
  };

  return {
    model,
    traits,
    /** Sets a trait like a kernel. @param {string} name @param {any} value */
    put(name, value) {
      if (JSON.stringify(traits[name]) === JSON.stringify(value)) return;
      traits[name] = value;
      fire(`change:${name}`);
    },
    /** Sends a message like a kernel. @param {any} content @param {ArrayBufferView[]} [buffers] */
    tell: (content, buffers = []) => fire("msg:custom", content, buffers),
  };
}

/** @typedef {ReturnType<typeof createHost>} Host */
