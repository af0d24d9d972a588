/**
 * Where only a sample of the cells is here: asks the kernel for what all views of a model see, as an image of all cells or,
 * close by, as the cells themselves. One question at a time; while a hand moves the picture each answer leads to the next.
 */
import { codeSizePx, covers, scales } from "../screen/camera.js";
import { devicePx } from "../screen/canvas.js";
import { joinCells } from "../state/scene.js";
import { highlightOf } from "../state/state.js";
import { COARSE_PX } from "./surface.js";

const FIRST_WAIT_MS = 20;
/** After an answer that did not come, or came of something else. */
const RETRY_MS = 2_000;
/** While the kernel indexes the cells, a question that has waited so long gives way to another one, which may need no index. */
const PATIENCE_MS = 500;
const LARGEST_PX = 4_096;

/**
 * @typedef {import("./detail.js").Look & {dark: boolean, diameter: number}} Look diameter: of a point, device px
 * @typedef {Omit<import("../wire/protocol.js").Aggregate, "kind">} Question
 * @typedef {(import("../wire/protocol.js").Image | import("../wire/protocol.js").Cells)[]} Answer
 * @typedef {{question: Question, image: string, cells: string}} Wanted and the keys of what may come
 *
 * @param {import("../state/scene.js").Scene} scene
 * @param {() => import("../state/state.js").State} getState
 * @param {(question: Question) => Promise<Answer | null>} ask null = no answer, or an error, of which `fail` is told first
 * @param {(image: import("../wire/protocol.js").Image) => void} [tell] of an image that is on show from now
 */
export function createSurveyor(scene, getState, ask, tell = () => {}) {
  /** @type {Map<object, Look>} */
  const looks = new Map();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let retry;
  /** @type {Promise<unknown>} */
  let turn = Promise.resolve();
  let isAsking = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let patience;
  let isPatient = true;
  /** Number of the question whose answer counts. */
  let latest = 0;
  let isEnded = false;
  let asked = "";
  /** Key of what the kernel could not draw: not asked for again until it is something else. */
  let refused = "";

  /** What is not at hand; null = nothing is lacking. @returns {Wanted | null} */
  function lacking() {
    const state = getState();
    if (!isSurveyed(state) || looks.size === 0) return null;
    const seen = [...looks.values()];
    if (holdsCells(scene, state, seen)) return null;
    const question = questionOf(seen, state);
    const image = imageKey(state, question);
    return image === scene.image?.key || image === refused ? null : { question, image, cells: cellsKey(state) };
  }

  /** What to ask for now; null = nothing. @returns {Wanted | null} */
  function next() {
    const wanted = isEnded ? null : lacking();
    const isFree = !isAsking || (!isPatient && getState().building !== null && wanted?.image !== asked);
    return isFree ? wanted : null;
  }

  function check() {
    if (next() !== null) timer ??= setTimeout(refresh, FIRST_WAIT_MS);
  }

  async function refresh() {
    timer = undefined;
    const wanted = next();
    if (wanted === null) return;
    clearTimeout(retry);
    clearTimeout(patience);
    const number = ++latest;
    if (isAsking) turn = Promise.resolve();
    isAsking = isPatient = true;
    patience = setTimeout(() => ((isPatient = false), check()), PATIENCE_MS);
    const isTaken = await askInTurn(wanted.question, wanted.image)
      .then((answer) => answer !== null && take(answer, wanted))
      .catch(() => (fail(), false)); // no picture can be made of the answer
    const isLatest = number === latest;
    if (isLatest) isAsking = false; // before a plot draws, which may happen at once and tells whether more is to come
    if (isTaken || lacking() === null) for (const one of looks.values()) one.refresh();
    if (!isLatest) return;
    clearTimeout(patience);
    if (isTaken || refused === wanted.image) check();
    else if (!isEnded) retry = setTimeout(check, RETRY_MS);
  }

  /** A newer question would take the place of one under way. @param {Question} question @param {string} key @returns {Promise<Answer | null>} */
  function askInTurn(question, key) {
    const answer = turn.then(() => {
      asked = key;
      return ask(question);
    });
    turn = answer.catch(() => null);
    return answer;
  }

  /** @param {Answer} answer @param {Wanted} wanted @returns {Promise<boolean>} false: it shows what is not on show here */
  async function take(answer, { image, cells }) {
    const [first] = answer;
    if (!isOnShow(first)) return false;
    if (first.kind === "image") {
      const made = await imageOf(first, image);
      if (!isOnShow(first)) return made.bitmap.close(), false;
      scene.image?.bitmap.close();
      Object.assign(scene, { image: made, cells: null });
      tell(first);
    } else scene.cells = joinCells(/** @type {import("../wire/protocol.js").Cells[]} */ (answer), cells);
    return true;
  }

  /** @param {Answer[number]} answer */
  function isOnShow({ points_seq: points, seq }) {
    const state = getState();
    return !isEnded && state.points?.seq === points && state.color?.seq === seq;
  }

  /** The kernel could not do what it was asked for. */
  function fail() {
    refused = asked;
  }

  return {
    /** Say what a plot sees now. @param {object} plot @param {Look} look */
    see(plot, look) {
      looks.set(plot, look);
      check();
    },
    check,
    fail,
    /** Is a better picture of what is seen on its way? */
    isAwaited: () => isAsking || lacking() !== null,
    /** An image of what one look sees, which is the caller's to close; null where none is to be had. @param {Omit<Look, "refresh">} look
     * @returns {Promise<import("../state/scene.js").Image | null>} */
    async portray(look) {
      const state = getState();
      if (!isSurveyed(state)) return null;
      const answer = await askInTurn(questionOf([look], state), "");
      const first = answer?.[0];
      return first?.kind === "image" && isOnShow(first) ? imageOf(first, "") : null;
    },
    /** @param {object} plot */
    forget(plot) {
      looks.delete(plot);
    },
    destroy() {
      isEnded = true;
      looks.clear();
      clearTimeout(timer);
      clearTimeout(retry);
      clearTimeout(patience);
      scene.image?.bitmap.close();
      scene.image = null;
    },
  };
}

