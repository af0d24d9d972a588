/** The loop of pictures that are drawn in memory: a slice, which is shown at once, then the page's turn. */
import { createBudget } from "../budget.js";
import { createTurns } from "../turns.js";

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
  const budget = createBudget(RATE, PACES);
  const turns = createTurns(tick);

  function tick() {
    turns.begin();
    const start = performance.now();
    const { drawing, points } = turns.draw(budget);
    if (drawing.length === 0) return;
    // Without the way to the screen, which takes as long for any slice.
    budget.record(points, performance.now() - start);
    const isFirst = drawing.map((drawer) => drawer.present()).includes(true);
    if (isFirst || turns.isUrgent()) turns.wake();
    else if (turns.wanting().length > 0) turns.wakeSoon();
  }

  return { wake: turns.wake, wakeSoon: turns.wakeSoon, hurry: tick, join: turns.join };
}
