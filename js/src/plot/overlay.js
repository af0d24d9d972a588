/** What is drawn over the points: the shape being drawn, how it will change the selection, a ring around the cell pointed at. */
import { make } from "../screen/svg.js";

/** @type {Record<import("../wire/protocol.js").Mode, string>} */
const SIGNS = { replace: "", add: "+", subtract: "−", intersect: "∩" };
const SIGN_PX = 14;

export function createOverlay() {
  const element = make("svg", { width: "100%", height: "100%", "aria-hidden": "true" });
  element.style.cssText = "position:absolute;inset:0;overflow:hidden;pointer-events:none";
  // A line over points of any colour is seen by its halo.
  const halo = make("path", {
    fill: "none",
    "stroke-width": "3.5",
    "stroke-linejoin": "round",
    "stroke-opacity": "0.75",
  });
  const line = make("path", { "fill-opacity": "0.06", "stroke-width": "1.5", "stroke-linejoin": "round" });
  const closing = make("path", { fill: "none", "stroke-width": "1.5", "stroke-dasharray": "4 3" });
  const sign = make("text", {
    "font-size": "18",
    "font-weight": "600",
    "font-family": "sans-serif",
    "paint-order": "stroke",
    "stroke-width": "3",
  });
  const ringHalo = make("circle", { fill: "none", "stroke-width": "4", "stroke-opacity": "0.75" });
  const ring = make("circle", { fill: "none", "stroke-width": "2" });
  element.append(halo, line, closing, sign, ringHalo, ring);
  hideRing();

  function hideRing() {
    for (const circle of [ringHalo, ring]) circle.setAttribute("visibility", "hidden");
  }

  return {
    element,
    /** @param {number[][]} corners CSS px @param {import("../wire/protocol.js").Mode} mode */
    outline(corners, mode) {
      const path = corners.map(([x, y], i) => `${i === 0 ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
      halo.setAttribute("d", path);
      line.setAttribute("d", path);
      const [first, last] = [corners[0], corners[corners.length - 1]];
      closing.setAttribute("d", corners.length < 2 ? "" : `M${last[0]} ${last[1]}L${first[0]} ${first[1]}`);
      sign.textContent = last === undefined ? "" : SIGNS[mode];
      if (last !== undefined)
        sign.setAttribute("x", String(last[0] + SIGN_PX)), sign.setAttribute("y", String(last[1] - SIGN_PX / 2));
    },
    /** @param {[number, number] | null} center CSS px; null = none @param {number} radius CSS px */
    ring(center, radius) {
      if (center === null) return hideRing();
      for (const circle of [ringHalo, ring]) {
        circle.setAttribute("visibility", "visible");
        circle.setAttribute("cx", String(center[0]));
        circle.setAttribute("cy", String(center[1]));
        circle.setAttribute("r", String(radius));
      }
    },
    /** @param {import("../style/style.js").Theme} theme */
    setTheme({ foreground, background }) {
      const [front, back] = [`rgb(${foreground})`, `rgb(${background})`];
      for (const part of [line, closing, ring]) part.setAttribute("stroke", front);
      for (const part of [halo, ringHalo, sign]) part.setAttribute("stroke", back);
      line.setAttribute("fill", front);
      sign.setAttribute("fill", front);
    },
  };
}
