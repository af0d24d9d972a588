/** Drawers that draw in turn: each as many points as there is time for, who has waited longest first. */
import { PACE_ORDER } from "./budget.js";

/** @typedef {import("./painter.js").Drawer} Drawer */

/** @param {() => void} tick draws, at the next frame or soon @param {() => boolean} [isBusy] it will be called in any case */
export function createTurns(tick, isBusy = () => false) {
  /** In the order of their turns. @type {Set<Drawer>} */
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
    /** Call from `tick`: whoever woke is heard now. */
    begin() {
      cancelAnimationFrame(frame);
      clearTimeout(soon);
      frame = soon = 0;
    },
    /** Let drawers draw, only those in a hurry if there are any. @param {ReturnType<typeof import("./budget.js").createBudget>} budget
     * @returns {{drawing: Drawer[], points: number}} who has drawn, and how many points */
    draw(budget) {
      const all = wanting();
      const pace = PACE_ORDER.find((one) => all.some(({ want }) => want === one)) ?? "rest";
      const most = budget.points(pace);
      const drawing = [];
      let points = 0;
      // At rest the drawer that has waited longest may use the whole budget; the others follow with the next slices.
      const able = all.filter(({ want }) => pace !== "urgent" || want === pace);
      for (const [i, { drawer }] of able.entries()) {
        if (points >= most) break;
        // Those that a hand moves have each frame together.
        points += drawer.draw(Math.ceil((most - points) / (pace === "urgent" ? able.length - i : 1)));
        drawing.push(drawer);
        drawers.delete(drawer); // to the end of the queue
        drawers.add(drawer);
      }
      return { drawing, points };
    },
    /** @param {Drawer} drawer @returns {() => void} leaves */
    join(drawer) {
      drawers.add(drawer);
      return () => void drawers.delete(drawer);
    },
  };
}
