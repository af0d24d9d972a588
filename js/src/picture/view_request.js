/**
 * Requests views of all cells if the points are only a sample: an image of all cells or, in a zoomed view, the cells
 * themselves. Sends one request at a time; while the user moves the picture, each reply triggers the next request.
 */
import { joinCells } from "../state/scene.js";
import { canAggregate, cellsKey, holdsCells, imageKey, questionOf } from "./question.js";

const FIRST_WAIT_MS = 20;
/** Delay after a reply that did not arrive or did not match the state. */
const RETRY_MS = 2_000;
/** While the kernel indexes the cells, a request that has waited this long yields to a newer one, which may need no
 * index. */
const PATIENCE_MS = 500;

/**
 * @typedef {import("./question.js").Question} Question
 * @typedef {import("../wire/protocol.js").Image} Image
 * @typedef {(Image | import("../wire/protocol.js").Cells)[]} Answer
 * @typedef {{question: Question, image: string, cells: string}} Wanted a request, and the keys of its possible replies
 *
 * @param {import("../state/scene.js").Scene} scene
 * @param {() => import("../state/state.js").State} getState
 * @param {import("./viewports.js").Viewports} viewports
 * @param {(question: Question) => Promise<Answer | null>} ask null = no reply, or an error, reported to `fail` before
 * @param {(image: Image) => void} [tell] called with an image that is displayed from now on
 */
export function createViewRequester(scene, getState, viewports, ask, tell = () => {}) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let retry;
  /** The request whose reply counts. @type {{isPatient: boolean, timer?: ReturnType<typeof setTimeout>} | null} */
  let underway = null;
  /** Serializes requests: the kernel replaces a running request by a newer one. @type {Promise<unknown>} */
  let turn = Promise.resolve();
  let isEnded = false;
  let requested = "";
  /** Key of the image that the kernel could not draw; it is not requested again until the key changes. */
  let refused = "";

  /** The request for a view that is not loaded; null = nothing is missing. @returns {Wanted | null} */
  function missing() {
    const state = getState();
    const seen = viewports.all();
    if (isEnded || !canAggregate(state) || seen.length === 0 || holdsCells(scene, state, seen)) return null;
    const question = questionOf(seen, state, scene);
    const image = imageKey(state, question);
    return image === scene.image?.key || image === refused ? null : { question, image, cells: cellsKey(state) };
  }

  /** The request to send now; null = none. @returns {Wanted | null} */
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
      .catch(() => (fail(), false)); // the reply cannot be decoded
    if (isEnded) return;
    const isLatest = underway === mine;
    if (isLatest) underway = null; // before the plots draw, which may happen immediately and checks `isAwaited`
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

  /** @param {Answer} answer @param {Wanted} wanted
   * @returns {Promise<boolean>} false: the reply does not match the displayed state */
  async function take(answer, { image, cells }) {
    const [first] = answer;
    if (!isOnShow(first)) return false;
    if (first.kind === "image") {
      const made = await imageOf(/** @type {Image[]} */ (answer), image);
      // Check again: other points or colors may have arrived while the image was decoded.
      if (!isOnShow(first)) return made.bitmap.close(), false;
      // Until it is closed, a bitmap occupies memory that the garbage collector does not see.
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

  /** Records that the kernel could not fulfill the request, or that the user canceled it. */
  function fail() {
    refused = requested;
  }

  return {
    check,
    fail,
    /** True if a better picture of the current view is expected. */
    isAwaited: () => underway !== null || missing() !== null,
    /** Requests an image of one plot's view, which the caller must close; null if none is available.
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
  // Pixels may be codes, not colors: the browser must not correct or premultiply them.
  const premultiplyAlpha = content === "colors" ? "premultiply" : "none";
  const bitmap = await createImageBitmap(blob, { premultiplyAlpha, colorSpaceConversion: "none" });
  return { bitmap, key, pointsSeq, seq, view, content, nInside };
}
