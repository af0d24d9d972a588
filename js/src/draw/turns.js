/** Round-robin scheduler of drawers: each draws as many points as the time allows, the longest-waiting drawer first. */
import { PACE_ORDER } from "./budget.js";

/** @typedef {import("./painter.js").Drawer} Drawer */

/** @param {() => void} tick draws, at the next frame or soon
 * @param {() => boolean} [isBusy] true if `tick` is already due, so that waking is needless */
export function createTurns(tick, isBusy = () => false) {
  /** In order of their turns. @type {Set<Drawer>} */
  const drawers = new Set();
  let frame = 0;
  /** @type {any} */
  let soon = 0;

  function wanting() {
    return [...drawers].map((drawer) => ({ drawer, want: drawer.wants() })).filter(({ want }) => want !== "no");
  }

  return {
    drawers,
    wanting,
    isUrgent: () => wanting().some(({ want }) => want === "urgent"),
    wake() {
      if (!isBusy()) frame ||= requestAnimationFrame(tick);
    },
    wakeSoon() {
      if (!isBusy()) soon ||= setTimeout(tick, 0);
    },
    /** Cancels scheduled ticks; to be called from `tick`. */
    begin() {
      cancelAnimationFrame(frame);
      clearTimeout(soon);
      frame = soon = 0;
    },
    /** Lets drawers draw: only urgent ones if there are any.
     * @param {ReturnType<typeof import("./budget.js").createBudget>} budget
     * @returns {{drawing: Drawer[], points: number}} the drawers that drew, and the total number of points */
    draw(budget) {
      const all = wanting();
      const pace = PACE_ORDER.find((one) => all.some(({ want }) => want === one)) ?? "rest";
      const most = budget.points(pace);
      const drawing = [];
      let points = 0;
      // At rest the longest-waiting drawer may use the whole budget; the others follow in the next slices.
      const able = all.filter(({ want }) => pace !== "urgent" || want === pace);
      for (const [i, { drawer }] of able.entries()) {
        if (points >= most) break;
        // Urgent drawers share each frame, so that panels move together.
        points += drawer.draw(Math.ceil((most - points) / (pace === "urgent" ? able.length - i : 1)));
        drawing.push(drawer);
        drawers.delete(drawer); // to the end of the queue
        drawers.add(drawer);
      }
      return { drawing, points };
    },
    /** @param {Drawer} drawer @returns {() => void} removes it */
    join(drawer) {
      drawers.add(drawer);
      return () => void drawers.delete(drawer);
    },
  };
}
