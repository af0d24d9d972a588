import assert from "node:assert/strict";
import { test } from "node:test";
import { whyEmpty } from "../src/page/parts/notes.js";
import { groupMatches, kindOf, tagOf } from "../src/page/parts/search_matches.js";
import { placeTooltip } from "../src/page/parts/tooltip.js";
import { completeTheme } from "../src/page/theme.js";
import { notesOf } from "../src/panels/notes_popover.js";
import { tieNote } from "../src/panels/overlays/overlay_notes.js";
import { alongZero, profileOf } from "../src/panels/overlays/zero_profile.js";
import { onAnAxis, withLayer } from "../src/panels/settings/two_columns.js";
import { contrast, flatten, isDark, luminance, parseColor } from "../src/style/color.js";
import { capitalized, colorable, nounsOf, withArticle } from "../src/words/nouns.js";

const GENES = {
  obs: { one: "cell", many: "cells" },
  var: { one: "gene", many: "genes" },
  set: { one: "gene set", many: "gene sets" },
};
const WINDOWS = {
  obs: { one: "spectrum", many: "spectra" },
  var: { one: "m/z window", many: "m/z windows" },
  set: null,
};

/** @param {string} kind @param {string} label */
const match = (kind, label) => ({ spec: `${kind}:${label}`, label, kind, detail: "" });

test("the kind of the best match comes first; no color leads only an empty query", () => {
  const found = [match("var", "CD3E"), match("obs", "cd3"), match("var", "CD3D")];
  assert.deepEqual(
    groupMatches(found, "cd3", GENES).map((group) => group.options.map((one) => one.label)),
    [["CD3E", "CD3D"], ["cd3"]],
  );
  assert.equal(groupMatches(found, " ", GENES)[0].options[0].spec, "");
  assert.deepEqual(["obs:a:b", "set:x", "mean:a", "CD3E", ""].map(kindOf), ["obs", "set", "set", "", ""]);
});

test("an axis accepts columns of numbers and genes; a layer applies to genes alone", () => {
  const columns = [
    { name: "n_counts", kind: "float" },
    { name: "donor", kind: "categorical" },
    { name: "is_doublet", kind: "boolean" },
  ];
  const found = [match("obs", "donor"), match("obs", "n_counts"), match("var", "CD3E"), match("set", "T cells")];
  assert.deepEqual(
    onAnAxis([...found, match("obs", "is_doublet")], columns).map(({ spec }) => spec),
    ["obs:n_counts", "var:CD3E"],
  );
  assert.deepEqual(withLayer(["obs:a", "log1p:var:b"], "raw"), ["obs:a", "log1p:var:b", "raw"]);
  assert.deepEqual(withLayer(["obs:a", "obs:b"], "raw"), ["obs:a", "obs:b"]);
  assert.deepEqual(withLayer(["obs:a", "var:b"], null), ["obs:a", "var:b"]);
});

test("for two columns the number of cells at (0, 0) is stated if there are any, and on a line if there are many", () => {
  const about = { nObs: 30_000, axisLabels: ["CD3E", "n"] };
  const told = (/** @type {any} */ nAtZero) =>
    tieNote(/** @type {any} */ ({ dataset: null, points: { ...about, nAtZero } }));
  assert.equal(told([5_000, 5_000, 7_000]), "5,000 of 30,000 cells lie at (0, 0), 7,000 at n = 0.");
  assert.equal(told([5, 9_000, 600]), "5 of 30,000 cells lie at (0, 0), 9,000 at CD3E = 0.");
  assert.equal(told([0, 600, 601]), "601 of 30,000 cells lie at n = 0.");
  assert.deepEqual([[0, 0, 0], [], undefined].map(told), ["", "", ""]);
  assert.equal(tieNote(/** @type {any} */ ({ dataset: null, points: null })), "");
});

