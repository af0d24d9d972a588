/**
 * Requests views of all cells where only a sample of them is here: an image of all or, close by, the cells themselves. One request
 * at a time; while a hand moves the picture each answer leads to the next.
 */
import { joinCells } from "../state/scene.js";
import { canAggregate, cellsKey, holdsCells, imageKey, questionOf } from "./question.js";

const FIRST_WAIT_MS = 20;
/** After an answer that did not come, or came of something else. */
const RETRY_MS = 2_000;
/** While the kernel indexes the cells, a question that has waited so long gives way to another one, which may need no index. */
const PATIENCE_MS = 500;

/**
 * @typedef {import("./question.js").Question} Question
 * @typedef {import("../wire/protocol.js").Image} Image
 * @typedef {(Image | import("../wire/protocol.js").Cells)[]} Answer
 * @typedef {{question: Question, image: string, cells: string}} Wanted and the keys of what may come
 *
 * @param {import("../state/scene.js").Scene} scene
 * @param {() => import("../state/state.js").State} getState
 * @param {import("./viewports.js").Viewports} viewports
 * @param {(question: Question) => Promise<Answer | null>} ask null = no answer, or an error, of which `fail` hears first
 * @param {(image: Image) => void} [tell] of an image that is on show from now
 */
export function createViewRequester(scene, getState, viewports, ask, tell = () => {}) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let retry;
  /** The question whose answer counts. @type {{isPatient: boolean, timer?: ReturnType<typeof setTimeout>} | null} */
  let underway = null;
  /** A newer question would take the place of one under way. @type {Promise<unknown>} */
  let turn = Promise.resolve();
  let isEnded = false;
  let requested = "";
  /** Key of what the kernel could not draw: not requested again until it is something else. */
  let refused = "";

  /** What is not at hand; null = nothing is missing. @returns {Wanted | null} */
  function missing() {
    const state = getState();
    const seen = viewports.all();
    if (isEnded || !canAggregate(state) || seen.length === 0 || holdsCells(scene, state, seen)) return null;
    const question = questionOf(seen, state, scene);
    const image = imageKey(state, question);
    return image === scene.image?.key || image === refused ? null : { question, image, cells: cellsKey(state) };
  }

  /** What to ask for now; null = nothing. @returns {Wanted | null} */
  function next() {
    const wanted = missing();
    const isFree =
      underway === null || (!underway.isPatient && getState().building !== null && wanted?.image !== requested);
    return isFree ? wanted : null;
  }

  function check() {
    if (next() !== null) timer ??= setTimeout(refresh, FIRST_WAIT_MS);
  }

  /** @returns {NonNullable<typeof underway>} */
  function begin() {
    clearTimeout(retry);
    clearTimeout(underway?.timer);
    if (underway !== null) turn = Promise.resolve();
    /** @type {NonNullable<typeof underway>} */
    const begun = { isPatient: true };
    begun.timer = setTimeout(() => ((begun.isPatient = false), check()), PATIENCE_MS);
    return begun;
  }

  async function refresh() {
    timer = undefined;
    const wanted = next();
    if (wanted === null) return;
    const mine = (underway = begin());
    const isTaken = await askInTurn(wanted.question, wanted.image)
      .then((answer) => answer !== null && take(answer, wanted))
      .catch(() => (fail(), false)); // no picture can be made of the answer
    if (isEnded) return;
    const isLatest = underway === mine;
    if (isLatest) underway = null; // before a plot draws, which may happen at once and tells whether more is to come
    if (isTaken || missing() === null) viewports.refresh();
    if (!isLatest) return;
    clearTimeout(mine.timer);
    if (isTaken || refused === wanted.image) check();
    else retry = setTimeout(check, RETRY_MS);
  }

  /** @param {Question} question @param {string} key @returns {Promise<Answer | null>} */
  function askInTurn(question, key) {
    const answer = turn.then(() => {
      requested = key;
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
      const made = await imageOf(/** @type {Image[]} */ (answer), image);
      // Check again: other points or colors may have arrived while the image was decoded.
      if (!isOnShow(first)) return made.bitmap.close(), false;
      // A bitmap holds memory that no garbage collector sees, until it is closed.
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

  /** The kernel could not do what was requested, or nobody waits for it any more. */
  function fail() {
    refused = requested;
  }

  return {
    check,
    fail,
    /** Is a better picture of what is seen on its way? */
    isAwaited: () => underway !== null || missing() !== null,
    /** An image of what one plot shows, which is the caller's to close; null where none is to be had.
     * @param {import("./viewports.js").Viewport} viewport @returns {Promise<import("../state/scene.js").CellImage | null>} */
    async portray(viewport) {
      const state = getState();
      if (!canAggregate(state)) return null;
      const answer = await askInTurn(questionOf([viewport], state, scene), "");
      const first = answer?.[0];
      return first?.kind === "image" && isOnShow(first) ? imageOf(/** @type {Image[]} */ (answer), "") : null;
    },
    destroy() {
      isEnded = true;
      for (const one of [timer, retry, underway?.timer]) clearTimeout(one);
      scene.image?.bitmap.close();
      scene.image = null;
    },
  };
}

/** @typedef {ReturnType<typeof createViewRequester>} ViewRequester */

/** @param {Image[]} answer in the order of its parts @param {string} key @returns {Promise<import("../state/scene.js").CellImage>} */
async function imageOf(answer, key) {
  const [{ content, view, n_inside: nInside, points_seq: pointsSeq, seq }] = answer;
  const file = answer.map(({ arrays }) => /** @type {Uint8Array<ArrayBuffer>} */ (arrays.png));
  const blob = new Blob(file, { type: "image/png" });
  // Numbers are no colors: nothing may correct or multiply them.
  const premultiplyAlpha = content === "colors" ? "premultiply" : "none";
  const bitmap = await createImageBitmap(blob, { premultiplyAlpha, colorSpaceConversion: "none" });
  return { bitmap, key, pointsSeq, seq, view, content, nInside };
}
