// Work of the front-end for one frame of a brush: counts of the open columns, and the excluded points.
// Usage: node brush_frame.js COLUMNS POINTS; writes {"counts": ms, "points": ms}, medians.
import { binsOf, movedCounts } from "../js/src/panels/columns/brush_counts.js";
import { createPositions, createScene, putBrush } from "../js/src/state/scene.js";

const [nColumns, nPoints] = process.argv.slice(2).map(Number);
const BINS = 64;
const FRAMES = 60;
const edges = Array.from({ length: BINS + 1 }, (_, i) => i);

/** Every other one of 1,000 categories in 14 parts with 22 on the screen, the others of 65 bins. */
const columns = Array.from({ length: nColumns }, (_, i) => {
  const [n, parts, rows] = i % 2 === 0 ? [1001, 14, Array.from({ length: 22 }, (_, row) => row)] : [65, 1, []];
  const groups = parts > 1 ? Array.from({ length: parts - 2 }, (_, group) => group) : [];
  const all = new Uint32Array(n).fill(7);
  const grouped = new Uint32Array(parts > 1 ? n * parts : 0);
  const sums = new Uint32Array((BINS + 2) * (rows.length || n) * parts).map((_, at) => at);
  return [{ groups, arrays: { all, filtered: all, selected: all, grouped } }, { rows, groups, width: 1, arrays: { sums } }];
});
const scene = createScene();
scene.points = createPositions(nPoints);
const bins = new Uint8Array(nPoints).map((_, i) => (i * 37) % (BINS + 1));

/** @param {(frame: number) => void} act */
function median(act) {
  const taken = [];
  for (let frame = 0; frame < FRAMES; frame++) {
    const began = performance.now();
    act(frame);
    taken.push(performance.now() - began);
  }
  return taken.sort((a, b) => a - b)[FRAMES / 2];
}

const counts = median((frame) => {
  const ends = binsOf([frame % 20, 30 + (frame % 30)], edges, false);
  for (const [known, sums] of columns) movedCounts(known, sums, ends, BINS);
});
const points = median((frame) => putBrush(scene, { bins, n: 0, ends: [frame % 20, 30 + (frame % 30)] }));
console.log(JSON.stringify({ counts, points }));