test("bars along a line at 0 count the cells whose other coordinate is known, and add up to their number", () => {
  const zero = 13_107; // of 65,534 codes from -1 to 4
  const places = [zero, 0, zero, 65_534, zero, 65_535, zero + 1, 7, 9, zero, zero, 30_000, zero, 30_001];
  const points = { n: 7, loaded: 6, xy: Uint16Array.from(places) };
  assert.deepEqual([...alongZero(points, [-1, 4, 0, 8], 0)], [0, 65_534, 30_000]);
  assert.deepEqual([...alongZero(points, [-1, 4, 0, 8], 1)], [zero]);
  points.loaded = 7; // more have arrived
  const along = alongZero(points, [-1, 4, 0, 8], 0);
  assert.deepEqual([...along], [0, 65_534, 30_000, 30_001]);
  const bars = profileOf(along, 300, 0, 301, 300);
  assert.deepEqual([bars.length, bars[100], bars[0], bars[54]], [101, 0.5, 0.5, 1]);
  assert.equal(2 * bars.reduce((sum, one) => sum + one), 4);
  const cut = profileOf(Uint16Array.from([0, 0, 0, 0, 65_534, 65_534]), 300, 0, 301, 300);
  assert.deepEqual([cut[100], cut[0]], [1, 1]); // the bar of (0, 0) sets no measure
});

test("the list of colors uses the nouns of the store", () => {
  const found = [match("obs", "time"), match("var", "mz:445"), match("set", "both")];
  const headings = (/** @type {any} */ nouns) => groupMatches(found, "x", nouns).map((group) => group.heading);
  assert.deepEqual(headings(GENES), ["Columns", "Genes", "Gene sets"]);
  assert.deepEqual(headings(WINDOWS), ["Columns", "m/z windows", "m/z window sets"]);
  assert.deepEqual(
    ["obs", "var", "set", "new"].map((kind) => tagOf(kind, WINDOWS)),
    ["column", "m/z window", "m/z window set", "new"],
  );
  const of = [
    [GENES, 9],
    [WINDOWS, 9],
    [{ ...GENES, set: null }, 0],
  ];
  assert.deepEqual(
    of.map(([nouns, nVar]) => capitalized(colorable({ dataset: { nouns, nVar } }))),
    ["Column, gene or gene set", "Column or m/z window", "Column"],
  );
  assert.deepEqual(["m/z window", "grid points", "T cell", ""].map(capitalized), [
    "m/z window",
    "Grid points",
    "T cell",
    "",
  ]);
  assert.deepEqual(["gene", "m/z window", "intensity", "spectrum", "data array"].map(withArticle), [
    "a gene",
    "an m/z window",
    "an intensity",
    "a spectrum",
    "a data array",
  ]);
});

test("until the store has been heard of, cells have genes", () => {
  assert.deepEqual(nounsOf({ dataset: null }), GENES);
  assert.equal(nounsOf({ dataset: { nouns: WINDOWS } }), WINDOWS);
});

test("notes and reasons use the nouns of the store", () => {
  const dataset = { nObs: 5, embeddings: [{ name: "umap", axes: 2 }], notes: [], nouns: WINDOWS };
  const points = { nObs: 5, nMissing: 2, nPoints: 3, aggregated: true, embedding: "map" };
  assert.deepEqual(notesOf(state({ dataset, points, inView: { as: "image", lacks: "" } })), [
    "An image shows all spectra in view; while you pan or zoom, a random sample of 3 spectra fills the gaps.",
    "2 spectra have no coordinates in map and are not drawn.",
  ]);
  assert.equal(
    whyEmpty(state({ dataset, points, inView: { as: "image", lacks: "nothing" } }))?.message,
    "No spectra in view.",
  );
  assert.equal(whyEmpty(state({ dataset: { ...dataset, nObs: 0 } }))?.message, "This dataset has no spectra.");
  assert.equal(
    whyEmpty(state({ dataset, points: { ...points, nMissing: 5 } }))?.message,
    "No spectrum has coordinates in map.",
  );
});

/** @param {any} change @returns {any} */
const state = (change) => ({
  dataset: { nObs: 5, embeddings: [{ name: "umap", axes: 2 }], notes: ["A note."] },
  points: { nObs: 5, nMissing: 0, embedding: "umap" },
  color: { scale: "categorical", categories: ["a", "b"], nMissing: 0 },
  traits: { hidden: [], filters: [] },
  filter: { seq: -1, n: null },
  inView: null,
  ...change,
});

