/** Pictures of a plot that are saved: the one that a notebook keeps, taken soon after the last is drawn, and files. */
import { asSeen } from "../state/state.js";
import { keyOf, linesOf } from "../words/key.js";
import { layoutAxes, paintAxes } from "./axes.js";
import { compose, paperOf } from "./figure.js";
import { takeStill } from "./notebook_picture.js";
import { LONGEST_PX } from "./room.js";

/** @typedef {import("./figure.js").Paper} Paper */

const WAIT_MS = 1_500;
/** A plot that is less across shows nobody much; the kernel's picture is kept then. */
const LEAST_PX = 100;

/**
 * @param {object} plot
 * @param {HTMLElement} plot.element
 * @param {import("../state/state.js").Store} plot.store
 * @param {() => import("../picture/surface.js").Surface} plot.surface
 * @param {import("./aim.js").Aim} plot.aim where it looks
 * @param {() => import("../style/style.js").Theme} plot.theme
 * @param {Pick<import("./landmarks.js").Landmarks, "paint" | "underlay">} plot.landmarks
 * @param {() => boolean} plot.isToKeep whether this is the plot whose picture is kept, and now
 * @param {(still: import("../state/state.js").Still) => void} plot.keep
 * @param {{draw: (() => Promise<HTMLCanvasElement>) | null}} plot.together of all panels, where there are some
 */
export function createSavedPictures({ element, store, surface, aim, theme, landmarks, isToKeep, keep, together }) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  /** On its paper, with axes and key. @param {HTMLCanvasElement} points @param {Paper} paper @param {number} scale px per px of the key
   * @param {import("../words/key.js").Key | null} key */
  function figure(points, paper, scale, key) {
    const family = getComputedStyle(element).fontFamily;
    const { size, margin } = aim.room();
    const ratio = points.width / size.width;
    landmarks.underlay(points);
    const axes = layoutAxes(aim.camera(), store.get().points?.axisLabels ?? [], margin);
    const onto = (/** @type {CanvasRenderingContext2D} */ context) => {
      paintAxes(context, ratio, axes, paper.theme, family);
      context.translate(Math.round(points.width + margin * ratio) - points.width, 0);
      landmarks.paint(context, ratio, paper.theme, family);
    };
    return compose({ points, margin: margin * ratio, key, paper, scale, family, onto });
  }

  /** What the picture on the screen means, unless that is not to be said. @param {Paper} paper */
  function keyNow({ theme: { dark } }) {
    const state = asSeen(store.get());
    return state.traits.legend ? keyOf(state, dark) : null;
  }

  async function keepNow() {
    const { size } = aim.room();
    if (Math.min(size.width, size.height) < LEAST_PX || !isToKeep()) return;
    const paper = paperOf(store.get().traits.background, theme());
    const key = keyNow(paper);
    if (together.draw !== null) {
      const still = await takeStill(together.draw(), (small) => small);
      if (still !== null) keep({ ...still, key: null });
      return;
    }
    // Drawn anew only where the screen has other colours.
    const points = paper.theme.dark === theme().dark ? surface().canvas : surface().draw(size.ratio, paper.theme);
    const still = await takeStill(points, (small) => figure(small, paper, 1, key));
    if (still !== null) keep({ ...still, key: key && linesOf(key) });
  }

  return {
    keepSoon() {
      clearTimeout(timer);
      timer = setTimeout(keepNow, WAIT_MS);
    },
    stop: () => clearTimeout(timer),
    /** @param {number} wanted px per CSS px @param {(key: import("../words/key.js").Key | null) => import("../words/key.js").Key | null} [told] what
     *   of the key is said @returns {Promise<HTMLCanvasElement>} */
    async figure(wanted, told = (key) => key) {
      const { size } = aim.room();
      const scale = Math.min(wanted, LONGEST_PX / Math.max(size.width, size.height, 1));
      const paper = paperOf(store.get().traits.background, theme());
      return figure(await surface().draw(scale, paper.theme), paper, scale, told(keyNow(paper)));
    },
  };
}
