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
});
new MutationObserver(tellAll).observe(root, { attributes: true, attributeFilter: ["data-theme"] });
