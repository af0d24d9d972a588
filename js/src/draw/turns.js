/** Clients that draw in turn: each as many points as there is time for, who has waited longest first. */
import { PACE_ORDER } from "./budget.js";

/** @typedef {import("./painter.js").Client} Client */

/** @param {() => void} tick draws, at the next frame or soon @param {() => boolean} [isBusy] it will be called in any case */
export function createTurns(tick, isBusy = () => false) {
  /** In the order of their turns. @type {Set<Client>} */
  const clients = new Set();
  let frame = 0;
  /** @type {any} */
  let soon = 0;

  function wanting() {
    return [...clients].map((client) => ({ client, want: client.wants() })).filter(({ want }) => want !== "no");
  }

  return {
    clients,
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
    /** Let clients draw, only those in a hurry if there are any. @param {ReturnType<typeof import("./budget.js").createBudget>} budget
     * @returns {{drawing: Client[], points: number}} who has drawn, and how many points */
    draw(budget) {
      const all = wanting();
      const pace = PACE_ORDER.find((one) => all.some(({ want }) => want === one)) ?? "rest";
      const most = budget.points(pace);
      const drawing = [];
      let points = 0;
      for (const { client } of all.filter(({ want }) => pace !== "urgent" || want === pace)) {
        if (points >= most) break;
        points += client.draw(most - points);
        drawing.push(client);
        clients.delete(client); // to the end of the queue
        clients.add(client);
      }
      return { drawing, points };
    },
    /** @param {Client} client @returns {() => void} leaves */
    join(client) {
      clients.add(client);
      return () => void clients.delete(client);
    },
  };
}
