// Tells the live pages in frames which background the site has, and again when its theme changes.
const root = document.documentElement;
const tell = (frame) =>
  frame.contentWindow?.postMessage({ background: root.dataset.theme === "dark" ? "dark" : "white" }, "*");

function tellAll() {
  for (const frame of document.querySelectorAll("iframe.live")) tell(frame);
}

addEventListener("DOMContentLoaded", () => {
  for (const frame of document.querySelectorAll("iframe.live")) frame.addEventListener("load", () => tell(frame));
  tellAll();
  // The theme's label leaves out the keys that the button shows; without it the text of the button is its name.
  for (const button of document.querySelectorAll(".search-button-field")) button.removeAttribute("aria-label");
  for (const toggle of document.querySelectorAll("summary:has(.toctree-toggle)"))
    toggle.setAttribute("aria-label", "Pages below this one");
});
new MutationObserver(tellAll).observe(root, { attributes: true, attributeFilter: ["data-theme"] });
