/**
 * Where only a sample of the cells is here: asks the kernel for what all views of a model see, as an image of all cells or,
 * close by, as the cells themselves. One question at a time; while a hand moves the picture each answer leads to the next.
 */
import { codeSizePx, covers } from "./camera.js";
import { devicePx } from "./canvas.js";
import { joinCells } from "./scene.js";
import { COARSE_PX } from "./surface_gl.js";

const FIRST_WAIT_MS = 20;
const LARGEST_PX = 4_096;

/**
 * @typedef {import("./detail.js").Look & {dark: boolean, diameter: number}} Look diameter: of a point, device px
 * @typedef {{view: number[], width: number, height: number, diameter: number, highlighted: number, dark: boolean}} Question
 *
 * @param {import("./scene.js").Scene} scene
 * @param {() => import("./state.js").State} getState
 * @param {(question: Question) => Promise<(import("./protocol.js").Image | import("./protocol.js").Cells)[] | null>} ask
 */
export function createSurveyor(scene, getState, ask) {
  /** @type {Map<object, Look>} */
  const looks = new Map();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let isAsking = false;
  let isEnded = false;

  /** Is a picture of all cells wanted, and is the one at hand another? */
  function isLacking() {
    const { points, link } = getState();
    if (points === null || !points.aggregated || link !== "live" || looks.size === 0) return false;
    if (holdsCells(scene, getState(), [...looks.values()])) return false;
    return scene.image?.key !== imageKey(getState(), questionOf([...looks.values()], getState()));
  }

  function check() {
    if (!isAsking && isLacking()) timer ??= setTimeout(refresh, FIRST_WAIT_MS);
  }

  async function refresh() {
    timer = undefined;
    if (isAsking || isEnded || !isLacking()) return;
    isAsking = true;
    const question = questionOf([...looks.values()], getState());
    const keys = { image: imageKey(getState(), question), cells: cellsKey(getState()) };
    const answer = await ask(question).catch(() => null);
    if (answer !== null && !isEnded) await take(answer, keys);
    isAsking = false;
    if (answer !== null) check();
  }

  /** @param {(import("./protocol.js").Image | import("./protocol.js").Cells)[]} answer @param {{image: string, cells: string}} keys */
  async function take(answer, keys) {
    const [first] = answer;
    if (first.kind === "image") {
      const bitmap = await bitmapOf(first);
      if (isEnded) return bitmap.close();
      scene.image?.bitmap.close();
      scene.image = { bitmap, key: keys.image, seq: first.seq, view: first.view, content: first.content, nInside: first.n_inside };
      scene.cells = null;
    } else scene.cells = joinCells(/** @type {import("./protocol.js").Cells[]} */ (answer), keys.cells);
    for (const one of looks.values()) one.refresh();
  }

  return {
    /** Say what a plot sees now. @param {object} plot @param {Look} look */
    see(plot, look) {
      looks.set(plot, look);
      check();
    },
    check,
    /** Is a better picture of what is seen on its way? */
    isAwaited: () => isAsking || isLacking(),
    /** @param {object} plot */
    forget(plot) {
      looks.delete(plot);
    },
    destroy() {
      isEnded = true;
      looks.clear();
      clearTimeout(timer);
      scene.image?.bitmap.close();
      scene.image = null;
    },
  };
}

/** @typedef {ReturnType<typeof createSurveyor>} Surveyor */

/** Are the cells at hand those of all that is seen, as precise as the screen, and coloured as they should be?
 * @param {import("./scene.js").Scene} scene @param {import("./state.js").State} state @param {Pick<Look, "camera" | "view" | "ratio">[]} looks */
export function holdsCells({ cells }, state, looks) {
  if (cells === null || cells.key !== cellsKey(state)) return false;
  return looks.every(({ camera, view, ratio }) => covers(cells.extent, view) && codeSizePx(camera, cells.extent) * ratio <= COARSE_PX);
}

/** What all views see together, at the finest of their resolutions.
 * @param {Look[]} looks @param {import("./state.js").State} state @returns {Question} */
export function questionOf(looks, { highlighted }) {
  const unitsPerPx = Math.min(...looks.map(({ camera, ratio }) => camera.unitsPerPx / ratio));
  const edges = (/** @type {number} */ at) => looks.map(({ view }) => view[at]);
  const up = looks[0].view[3] >= looks[0].view[2];
  const bottom = up ? Math.min(...edges(2)) : Math.max(...edges(2));
  const top = up ? Math.max(...edges(3)) : Math.min(...edges(3));
  const view = [Math.min(...edges(0)), Math.max(...edges(1)), bottom, top];
  const px = (/** @type {number} */ units) => Math.min(devicePx(units / unitsPerPx, 1), LARGEST_PX);
  const [width, height] = [px(view[1] - view[0]), px(Math.abs(view[3] - view[2]))];
  return { view, width, height, diameter: looks[0].diameter, highlighted, dark: looks[0].dark };
}

/** What an image depends on. @param {import("./state.js").State} state @param {Question} question */
function imageKey(state, question) {
  const { color, traits } = state;
  return JSON.stringify([cellsKey(state), color?.colors, traits.hidden, traits.density, traits.statistic, question]);
}

/** What cells depend on besides where they are; their colours are looked up here. @param {import("./state.js").State} state */
function cellsKey({ points, color, selection }) {
  return `${points?.seq} ${color?.seq} ${selection.seq}`;
}

/** @param {import("./protocol.js").Image} image */
function bitmapOf({ content, arrays }) {
  const blob = new Blob([/** @type {Uint8Array<ArrayBuffer>} */ (arrays.png)], { type: "image/png" });
  // Numbers are no colours: nothing may correct or multiply them.
  return createImageBitmap(blob, { premultiplyAlpha: content === "colors" ? "premultiply" : "none", colorSpaceConversion: "none" });
}