test("notes count the points that are not drawn, before the notes of the dataset", () => {
  assert.deepEqual(notesOf(state({ points: { nObs: 5, nMissing: 1, embedding: "umap" } })), [
    "1 cell has no coordinates in umap and is not drawn.",
    "A note.",
  ]);
});

test("an empty plot says why", () => {
  assert.equal(whyEmpty(state({})), null);
  assert.equal(whyEmpty(state({ dataset: { nObs: 0, embeddings: [] } }))?.message, "This dataset has no cells.");
  assert.match(whyEmpty(state({ dataset: { nObs: 5, embeddings: [] }, points: null }))?.message ?? "", /no embedding/);
  assert.match(
    whyEmpty(state({ points: { nObs: 5, nMissing: 5, embedding: "umap" } }))?.message ?? "",
    /No cell has coordinates in umap/,
  );
  assert.equal(whyEmpty(state({ traits: { hidden: ["b", "a", "gone"] } }))?.way, "showAll");
  assert.equal(whyEmpty(state({ filter: { seq: 1, n: 0 } }))?.way, "clearFilters");
});

test("a note counts the cells that pass the filters", () => {
  const filtered = state({ filter: { seq: 1, n: 3 }, traits: { hidden: [], filters: [{}, {}] } });
  assert.equal(notesOf(filtered)[0], "3 of 5 cells pass 2 filters; the others are not drawn.");
});

test("cells without a category count as shown until they are hidden too", () => {
  const color = { scale: "categorical", categories: ["a"], nMissing: 2 };
  assert.equal(whyEmpty(state({ color, traits: { hidden: ["a"] } })), null);
  assert.equal(whyEmpty(state({ color, traits: { hidden: ["a", "(missing)"] } }))?.way, "showAll");
});

test("the tooltip stays in the plot and off the pointer", () => {
  const [tip, plot] = [
    { width: 120, height: 80 },
    { width: 400, height: 300 },
  ];
  for (let x = 0; x <= 400; x += 20) {
    for (let y = 0; y <= 300; y += 20) {
      const { left, top } = placeTooltip({ x, y }, tip, plot);
      assert.ok(left >= 0 && top >= 0 && left + 120 <= 400 && top + 80 <= 300, `${x}, ${y}`);
      assert.ok(x < left || x > left + 120 || y < top || y > top + 80, `${x}, ${y}`);
    }
  }
});

test("dark and light are distinguished by luminance", () => {
  assert.deepEqual([luminance([0, 0, 0]), luminance([255, 255, 255])], [0, 1]);
  assert.equal(contrast([0, 0, 0], [255, 255, 255]), 21);
  assert.deepEqual(
    [
      [17, 17, 17],
      [0, 43, 54],
      [253, 246, 227],
      [255, 255, 255],
    ].map((rgb) => isDark(/** @type {any} */ (rgb))),
    [true, true, false, false],
  );
  assert.deepEqual(flatten([0, 0, 0, 0.5], [255, 255, 255]), [128, 128, 128]);
});

test("a host's colors are used only if they are legible", () => {
  const kept = completeTheme({ background: [255, 255, 255], foreground: [33, 33, 33], accent: [25, 118, 210] });
  assert.deepEqual([kept.foreground, kept.accent, kept.dark], [[33, 33, 33], [25, 118, 210], false]);
  const own = completeTheme({ background: [17, 17, 17], foreground: [40, 40, 40], accent: [20, 20, 60] });
  assert.ok(contrast(own.foreground, own.background) >= 7 && contrast(own.accent, own.background) >= 4.5 && own.dark);
});

test("the colors that hosts write are read without painting them", () => {
  assert.deepEqual(parseColor("#fff"), [255, 255, 255, 1]);
  assert.deepEqual(parseColor("#1E1e1e"), [30, 30, 30, 1]);
  assert.deepEqual(parseColor("rgb(17, 17, 17)"), [17, 17, 17, 1]);
  assert.deepEqual(parseColor("rgba(0, 0, 0, 0.87)"), [0, 0, 0, 0.87]);
  assert.deepEqual(parseColor("White"), [255, 255, 255, 1]);
  for (const other of ["rebeccapurple", "#12345678", "hsl(1 2% 3%)", "rgb(1 2 3 / 4%)", ""])
    assert.equal(parseColor(other), null, other);
});
