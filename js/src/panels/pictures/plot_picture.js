/** Draws pictures with axes and legend: downloads, and the one saved in the notebook. */

import { layoutAxes, paintAxes } from "../../plot/axes.js";
import { LONGEST_PX } from "../../plot/room.js";
import { toBlob } from "../../screen/canvas.js";
import { asSeen } from "../../state/state.js";
import { fileName } from "../../words/format.js";
import { keyOf, linesOf } from "../../words/legend_words.js";
import { nounsOf } from "../../words/nouns.js";
import { legendOf } from "../overlays/legend_line.js";
import { download } from "../table/table_text.js";
import { compose, paperOf } from "./figure.js";
import { takeStill } from "./notebook_png.js";

/** @typedef {import("./figure.js").Paper} Paper */
/** @typedef {import("../../words/legend_words.js").Key} Key */

/** A smaller plot shows too little: the notebook then keeps the kernel's picture. */
const LEAST_PX = 100;

/** @param {HTMLCanvasElement} picture @param {import("../../state/state.js").State} state what it shows */
export async function saveFile(picture, { dataset, color }) {
  download(await toBlob(picture), `${fileName([dataset?.title, color?.name])}.png`);
}

/** @type {import("../../plot/picture_schedule.js").CreatePictures} */
export function createPictures({ element, store, surface, aim, theme, landmarks, isToKeep, keep, together }) {
  /** Compose a picture with background, axes and legend.
   * @param {HTMLCanvasElement} points @param {Paper} paper @param {number} scale px per px of the legend
   * @param {Key | null} key */
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
    return compose({ points, margin: margin * ratio, key, paper, scale, family, onto, lines: legendNow() });
  }

  /** The legend of the current picture, unless the legend is off. @param {Paper} paper */
  function keyNow({ theme: { dark } }) {
    const state = asSeen(store.get());
    return state.traits.legend ? keyOf(state, dark) : null;
  }

  /** The legend of the overlays; with panels, one is below all of them. */
  function legendNow() {
    const state = store.get();
    const { legend, panels } = state.traits;
    return legend && !panels?.length ? legendOf([state], nounsOf(state).obs.many) : null;
  }

  /** Size of all plots, CSS px. */
  function room() {
    const { clientWidth, clientHeight } = element.parentElement?.parentElement ?? element;
    return [clientWidth, clientHeight];
  }

  return {
    async keep() {
      const { size } = aim.room();
      if (Math.min(size.width, size.height) < LEAST_PX || !isToKeep()) return;
      const paper = paperOf(store.get().traits.background, theme());
      const key = keyNow(paper);
      const draw = [...together.draws].pop();
      if (draw !== undefined) {
        const still = await takeStill(draw(), (small) => small);
        if (still !== null) keep({ ...still, key: null, plot: room() });
        return;
      }
      // Redraw only if the screen has other colors.
      const points = paper.theme.dark === theme().dark ? surface().canvas : surface().draw(size.ratio, paper.theme);
      const still = await takeStill(points, (small) => figure(small, paper, 1, key));
      if (still !== null) keep({ ...still, key: key && linesOf(key), plot: room() });
    },
    async figure(wanted, edit = (key) => key) {
      const { size } = aim.room();
      const scale = Math.min(wanted, LONGEST_PX / Math.max(size.width, size.height, 1));
      const paper = paperOf(store.get().traits.background, theme());
      return figure(await surface().draw(scale, paper.theme), paper, scale, edit(keyNow(paper)));
    },
  };
}
