/** The loop of pictures that are drawn in memory: a slice, which is shown at once, then the page's turn. */
import { createBudget, PACE_ORDER } from "../budget.js";

/** @typedef {import("../painter.js").Client} Client */

/** While a hand moves the picture a slice and its way to the screen are one frame; at rest the page must stay responsive. */
const PACES = {
  urgent: { targetMs: 25, fewest: 20_000 },
  soon: { targetMs: 50, fewest: 100_000 },
  rest: { targetMs: 100, fewest: 250_000 },
};
/** Points a millisecond, before any are seen. */
const RATE = 20_000;

/** @returns {import("../painter.js").Loop} */
export function createCpuLoop() {
  /** @type {Set<Client>} */
  const clients = new Set();
  const budget = createBudget(RATE, PACES);
  let frame = 0;
  /** @type {any} */
  let soon = 0;

  function wake() {
    frame ||= requestAnimationFrame(tick);
  }

  function wakeSoon() {
    soon ||= setTimeout(tick, 0);
  }

  function tick() {
    cancelAnimationFrame(frame);
    clearTimeout(soon);
    frame = soon = 0;
    const wanting = wants();
    if (wanting.length === 0) return;
    const pace = PACE_ORDER.find((one) => wanting.some(({ want }) => want === one)) ?? "rest";
    const drawing = draw(
      wanting.filter(({ want }) => pace !== "urgent" || want === pace).map(({ client }) => client),
      budget.points(pace),
    );
    const isFirst = drawing.map((client) => client.present()).includes(true);
    const next = wants();
    if (isFirst || next.some(({ want }) => want === "urgent")) wake();
    else if (next.length > 0) wakeSoon();
  }

  function wants() {
    return [...clients].map((client) => ({ client, want: client.wants() })).filter(({ want }) => want !== "no");
  }

  /** @param {Client[]} waiting @param {number} most points @returns {Client[]} those that have drawn */
  function draw(waiting, most) {
    const start = performance.now();
    const drawing = [];
    let points = 0;
    for (const client of waiting) {
      if (drawing.length > 0 && points >= most) break;
      points += client.draw(most - points);
      drawing.push(client);
      clients.delete(client); // to the end of the queue
      clients.add(client);
    }
    budget.record(points, performance.now() - start);
    return drawing;
  }

  return {
    wake,
    wakeSoon,
    hurry: tick,
    join(client) {
      clients.add(client);
      return () => void clients.delete(client);
    },
  };
}
