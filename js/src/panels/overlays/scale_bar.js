/** A bar that says how long something is in micrometres, at the lower right of a plot, as cxg_widget/draw/overlays/scale_bar.py draws it. */
// Changes with cxg_widget/draw/overlays/scale_bar.py: the scale bar.

/** Of the plot's width that the bar takes at most. */
const SHARE = 0.25;
const [EDGE_PX, PAD_PX, THICK_PX, SIZE_PX, HIGH_PX] = [10, 8, 3, 11, 30];

/** How many px long a bar is in a plot so wide, and what it says: 1, 2 or 5 times a power of ten. @param {number} umPerPx @param {number} width
 * @returns {[number, string]} */
export function barFor(umPerPx, width) {
  const most = umPerPx * width * SHARE;
  const power = 10 ** Math.floor(Math.log10(most));
  const um = Number((([5, 2, 1].find((one) => one * power <= most * (1 + 1e-9)) ?? 1) * power).toPrecision(1));
  return [um / umPerPx, um >= 1000 ? `${um / 1000} mm` : `${um} µm`];
}

/** @param {CanvasRenderingContext2D} context @param {number} umPerPx @param {import("../../screen/camera.js").Camera} camera
 * @param {import("../../style/style.js").Theme} theme @param {string} family */
export function paintScaleBar(context, umPerPx, camera, { foreground, background }, family) {
  if (!(umPerPx * camera.width > 0 && umPerPx * camera.width < Infinity)) return; // of a view that no number can measure
  const [long, text] = barFor(umPerPx, camera.width);
  context.font = `${SIZE_PX}px ${family || "sans-serif"}`;
  const wide = Math.max(long, context.measureText(text).width) + 2 * PAD_PX;
  const [left, top] = [camera.width - EDGE_PX - wide, camera.height - EDGE_PX - HIGH_PX];
  context.fillStyle = `rgba(${background},0.88)`;
  context.beginPath();
  context.roundRect(left, top, wide, HIGH_PX, 6);
  context.fill();
  Object.assign(context, { fillStyle: `rgb(${foreground})`, textAlign: "center", textBaseline: "alphabetic" });
  context.fillRect(left + (wide - long) / 2, top + HIGH_PX - PAD_PX - 1, long, THICK_PX);
  context.fillText(text, left + wide / 2, top + 15);
}
