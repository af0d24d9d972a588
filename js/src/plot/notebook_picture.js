/** The static picture of a saved notebook: shown where no kernel runs, hidden once the widget has something to show. */

/** The picture that the notebook kept, over an element for as long as that has nothing of its own to show. @param {HTMLElement} element */
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

/** Hide the pictures that stand in for a widget where no script runs. @param {string} id of the widget's picture @returns {() => void} shows them again */
export function hideStandIns(id) {
  const style = document.createElement("style");
  // The id comes out of a notebook, which may be a stranger's.
  style.textContent = `.cxg-static-${CSS.escape(id)} { display: none; }`;
  document.head.append(style);
  return () => style.remove();
}
