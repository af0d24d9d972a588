/** The static picture of a saved notebook: shown without a kernel, hidden once the widget has drawn its plot. */

/** Covers an element with the picture saved in the notebook until the element has its own content.
 * @param {HTMLElement} element */
export function createCover(element) {
  /** @type {HTMLImageElement | null} */
  let image = null;
  return {
    /** @param {{png?: string} | null} [snapshot] */
    show(snapshot) {
      if (image !== null || !snapshot?.png) return;
      image = document.createElement("img");
      image.alt = "";
      image.src = `data:image/png;base64,${snapshot.png}`;
      image.style.cssText = "position:absolute;inset:0;width:100%;height:100%;object-fit:contain;pointer-events:none";
      element.append(image);
    },
    remove() {
      image?.remove();
      image = null;
    },
  };
}

/** Hides the static picture in the notebook while a view of its widget has something to show. A model alone hides nothing: in a
 * notebook that is not trusted, or if an output precedes its comm, the host shows no view of it.
 * @param {import("../state/state.js").Store} store @returns {() => void} ends this */
export function hideStandIn(store) {
  /** @type {HTMLStyleElement | null} */
  let style = null;
  const check = (/** @type {import("../state/state.js").State} */ { link, traits, isSeen }) => {
    const still = traits._snapshot;
    const isHidden = Boolean(still?.id) && (link !== "offline" || isSeen || Boolean(still?.png));
    if (isHidden) style ??= addStyle(/** @type {string} */ (still?.id));
    else {
      style?.remove();
      style = null;
    }
  };
  check(store.get());
  const unsubscribe = store.subscribe(check);
  return () => (unsubscribe(), style?.remove());
}

/** @param {string} id of the picture */
function addStyle(id) {
  const style = document.createElement("style");
  // Escapes the id: it comes from a notebook, which may be untrusted.
  style.textContent = `.cxg-static-${CSS.escape(id)} { display: none; }`;
  document.head.append(style);
  return style;
}
