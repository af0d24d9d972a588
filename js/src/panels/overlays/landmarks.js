/** Draws names of categories, contours and differences over the points, on the screen and in saved pictures. */
// Changes with cxg_widget/session/pictures/over_picture.py: what is drawn over the points.

import { createTravel, placeIn } from "../../plot/drag.js";
import { modeOf } from "../../plot/lasso.js";
import { scales, toPx } from "../../screen/camera.js";
import { fitCanvas } from "../../screen/canvas.js";
import { asSeen } from "../../state/state.js";
import { safeColor } from "../../style/color.js";
import { EMPTY_LABEL } from "../../wire/constants.js";
import { nounsOf } from "../../words/nouns.js";
import { describeDifference, paintDifference } from "./difference.js";
import { askForLandmarks, known } from "./landmark_requests.js";
import { fitted, NAME_PX, nameAt, place, WIDEST_PX } from "./name_places.js";
import { linesOf, spreadNote, tieNote, tiesOf } from "./overlay_notes.js";
import { createTissue } from "./tissue.js";
import { paintProfile } from "./zero_profile.js";

/** @typedef {import("../../plot/landmarks_loader.js").Look} Look */
/** @typedef {import("../../style/point_style.js").Theme} Theme */
/** @typedef {import("../../screen/camera.js").Camera} Camera */
/** @typedef {import("../../wire/protocol.js").LabelPlaces} LabelPlaces */
/** @typedef {import("../../wire/protocol.js").Contours} Contours */

const LEVELS = 65_534;
/** Width of the line around most cells of a category, and around its core. */
const [THIN_PX, THICK_PX] = [1, 1.75];
/** Width of the halo on either side of a line, and around letters. */
const [LINE_HALO_PX, NAME_HALO_PX] = [1.25, 2];
/** Distance of the note on ties from (0, 0). */
const TIE_PX = 10;

/** @type {import("../../plot/landmarks_loader.js").CreateLandmarks} */
export function createLandmarks({ element, under, look, model: { store, actions, client, positions } }) {
  const canvas = document.createElement("canvas");
  canvas.className = "cxg-landmarks";
  canvas.style.cssText = "position:absolute;inset:0;pointer-events:none";
  canvas.setAttribute("role", "img");
  canvas.hidden = true;
  under.before(canvas);
  if (store.get().panel === 0) askForLandmarks(store, client); // panels with another embedding request their own
  const tissue = createTissue({ element, look, store, client });
  const ending = new AbortController();
  const travel = createTravel();
  /** @type {import("./name_places.js").Placed[]} */
  let placed = [];
  let frame = 0;

  function draw() {
    frame = 0;
    const { camera, size, theme } = look();
    tissue.draw();
    fitCanvas(canvas, size);
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    context.clearRect(0, 0, canvas.width, canvas.height);
    placed = camera === null ? [] : paint(context, size.ratio, camera, theme, getComputedStyle(element).fontFamily);
    const description = describe(placed);
    canvas.hidden = description === "";
    if (description !== canvas.getAttribute("aria-label")) canvas.setAttribute("aria-label", description);
  }

  /** @param {CanvasRenderingContext2D} context @param {number} scale @param {Camera} camera @param {Theme} theme @param {string} family */
  function paint(context, scale, camera, theme, family) {
    const [labels, contours] = [known(store.get(), "labels"), known(store.get(), "contours")];
    context.save();
    context.scale(scale, scale);
    context.beginPath();
    context.rect(0, 0, camera.width, camera.height);
    context.clip();
    const difference = known(store.get(), "difference");
    if (difference !== null) paintDifference(context, difference, camera, theme, context.canvas !== canvas);
    if (contours !== null) paintContours(context, contours, camera, theme, asSeen(store.get()).color);
    const { points } = store.get();
    const places = positions();
    if (points !== null && places !== null)
      for (const line of linesOf(store.get())) paintProfile(context, places, points.extent, line, camera, theme);
    const names = labels === null ? [] : paintNames(context, labels, camera, theme, family);
    paintTie(context, store.get(), camera, theme, family);
    tissue.paintBar(context, camera, theme, family);
    context.restore();
    return names;
  }

  /** Describes the overlays for screen readers. @param {import("./name_places.js").Placed[]} names */
  function describe(names) {
    const [labels, contours] = [known(store.get(), "labels"), known(store.get(), "contours")];
    const difference = known(store.get(), "difference");
    const parts = [
      labels === null
        ? ""
        : `Names of ${labels.column}: ${names.map(({ i }) => labels.labels[i] || EMPTY_LABEL).join(", ") || "none in view"}.`,
      contours === null
        ? ""
        : `Contours around ${contours.sets.join(", ") || (contours.column === "" ? `all ${nounsOf(store.get()).obs.many}` : `each ${contours.column}`)}.`,
      difference === null ? "" : `Difference: ${describeDifference(difference, nounsOf(store.get()).obs.many)}.`,
      tieNote(store.get()),
      spreadNote(store.get()),
    ];
    return [tissue.describe(), ...parts].filter((part) => part !== "").join(" ");
  }

  /** A click on a name selects its category, as in the legend. @param {MouseEvent} event */
  function click(event) {
    if (travel.isDrag()) return;
    const { x, y } = placeIn(element, event);
    const state = store.get();
    const labels = known(state, "labels");
    const i = nameAt(placed, x, y);
    if (labels === null || i < 0 || state.link !== "live" || state.color?.spec !== `obs:${labels.column}`) return;
    actions.selectCategory(labels.codes[i], modeOf({ shift: event.shiftKey, alt: event.altKey }));
  }

  const listen = { signal: ending.signal };
  element.addEventListener("pointerdown", travel.down, listen);
  element.addEventListener("pointermove", travel.move, listen);
  element.addEventListener("click", click, listen);
  return {
    draw: () => void (frame ||= requestAnimationFrame(draw)),
    paint(context, scale, theme, family) {
      const { camera } = look();
      if (camera !== null) paint(context, scale, camera, theme, family);
    },
    underlay: tissue.underlay,
    destroy() {
      ending.abort();
      tissue.destroy();
      cancelAnimationFrame(frame);
      frame = -1;
      canvas.remove();
    },
  };
}

