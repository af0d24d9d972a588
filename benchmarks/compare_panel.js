// Times the work of the page for the table and the volcano plot of a comparison: sorting, filtering, placing points.
// Usage: node compare_panel.js GENES; writes {"what": [median ms, slowest ms]}.
import { taken } from "../js/src/panels/compare/result.js";
import { kept, ranksOf, sorted } from "../js/src/panels/compare/gene_order.js";
import { nearest, placed } from "../js/src/panels/compare/volcano_scale.js";

const n = Number(process.argv[2] ?? 20_000);
const REPEATS = 30;
const COLUMNS = 9;

/** Numbers without an order, one in fifty NaN. @param {number} i */
const scattered = (i) => (i % 50 === 0 ? Number.NaN : Math.sin(i * 12.9898) * 43.7585);
const values = new Float32Array(COLUMNS * n).map((_, i) => scattered(i));
// -log10 p is no less than 0.
for (const column of [6, 7]) for (let i = 0; i < n; i++) values[column * n + i] = -Math.abs(values[column * n + i]);
const names = Array.from({ length: n }, (_, i) => `GENE${(i * 7919) % n}`);
const head = { seq: 1, title: "", notes: [], sets: ["a", "b"], groups: [], group: 0, n_genes: n, start: 0, parts: 1 };
const part = { ...head, names, symbols: [], arrays: { values, n: new Uint32Array(2 * n) } };

/** @param {(i: number) => unknown} act */
function timed(act) {
  const taken = [];
  for (let i = 0; i < REPEATS; i++) {
    const began = performance.now();
    act(i);
    taken.push(performance.now() - began);
  }
  taken.sort((a, b) => a - b);
  return [taken[REPEATS / 2], taken[REPEATS - 1]].map((ms) => Number(ms.toFixed(2)));
}

const found = /** @type {NonNullable<ReturnType<typeof taken>>} */ (taken([/** @type {any} */ (part)], null));
const numbers = Object.values(found.columns).slice(0, COLUMNS);
const cuts = { fold: 1, p: 0.05, share: 0.1 };
const all = kept(found, "", { fold: null, p: null, share: null }, null);
const there = placed(found, 400, 240, cuts);
const order = sorted(found.columns.statistic, true);
console.log(
  JSON.stringify({
    "load a result": timed(() => taken([/** @type {any} */ (part)], null)),
    "sort by a column": timed((i) => sorted(numbers[i % COLUMNS], i % 2 === 0)),
    "sort by name": timed(() => sorted(ranksOf(names), false)),
    search: timed((i) => {
      const keep = kept(found, `ene${i}`, { fold: null, p: null, share: null }, null);
      return order.filter((one) => keep[one] === 1);
    }),
    "apply cut-offs": timed(() => kept(found, "", cuts, [-20, 20, 0, 30])),
    "place the points": timed(() => placed(found, 400, 240, cuts)),
    "find the gene at the pointer": timed((i) => nearest(there, all, 10 * i, 5 * i)),
  }),
);