/** @typedef {ReturnType<typeof createSurveyor>} Surveyor */

/** Are pictures of all cells to be had, and drawn here? While a colouring is arriving the kernel would draw that one.
 * @param {import("../state/state.js").State} state */
function isSurveyed({ points, color, nextColor, link }) {
  return points !== null && points.aggregated && color !== null && nextColor === null && link === "live";
}

/** Is the image at hand of the points and the colouring on show?
 * @param {import("../state/scene.js").Scene} scene @param {import("../state/state.js").State} state */
export function imageOnShow({ image }, { points, color }) {
  return image !== null && image.pointsSeq === points?.seq && image.seq === color?.seq ? image : null;
}

/** Are the cells at hand those of all that is seen, as precise as the screen, and coloured as they should be?
 * @param {import("../state/scene.js").Scene} scene @param {import("../state/state.js").State} state @param {Pick<Look, "camera" | "view" | "ratio">[]} looks */
export function holdsCells({ cells }, state, looks) {
  if (cells === null || cells.key !== cellsKey(state)) return false;
  return looks.every(({ camera, view, ratio }) => covers(cells.extent, view) && codeSizePx(camera, cells.extent) * ratio <= COARSE_PX);
}

/** What all views see together, at the finest of their resolutions.
 * @param {Omit<Look, "refresh">[]} looks @param {Pick<import("../state/state.js").State, "color" | "crowd" | "highlighted" | "traits">} state @returns {Question} */
export function questionOf(looks, state) {
  const { color, crowd } = state;
  const { hidden, density, statistic } = state.traits;
  const finest = (/** @type {0 | 1} */ axis) => Math.min(...looks.map(({ camera, ratio }) => scales(camera)[axis] / ratio));
  const edges = (/** @type {number} */ at) => looks.map(({ view }) => view[at]);
  const up = looks[0].view[3] >= looks[0].view[2];
  const bottom = up ? Math.min(...edges(2)) : Math.max(...edges(2));
  const top = up ? Math.max(...edges(3)) : Math.min(...edges(3));
  const view = [Math.min(...edges(0)), Math.max(...edges(1)), bottom, top];
  const weight = color?.scale === "continuous" ? Math.round(100 * crowd.weight) / 100 : 0;
  const px = (/** @type {number} */ units, /** @type {0 | 1} */ axis) => Math.min(devicePx(units / finest(axis), 1), LARGEST_PX);
  const [width, height] = [px(view[1] - view[0], 0), px(Math.abs(view[3] - view[2]), 1)];
  return { view, width, height, diameter: looks[0].diameter, highlighted: highlightOf(state), dark: looks[0].dark, hidden, density, weight, statistic };
}

/** What an image depends on. @param {import("../state/state.js").State} state @param {Question} question */
function imageKey(state, question) {
  return JSON.stringify([cellsKey(state), state.color?.colors, question]);
}

/** What cells depend on besides where they are; their colours are looked up here. @param {import("../state/state.js").State} state */
function cellsKey({ points, color, selection }) {
  return `${points?.seq} ${color?.seq} ${selection.seq}`;
}

/** @param {import("../wire/protocol.js").Image} answer @param {string} key @returns {Promise<import("../state/scene.js").Image>} */
async function imageOf({ content, view, n_inside: nInside, points_seq: pointsSeq, seq, arrays }, key) {
  const blob = new Blob([/** @type {Uint8Array<ArrayBuffer>} */ (arrays.png)], { type: "image/png" });
  // Numbers are no colours: nothing may correct or multiply them.
  const premultiplyAlpha = content === "colors" ? "premultiply" : "none";
  const bitmap = await createImageBitmap(blob, { premultiplyAlpha, colorSpaceConversion: "none" });
  return { bitmap, key, pointsSeq, seq, view, content, nInside };
}