/** @param {CanvasRenderingContext2D} context @param {LabelPlaces} labels @param {Camera} camera @param {Theme} theme @param {string} family */
function paintNames(context, labels, camera, { foreground, background }, family) {
  context.font = `600 ${NAME_PX}px ${family || "sans-serif"}`;
  Object.assign(context, { textAlign: "center", textBaseline: "middle", lineJoin: "round" });
  Object.assign(context, {
    fillStyle: `rgb(${foreground})`,
    strokeStyle: `rgb(${background})`,
    lineWidth: 2 * NAME_HALO_PX,
  });
  const room = Math.min(WIDEST_PX, camera.width - 2 * NAME_PX);
  const texts = textsOf(labels, context, room);
  const placed = place(placesOf(labels), camera, (i) => texts[i].width);
  for (const { i, x, y } of placed) {
    context.strokeText(texts[i].text, x, y);
    context.fillText(texts[i].text, x, y);
  }
  return placed;
}

/** Write the number of tied cells at (0, 0) or on the line: points that cover each other do not show it.
 * @param {CanvasRenderingContext2D} context
 * @param {import("../../state/state.js").State} state @param {Camera} camera @param {Theme} theme @param {string} family */
function paintTie(context, state, camera, { foreground, background }, family) {
  const [tie] = tiesOf(state);
  if (tie === undefined) return;
  const place = toPx(camera, 0, 0);
  const sides = [camera.width, camera.height];
  // A line may be in view while (0, 0) is not: clamp the note to the edge.
  const [x, y] = place.map((px, i) => (tie.line === 1 - i ? Math.min(Math.max(px, 0), sides[i]) : px));
  if (x < 0 || y < 0 || x > camera.width || y > camera.height) return;
  const note = tieNote(state, [tie]);
  const text = note.slice(0, -1);
  context.font = `500 ${NAME_PX - 1}px ${family || "sans-serif"}`;
  const width = context.measureText(text).width;
  if (width + 2 * TIE_PX > camera.width) return;
  const isRight = x + TIE_PX + width < camera.width;
  Object.assign(context, { textAlign: "left", textBaseline: "middle", lineJoin: "round" });
  Object.assign(context, {
    fillStyle: `rgb(${foreground})`,
    strokeStyle: `rgb(${background})`,
    lineWidth: 2 * NAME_HALO_PX,
  });
  const at = [isRight ? x + TIE_PX : x - TIE_PX - width, y > 2 * TIE_PX ? y - TIE_PX : y + TIE_PX];
  context.strokeText(text, at[0], at[1]);
  context.fillText(text, at[0], at[1]);
}

