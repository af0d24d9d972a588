/** Entry point of a saved page: starts the front-end in the file and answers its requests from the file. */

import { createHeld } from "./held.js";
import { createHost } from "./host.js";
import { createKernel } from "./kernel.js";
import { createNow } from "./now.js";
import { bytesOf } from "./pieces.js";
import css from "./style.css";

/** Minimum height of the widget: a lower one would show too little. */
const LEAST_PX = 240;
/** Name of a frame over a picture: a page that cannot open there hides itself. */
// Changes with cxg_widget/session/pictures/html_frame.py: the frame of an embedded page.
const OVER_PICTURE = "cxg-over-picture";

/** @param {HTMLElement} main @returns {Promise<void>} */
async function open(main) {
  /** @type {import("./held.js").About} */
  const about = JSON.parse(document.getElementById("about")?.textContent ?? "");
  const now = createNow(about);
  const traits = { ...now.settings, _snapshot: null, n_selected: 0, steps: { undo: "", redo: "", n: 0 } };
  /** @type {import("./host.js").Host} */
  let host;
  const kernel = createKernel(about, createHeld(about), now, () => host);
  host = createHost(traits, { onMessage: (request) => void kernel.answer(request), onChange: change });
  /** @param {string} name @param {unknown} value */
  function set(name, value) {
    if (name.startsWith("_")) return;
    if (now.take(name, value)) return void (/^(vmin|vmax|scale)$/.test(name) && kernel.relimited());
    const follows =
      name === "hidden" ? now.hide(/** @type {string[]} */ (value)) : name === "color" ? now.recolor(value) : null;
    if (follows === null) {
      host.put(name, now.settings[name]);
      return kernel.refuse("setting");
    }
    for (const [other, its] of Object.entries(follows)) host.put(other, its);
    void (name === "color" ? kernel.recolored() : kernel.sendFilter());
  }
  /** @param {Record<string, any>} changed */
  function change(changed) {
    for (const [name, value] of Object.entries(changed)) set(name, value);
  }
  const fill = () => host.put("height", Math.max(LEAST_PX, Math.floor(roomOf(main))));
  if (about.fills) fill();
  const { default: create } = await importPiece("code-widget");
  const { initialize, render } = create();
  main.textContent = "";
  initialize({ model: host.model });
  render({ model: host.model, el: main });
  const style = document.createElement("style");
  style.textContent = css;
  main.firstElementChild?.shadowRoot?.append(style);
  if (!about.fills) return;
  addEventListener("resize", fill);
  document.querySelector("details")?.addEventListener("toggle", fill);
}

/** Height of the window without the footer and everything above the widget. @param {HTMLElement} main
 * @returns {number} px */
function roomOf(main) {
  const footer = /** @type {HTMLElement} */ (document.querySelector("footer"));
  return innerHeight - main.getBoundingClientRect().top - scrollY - footer.offsetHeight - 2;
}

/** Waits until an element is on the screen. A notebook may have many pages in frames; a browser has at most 16 WebGL contexts.
 * @param {HTMLElement} main @returns {Promise<void>} */
const seen = (main) =>
  new Promise((resolve) => {
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      resolve();
    });
    observer.observe(main);
  });

/** @param {string} id */
async function importPiece(id) {
  const url = URL.createObjectURL(new Blob([await bytesOf(id)], { type: "text/javascript" }));
  try {
    return await import(url);
  } finally {
    URL.revokeObjectURL(url);
  }
}

// A site that shows this page in a frame sends the background of its own theme: {background: "white" | "dark"}.
addEventListener("message", ({ source, data }) => {
  if (source === parent) document.documentElement.dataset.background = String(data?.background);
});

const main = /** @type {HTMLElement} */ (document.getElementById("widget"));
seen(main)
  .then(() => open(main))
  .catch((failure) => {
    if (window.name === OVER_PICTURE) {
      document.documentElement.hidden = true;
      // Like the frame: if they differ, a browser fills the frame with a color.
      document.documentElement.style.colorScheme = "light";
    }
    main.textContent = `This page could not be opened: ${failure instanceof Error ? failure.message : failure}. It needs a browser from 2023 or later.`;
  });
