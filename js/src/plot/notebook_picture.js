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

/** Hides the static pictures that replace a widget where scripts do not run. @param {string} id of the widget's picture
 * @returns {() => void} shows them again */
export function hideStandIns(id) {
  const style = document.createElement("style");
  // Escapes the id: it comes from a notebook, which may be untrusted.
  style.textContent = `.cxg-static-${CSS.escape(id)} { display: none; }`;
  document.head.append(style);
  return () => style.remove();
}