/** Cache by response: names, shortened for one font and width.
 * @type {WeakMap<LabelPlaces, {key: string, texts: {text: string, width: number}[]}>} */
const TEXTS = new WeakMap();

/** @param {LabelPlaces} labels @param {CanvasRenderingContext2D} context @param {number} room */
function textsOf(labels, context, room) {
  const key = `${context.font} ${room}`;
  const held = TEXTS.get(labels);
  if (held?.key === key) return held.texts;
  const widthOf = (/** @type {string} */ text) => context.measureText(text).width;
  const texts = labels.labels.map((label) => {
    const text = fitted(label || EMPTY_LABEL, room, widthOf);
    return { text, width: widthOf(text) };
  });
  TEXTS.set(labels, { key, texts });
  return texts;
}

/** Cache by response: x and y of each name, data units. @type {WeakMap<LabelPlaces, Float64Array>} */
const PLACES = new WeakMap();

/** @param {LabelPlaces} labels */
function placesOf(labels) {
  const held = PLACES.get(labels);
  if (held !== undefined) return held;
  const [x0, x1, y0, y1] = labels.extent;
  const places = Float64Array.from(labels.arrays.xy, (code, i) =>
    i % 2 === 0 ? x0 + (code / LEVELS) * (x1 - x0) : y0 + (code / LEVELS) * (y1 - y0),
  );
  PLACES.set(labels, places);
  return places;
}

/** Cache by response: the rings of each contour, in codes. @type {WeakMap<Contours, Path2D[]>} */
const PATHS = new WeakMap();

/** @param {Contours} contours */
function pathsOf(contours) {
  const held = PATHS.get(contours);
  if (held !== undefined) return held;
  const { lengths, xy } = contours.arrays;
  let [ring, corner] = [0, 0];
  const paths = contours.n_rings.map((nRings) => {
    const path = new Path2D();
    for (const stop = ring + nRings; ring < stop; ring++) {
      path.moveTo(xy[2 * corner], xy[2 * corner + 1]);
      for (const end = corner + lengths[ring]; corner < end; corner++) path.lineTo(xy[2 * corner], xy[2 * corner + 1]);
      path.closePath();
    }
    return path;
  });
  PATHS.set(contours, paths);
  return paths;
}

/** Draw contours: in the colors of sets or of the categories that color the points, else in the text color.
 * @param {CanvasRenderingContext2D} context @param {Contours} contours @param {Camera} camera @param {Theme} theme
 * @param {import("../../state/state.js").Coloring | null} color */
function paintContours(context, contours, camera, { foreground, background }, color) {
  const [x0, x1, y0, y1] = contours.extent;
  const [perX, perY] = scales(camera);
  const [left, bottom] = toPx(camera, x0, y0);
  const toScreen = new DOMMatrix([
    (x1 - x0) / LEVELS / perX,
    0,
    0,
    ((y0 - y1) / LEVELS / perY) * camera.up,
    left,
    bottom,
  ]);
  const colors = color?.spec === `obs:${contours.column}` ? color.colors : [];
  const core = Math.min(...contours.shares);
  context.lineJoin = "round";
  pathsOf(contours).forEach((codes, at) => {
    const path = new Path2D();
    path.addPath(codes, toScreen);
    const which = contours.categories[at];
    const inked = contours.colors[which] ?? colors[contours.codes[which]];
    const width = contours.shares[at] === core ? THICK_PX : THIN_PX;
    Object.assign(context, { strokeStyle: `rgba(${background},0.75)`, lineWidth: width + 2 * LINE_HALO_PX });
    context.stroke(path);
    Object.assign(context, { strokeStyle: inked ? safeColor(inked) : `rgb(${foreground})`, lineWidth: width });
    context.stroke(path);
  });
}
