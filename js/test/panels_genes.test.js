// Laws of the panel of genes: which sets are listed, what a match pins, and how bars with many zeros are drawn.
import assert from "node:assert/strict";
import { test } from "node:test";
import { cutOf } from "../src/page/parts/legend_histogram.js";
import { createCounting } from "../src/panels/columns/count_requests.js";
import { takeColumn } from "../src/panels/columns/merge_counts.js";
import { askGenes } from "../src/panels/genes/gene_set_requests.js";
import { setsOf } from "../src/panels/genes/gene_sets.js";
import { withSets } from "../src/panels/genes/paste_field.js";
import { genesOf } from "../src/panels/genes/pin_field.js";
import { createReceiver } from "../src/state/receive.js";
import { createStore } from "../src/state/state.js";

const match = (/** @type {any} */ change) => ({ label: "", kind: "", detail: "", ...change });

test("a gene pins itself, a typed list all its genes, a column or a set none", () => {
  assert.deepEqual(genesOf(match({ spec: "var:HLA:A", color: "HLA:A" })), ["HLA:A"]);
  assert.deepEqual(genesOf(match({ spec: "mean:A,B", color: ["A", "B"] })), ["A", "B"]);
  assert.deepEqual(genesOf(match({ spec: "obs:n_genes", color: "n_genes" })), []);
  assert.deepEqual(genesOf(match({ spec: "set:T", color: "T" })), []);
});

test("sets that were made come first, in the place of those of the store with their name", () => {
  const store = ["a", "b"].map((name) => ({ name, genes: ["X"], n: 200 }));
  assert.deepEqual(
    setsOf([{ name: "b", genes: ["Y", "Z"] }], store).map(({ name, n, isOwn }) => [name, n, isOwn]),
    [
      ["b", 2, true],
      ["a", 200, false],
    ],
  );
});

test("a set that is pasted takes the place of one of its name, whatever that is", () => {
  const sets = withSets(
    [
      { name: "__proto__", genes: ["A"] },
      { name: "1", genes: [] },
    ],
    [{ name: "__proto__", genes: ["B"] }],
  );
  assert.deepEqual(
    sets.map(({ name, genes }) => [name, genes]),
    [
      ["__proto__", ["B"]],
      ["1", []],
    ],
  );
});

test("the bar of zeros is cut where it would flatten all others, and no other bar ever", () => {
  const of = (/** @type {number[]} */ all, /** @type {number[]} */ edges, /** @type {number} */ n) =>
    cutOf(Uint32Array.from(all), edges, n);
  assert.deepEqual(of([900, 5, 20], [0, 1, 2, 3], 890), { most: 20, cut: 0 });
  assert.deepEqual(of([5, 900, 20], [-1, 0, 1, 2], 890), { most: 20, cut: 1 });
  assert.deepEqual(of([5, 900], [-2, -1, 0], 890), { most: 5, cut: 1 });
  assert.deepEqual(of([900, 5, 20], [0, 1, 2, 3], 3), { most: 900, cut: -1 }); // small numbers, not zeros
  assert.deepEqual(of([9, 5, 20], [0, 1, 2, 3], 9), { most: 20, cut: -1 });
  assert.deepEqual(of([900], [-0.5, 0.5], 900), { most: 900, cut: -1 });
  assert.deepEqual(of([900, 5], [1, 2, 3], 0), { most: 900, cut: -1 });
});

test("questions for gene sets wait for each other, for of a kind only the newest is answered", async () => {
  /** @type {string[]} */
  const log = [];
  const client = /** @type {any} */ ({
    ask: async (/** @type {any} */ { text }) => {
      log.push(`asked ${text}`);
      await Promise.resolve();
      log.push(`answered ${text}`);
      return text === "b" ? null : [{ sets: [text] }];
    },
  });
  const answers = await Promise.all(["a", "b", "c"].map((text) => askGenes(client, text)));
  assert.deepEqual(log, ["asked a", "answered a", "asked b", "answered b", "asked c", "answered c"]);
  assert.deepEqual(answers, [{ sets: ["a"] }, null, { sets: ["c"] }]);
});

test("bins of a gene are requested again for another layer, and cached for the current one", () => {
  const store = createStore(/** @type {any} */ ({ columns: {}, error: null, takeColumn }));
  const receive = createReceiver(/** @type {any} */ ({}), store);
  const reply = (/** @type {any} */ change) =>
    receive(
      /** @type {any} */ ({
        kind: "column",
        column: "var:A",
        categories: [],
        edges: [],
        about: [],
        rows: [],
        layer: "",
        error: "",
        ...change,
      }),
    );
  /** @type {any[]} */
  const sent = [];
  const client = /** @type {any} */ ({ ask: async (/** @type {any} */ request) => void sent.push(request), tell() {} });
  const count = createCounting(client);
  const known = (/** @type {string | null} */ layer, /** @type {number} */ seq) => {
    const { columns } = store.get();
    count(
      /** @type {any} */ ({
        link: "live",
        traits: { layer },
        columns,
        filter: { seq },
        selection: { seq: 0 },
        color: null,
      }),
      ["var:A", `obs:${seq}`].map((column) => ({ column, rows: [] })),
    );
    return sent.at(-1).known;
  };
  assert.deepEqual(known(null, 1), []);
  reply({ edges: [0, 1, 2], about: [["name", "A"]] });
  assert.deepEqual(known(null, 2), ["var:A"]);
  assert.deepEqual(known("raw", 3), []);
  reply({ layer: "raw" }); // counts of raw for edges of X, where Python was faster than the page
  assert.deepEqual(
    [store.get().columns["var:A"].edges, store.get().columns["var:A"].about],
    [[0, 1, 2], [["name", "A"]]],
  );
  assert.deepEqual(known("raw", 4), []);
  reply({ layer: "raw", edges: [0, 5] });
  assert.deepEqual(known("raw", 5), ["var:A"]);
});
