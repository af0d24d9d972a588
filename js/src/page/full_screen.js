/** Full screen for one element, where the page allows it. */

/**
 * @param {HTMLElement} element
 * @param {(full: boolean | null) => void} tell whether the element has the screen; null = it can never have it
 * @returns {{toggle: () => void, destroy: () => void}}
 */
export function createFullScreen(element, tell) {
  const isOn = () => element.matches(":fullscreen");
  const check = () => tell(isOn());
  element.addEventListener("fullscreenchange", check);
  tell(document.fullscreenEnabled ? false : null);
  return {
    toggle: () =>
      void (isOn() ? document.exitFullscreen() : element.requestFullscreen()).catch(() => tell(isOn() || null)),
    destroy() {
      element.removeEventListener("fullscreenchange", check);
      if (isOn()) document.exitFullscreen().catch(() => {});
    },
  };
}
