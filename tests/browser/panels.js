// Shows the panels on a made-up model: every action is noted in `calls` and changes the state as the kernel's answer would.
// `show(name)` brings a scene; tests and people looking at the page use the same ones.
import { DEFAULTS } from "../../js/src/wire/constants.js";
import { COLORMAPS } from "../../js/src/style/colormaps.js";
import { createStore } from "../../js/src/state/state.js";
import { createView } from "../../js/src/page/view.js";
import { createPanels, summaryOf, notesOnPlot, saveFile } from "../../js/src/panels/index.js";

const N = 100_000;
const TYPES = "CD4 T cell|CD8 T cell|CD14+ monocyte|NK cell|naive B cell|memory B cell|regulatory T cell|dendritic cell|platelet|plasma cell|gamma-delta T cell|" +
  "FCGR3A+ monocyte|mucosal-associated invariant T cell of the peripheral blood|hematopoietic stem cell";
const PALETTE = "#4477aa|#ee6677|#228833|#ccbb44|#66ccee|#aa3377|#e69f00|#56b4e9|#009e73|#cc79a7|#d55e00|#0072b2|#8c6d31|#999933".split("|");
const GENES = "CD3E CD3D CD3G CD34 CD38 CD8A CD8B MS4A1 LYZ NKG7 GNLY PPBP FCGR3A".split(" ");
const COLUMNS = [["cell_type", "14 categories"], ["donor_id", "38 categories"], ["cluster", "1,101 categories"], ["n_counts", "number"], ["percent_mito", "number"]];

const KINDS = { categories: "categorical", number: "float" };
const OBS = COLUMNS.map(([name, detail]) => ({ name, kind: KINDS[detail.split(" ").at(-1)] })).concat({ name: "is_doublet", kind: "boolean" }, { name: "notes", kind: "string" });

function random(seed) {
  return () => ((seed = (seed * 1664525 + 1013904223) >>> 0) / 2 ** 32);
}

function categorical(name, categories, nMissing = 0) {
  const next = random(categories.length);
  const counts = categories.map((_, i) => Math.floor((N * 2 * next()) / (categories.length * (1 + i / 8))) + 1);
  const colors = categories.map((_, i) => PALETTE[i % PALETTE.length]);
  return { ...base(`obs:${name}`, name), scale: "categorical", nMissing, categories, counts, colors };
}

function continuous(name) {
  const histogram = Uint32Array.from({ length: 64 }, (_, i) => (i === 0 ? 61_000 : 4000 * Math.exp(-(((i - 22) / 12) ** 2)) + (i < 58 ? 12 : 0)));
  const quantiles = Float32Array.from({ length: 1001 }, (_, i) => (i < 610 ? 0 : ((i - 610) / 390) ** 0.7));
  return { ...base(`var:${name}`, name), detail: "ENSG00000198851", scale: "continuous", lo: 0, hi: 6.42, least: 0.05, nZero: 61_000, histogram, logHistogram: histogram.slice().reverse(), quantiles, nMissing: 214 };
}

function base(spec, name) {
  return { seq: Math.random(), spec, name, detail: "", scale: "none", nPoints: N, nObs: N, loaded: N, nMissing: 0, categories: [], counts: [], colors: [], lo: 0, hi: 0, least: 0, nZero: 0, nNegative: 0, logHistogram: new Uint32Array(),
    histogram: new Uint32Array(), quantiles: new Float32Array() };
}

const traits = { ...DEFAULTS, embedding: "X_umap", color: "obs:cell_type", opacity: 0.8, height: 520, n_selected: 0, steps: { undo: "", redo: "", n: 0 } };
const dataset = { title: "PBMC atlas, 38 donors", nObs: N, nVar: 60_664, embeddings: [{ name: "X_umap", axes: 2 }, { name: "X_pca", axes: 50 }],
  columns: OBS, colormaps: Object.keys(COLORMAPS), notes: ["The obs column 'raw_ids' is damaged and was skipped."] };
const points = { seq: 1, embedding: "X_umap", axes: [0, 1], nPoints: N, nObs: N, aggregated: false, loaded: N, extent: [-10, 10, -10, 10], nMissing: 12, yDown: false, equalUnits: true, axisLabels: [] };
const SPECTRA = { obs: { one: "spectrum", many: "spectra" }, var: { one: "m/z window", many: "m/z windows" }, set: null };
const start = { traits, dataset, points, color: categorical("cell_type", TYPES.split("|"), 4_210), nextColor: null, filter: { seq: -1, n: null, nShown: null }, brush: null, selection: { seq: 0, n: 0 }, counted: null, columns: {}, inView: { as: "points", lacks: "" }, highlighted: -1,
  cell: null, marked: null, found: { query: "-", matches: [], nMore: 0 }, cost: null, error: null, link: "live", drawnBy: "gpu", building: null, panels: createPanels, saveFile, kept: [], landmarks: null, linkPlots: null, summaryOf, notesOnPlot, keyShape: null, labels: null, contours: null, crowd: { solidity: 1, weight: 1, behind: 1, tile: [1, 1] }, isSeen: true, isWhole: true, seen: null };

const client = {
  async ask(request) {
    calls.push(["ask", request]);
    if (request.kind === "brush") return taken(request);
    if (request.kind === "table") return [tableOf(request)];
    if (request.kind === "sets" || request.kind === "set") return [setsOf()];
    if (request.kind === "annotations") return [annotationsOf(request)];
    if (request.kind === "annotation") return [annotated(request)];
    if (request.kind === "sections") return [{ names: ["V1/hires", "<b>V1</b>/lowres"] }];
    if (request.kind === "fields") return [fieldsOf(get().color)];
    if (request.kind === "study") return [studyOf(request)];
    if (request.kind === "csv") return [fileOf(request)];
    if (request.kind === "search") return [find(request.query)].map(({ query, matches, nMore }) => ({ query, matches, n_more: nMore }));
    if (request.kind === "genes") return [genesIn(request)];
    if (request.kind !== "columns") return null;
    const parts = request.columns.map((column, i) => partly(answered(column, request.filters), request.rows[i] ?? []));
    store.set({ columns: { ...store.get().columns, ...Object.fromEntries(parts.map((part) => [part.column, part])) } });
    return parts;
  },
  tell: (request) => void calls.push(["tell", request]),
};
/** What a kernel would send for a brush over 64 bins: as many cells of each bin in each category or bin of the others. */
function taken({ columns, rows }) {
  const parts = columns.map((column, part) => {
    const { all } = answered(column, []).arrays;
    const listed = rows[part].length > 0 ? rows[part] : Array.from(all, (_, i) => i);
    const sums = Uint32Array.from({ length: 66 * listed.length }, (_, i) => (all[listed[i % listed.length]] * Math.floor(i / listed.length)) / 65);
    return { kind: "sums", part, parts: columns.length + 1, column, rows: rows[part], groups: [], width: 1, arrays: { sums } };
  });
  return [...parts, { kind: "bins", part: columns.length, parts: columns.length + 1, start: 0, stop: N, n_points: N, arrays: { bins: new Uint8Array(N) } }];
}
/** Gene sets as a kernel would read them: of names apart by spaces, or those of the store. */
function genesIn({ text, name }) {
  if (text === "") return { kind: "gene_sets", sets: [{ name: "hallmarks <i>", genes: GENES.slice(0, 5), n: 250 }], sentence: "" };
  const genes = text.split(/\s+/).filter((gene) => GENES.includes(gene));
  return { kind: "gene_sets", sets: [{ name: name || "gene set 1", genes, n: genes.length }], sentence: "Not found, skipped: 'FOO'." };
}
/** What is known of a long list once a kernel has told the rows asked for, the first ones where there was none. */
function partly(part, asked) {
  const n = part.categories.length;
  if (n <= 1024) return part;
  const rows = asked.length > 0 ? asked : Array.from({ length: 128 }, (_, i) => i);
  const categories = store.get().columns[part.column]?.categories.slice() ?? new Array(n);
  for (const row of rows) if (row < n) categories[row] = part.categories[row];
  const enriched = part.n_chosen > 0 ? [1101, 900, 30] : [];
  return { ...part, rows, categories, enriched, groups: [], arrays: { ...part.arrays, grouped: new Uint32Array() } };
}
/** Counts as a kernel would send them: of each of two or more values, or of 64 bins from 0 to 640; a filter halves those of the others. */
function answered(column, filters) {
  const isGene = column.startsWith("var:");
  const part = { kind: "column", column, categories: [], edges: [], groups: [], error: "", scale: "categorical", layer: "", rows: [], n_zeros: isGene ? 80_000 : 0,
    about: isGene ? [["feature_name", column.slice(4)], ["<b>length</b>", "1,234"]] : [] };
  if (column === "obs:notes") return { ...part, n_chosen: 0, scale: "none", error: "Cannot read obs column 'notes': its file is missing." };
  const kind = isGene ? "float" : OBS.find(({ name }) => `obs:${name}` === column)?.kind;
  const n = kind === "float" ? 64 : column === "obs:cluster" ? 1101 : column === "obs:is_doublet" ? 2 : 14;
  const others = filters.filter((rule) => (rule.not ?? rule)[column.slice(0, 3)] !== column.slice(4)).length;
  const all = Uint32Array.from({ length: n + 1 }, (_, i) => (i === n ? 214 : isGene && i === 0 ? 80_500 : kind === "float" ? 4000 * Math.exp(-(((i - 22) / 12) ** 2)) + 12 : 20_000 / (1 + (i % 14))));
  const filtered = all.map((count) => count / 2 ** others);
  const selected = all.map((count, i) => (store.get().selection.n > 0 && i % 3 !== 1 ? count / 5 : 0));
  const groups = kind === "float" ? [] : [0, 1, 2, 3];
  const grouped = Uint32Array.from({ length: (n + 1) * 6 }, (_, i) => (groups.length > 0 ? filtered[Math.floor(i / 6)] / 6 : 0));
  const categories = n === 14 ? TYPES.split("|") : n === 2 ? ["False", "True"] : Array.from({ length: n }, (_, i) => `cluster ${i}`);
  const about = kind === "float" ? { scale: "continuous", edges: Array.from({ length: 65 }, (_, i) => 10 * i) } : { categories };
  // Of three categories one holds all that are selected and one none; the last one's chance is no number any more.
  const nChosen = selected.reduce((sum, count) => sum + count, 0);
  const [chosen, held] = nChosen > 0 ? [selected, filtered] : [new Uint32Array(), new Uint32Array()];
  const ofCategories = kind === "float" || nChosen === 0 ? 0 : n + 1;
  const odds = Float32Array.from({ length: ofCategories }, (_, i) => (i % 3 === 1 ? 0 : 1.5 + i / 10));
  const log10_p = Float32Array.from({ length: ofCategories }, (_, i) => (i % 3 === 1 ? 0 : i === n ? -400.3 : -i));
  const totals = { n_chosen: nChosen, n_held: filtered.reduce((sum, count) => sum + count, 0), enriched: [] };
  return { ...part, ...about, ...totals, groups, arrays: { all, filtered, selected, grouped, chosen, held, odds, log10_p } };
}
/** Two or three genes, a hue each, by as many steps as have a color here: two. */
function blended(genes) {
  const n = 2 ** genes.length;
  const inks = genes.length === 2 ? ["#e4e4e4", "#0078d2", "#e67800", "#28143c"] : ["#e4e4e4", "#d7af00", "#cd328c", "#c8321e", "#0096be", "#1e7d32", "#3c3296", "#231e23"];
  const alone = genes.map((gene, i) => [gene, "0 to 4.2", n >> (i + 1)]);
  const corners = Array.from({ length: n }, (_, i) => [i < genes.length ? alone[i][0] : `mix ${i}`, i < genes.length ? "0 to 4.2" : "", i < genes.length ? alone[i][2] : i === n - 1 ? 0 : n - 1]);
  return { ...base(`blend:${genes}`, genes.join(", ")), scale: "categorical", colors: inks, darkColors: inks, corners };
}
function fieldsOf(color) {
  const names = color.corners.slice(0, Math.log2(color.corners.length)).map(([name]) => name);
  const [words, n] = names.length === 2 ? [["low", "middle", "high"], 9] : [["low", "high"], 8];
  const filtered = Uint32Array.from({ length: n }, (_, i) => 1204 * i);
  const arrays = { filtered, selected: filtered.map((count, i) => (i === 2 ? count : 0)), mixes: Uint16Array.from({ length: 2 ** names.length }, (_, i) => i) };
  return { kind: "field_counts", panel: 0, seq: color.seq, names, limits: names.flatMap((_, i) => [0, 4.2 + i]), words, levels: 2, arrays };
}
/** Three sets, one of them in another. */
function setsOf() {
  const sets = [["T cells", "", true], ["<b>mine</b>", "T cells", false], ["a set with a long name that the panel has to cut somewhere", "", true]];
  return { kind: "sets", filter_seq: 0, selection_seq: 0, arrays: { counts: Uint32Array.of(41_000, 30_000, 12, 7, 2_000, 1_500, 12, 7, 0, 0, 0, 0) },
    sets: sets.map(([name, within, is_rule], i) => ({ name, within, is_rule, of: `of ${i}`, color: PALETTE[i], fault: i === 2 ? "these rows belong to another dataset." : "" })) };
}

/** Rows as a kernel would send them: cell 3 k at place k, so that who wants one cell in three does not find it; twenty are selected. */
function tableOf({ table, find, start: from, n }) {
  const total = table.of === "selection" ? store.get().selection.n : (store.get().dataset?.nObs ?? 0);
  const specs = table.columns ?? ["obs:cell_type", "obs:n_counts", "obs:notes"];
  const at = find >= 0 && find % 3 === 0 ? find / 3 : -1;
  const start = at < 0 ? from : Math.max(0, Math.min(at - Math.floor(n / 2), total - n));
  const places = Array.from({ length: Math.max(0, Math.min(n, total - start)) }, (_, i) => start + i);
  const isNumber = (spec) => spec.startsWith("var:") || OBS.find(({ name }) => `obs:${name}` === spec)?.kind === "float";
  const isDamaged = (spec) => spec === "obs:notes";
  const columns = specs.map((spec) => ({ spec, name: spec.slice(4), detail: "", is_number: isNumber(spec), error: isDamaged(spec) ? "Cannot read obs column 'notes': its file is missing." : "" }));
  const values = specs.map((spec) => (isDamaged(spec) ? [] : places.map((place) => (isNumber(spec) ? `${place / 4}` : place === 1 ? NASTY[0] : TYPES.split("|")[place % 14]))));
  const arrays = { xy: Float32Array.from(places.flatMap((place) => [place % 7, place === 2 ? NaN : 1])), elsewhere: new Float32Array(0), selected: Uint8Array.from(places, (place) => place < 20 && store.get().selection.n > 0) };
  return { kind: "table", panel: 0, start, total, rows: places.map((place) => 3 * place), names: places.map((place) => `AAACCTGAGAAACCAT-${place}`), columns, values, at, error: "", panels: [], arrays };
}
const LABELS = ["T cell", "<b>mine</b>", `${"long ".repeat(40)}label`];
function annotationsOf({ name, query }) {
  const annotations = window.noAnnotations ? [] : [{ name: "my types", n_labels: window.nLabels ?? LABELS.length }, { name: "<i>other</i>", n_labels: 0 }];
  const shown = annotations.find((one) => one.name === name) ?? annotations[0];
  const labels = shown?.n_labels ? LABELS.filter((label) => label.toLowerCase().includes(query.toLowerCase())) : [];
  const counts = Uint32Array.from([...labels, null].flatMap((_, i) => [9_000 - 4_000 * i, 800, i === 0 ? 12 : 0]));
  return { kind: "annotations", annotations, name: shown?.name ?? "", labels, colors: labels.map((_, i) => (i === 1 ? "red;background:url(http://x)" : PALETTE[i])), n_found: (window.nLabels ?? 0) || labels.length, n_left_out: 34, has_obs: true, arrays: { counts } };
}
function annotated({ op, on_conflict: way }) {
  const isConflict = op === "save" && way === "error";
  return { kind: "annotated", sentence: op === "save" && !isConflict ? "Saved the labels of 5,000 cells to 'mine.csv'." : "", conflict: isConflict ? [900, 1_234, 34] : [] };
}
function fileOf({ start: from, n, separator }) {
  const total = store.get().dataset?.nObs ?? 0;
  const stop = Math.min(from + n, total);
  const lines = [...(from === 0 ? [["cell", "n_counts"]] : []), ...Array.from({ length: stop - from }, (_, i) => [`c${from + i}`, from + i])];
  const text = lines.map((line) => `${line.join(separator)}\n`).join("");
  return { kind: "csv", panel: 0, start: from, stop, total, selection_seq: 1, arrays: { text: new TextEncoder().encode(text) } };
}
const STUDY = { sample: "donor_id", condition: "disease", covariates: ["sex", "age"], pair: "donor_id", excluded: [] };
/** Made-up donors, twelve of each of three conditions, some in two; the first types differ. */
function studyOf({ part, by }) {
  const next = random(11);
  const conditions = ["normal", "<b>COVID-19</b>, severe", "influenza"];
  const design = get().traits.study_design;
  const n = 36;
  const samples = Array.from({ length: n }, (_, i) => {
    const [condition, donor] = [Math.floor(i / 12), i % 24];
    const name = donor < 12 && i >= 12 ? `D${donor} (${conditions[condition]})` : `D${donor}`;
    return { name, sample: `D${donor}`, condition, pair: i < 12 || i >= 24 ? `D${i % 12}` : "", n_cells: i === 30 ? 0 : 1_000 + 90 * i, n_all: 1_500 + 100 * i, excluded: design?.excluded.includes(name) ?? false,
      covariates: [i % 5 === 0 ? null : ["female", "male"][(i * 7) % 2], 20 + Math.floor(60 * next())] };
  });
  const columns = [{ name: "sex", kind: "category", categories: ["female", "male"] }, { name: "age", kind: "number", categories: [] }];
  const form = [...(by === "" ? ["donor_id", "cluster"] : ["disease", "sex", "age", "batch", "tissue"])].map((name) => ({ name, kind: name === "age" ? "number" : "category", categories: [] }));
  const notes = ["D3 has cells of two conditions and is one sample in each.", "Each value of 'batch' occurs in one condition only, so its effect cannot be told from that of 'disease'."];
  const pairs = [[0, 1], [0, 2], [1, 2]];
  const titles = { form: "", samples: "Samples of donor_id by disease: 12, 12 and 12", composition: `Share of each ${by} in a sample's cells; n = samples: 12, 12 and 12; Welch's t-test of centered log ratios, Benjamini-Hochberg`, expression: "Pinned genes: log2 counts per million of the summed counts of a sample; n = samples: 12, 12 and 12", differences: "Genes with p_adj < 0.05 between sums of counts by sample (pseudobulk, Welch's t-test); n = samples" };
  const types = part === "samples" || part === "form" ? [] : by === "" ? [""] : TYPES.split("|");
  const rows = part === "expression" ? types.slice(0, 5).flatMap((category) => get().traits.pinned_genes.map((gene) => ({ gene, category }))) : types.map((category) => ({ gene: "", category }));
  const at = (i) => (part === "expression" ? 4 + i / 3 : 0.32 / (1 + i));
  const values = Float32Array.from({ length: rows.length * n }, (_, k) => at(Math.floor(k / n)) * (1 + (0.8 - Math.floor(k / n) / 20) * (next() - 0.5 + (k % n < 12 ? 0.3 : 0))));
  const counts = Uint32Array.from({ length: rows.length * n }, (_, k) => 1_000 * (values[k] % 1));
  const isOfGenes = part === "differences";
  const tests = Float32Array.from({ length: 6 * rows.length * 3 }, (_, k) => {
    const [field, row, pair] = [Math.floor(k / (rows.length * 3)), Math.floor(k / 3) % rows.length, k % 3];
    if (field > 3) return row === 9 ? 2 : 12;
    if (row === 9) return NaN;
    if (isOfGenes) return [Math.floor(1_500 / (1 + row * (pair + 1)) ** 1.4), 12_000, NaN, NaN][field];
    return [1.4 - row / 6, 4 - row / 4, 1e-4 * 3 ** row, Math.min(1, 1e-3 * 3 ** row)][field];
  });
  return { kind: "study_part", part, title: titles[part], notes: part === "form" ? [] : notes, conditions, colors: ["#0072b2", "#d98900", "#009e73"], is_log2: true, samples: part === "form" ? [] : samples, columns: part === "form" ? form : part === "samples" ? columns : [], rows, pairs: part === "samples" ? [] : pairs,
    arrays: { values, counts, tests } };
}
const store = createStore(start);
const calls = [];
const setTraits = (change) => store.set({ traits: { ...store.get().traits, ...change } });
const { get } = store;

const does = {
  setTrait(name, value) {
    setTraits({ [name]: value });
    if (name === "color") store.set({ color: coloringOf(value) });
  },
  dragLimit: (name, value) => setTraits({ [name]: value }),
  search: (query) => setTimeout(() => store.set({ found: find(query) }), window.searchDelay ?? 5),
  toggleCategory(i) {
    const name = get().color.categories[i] ?? "(missing)";
    const hidden = get().traits.hidden;
    setTraits({ hidden: hidden.includes(name) ? hidden.filter((one) => one !== name) : [...hidden, name] });
  },
  onlyCategory(i) {
    const hidden = get().color.categories.filter((_, k) => k !== i);
    setTraits({ hidden: get().traits.hidden.join() === hidden.join() ? [] : hidden });
  },
  selectCategory: (i, mode) => store.set({ selection: { seq: get().selection.seq + 1, n: get().color.counts[i] ?? get().color.nMissing } }),
  selectField: () => store.set({ selection: { seq: get().selection.seq + 1, n: 12 } }),
  showAll: () => setTraits({ hidden: [] }),
  stop: () => {},
  brush: (brush) => store.set({ brush }),
  clearFilters: () => (setTraits({ filters: [] }), store.set({ filter: { seq: get().filter.seq + 1, n: null, nShown: null } })),
  selectRows: (rows) => store.set({ selection: { seq: get().selection.seq + 1, n: rows.length } }),
  point: (cell) => store.set({ cell }),
  highlight: (i) => store.set({ highlighted: i }),
  clearSelection: () => store.set({ selection: { seq: 2, n: 0 } }),
  resetView() {},
  undo() {},
  dismissError: () => store.set({ error: null }),
  needPanels: () => store.set({ needsPanels: true }),
};
const actions = Object.fromEntries(Object.entries(does).map(([name, act]) => [name, (...args) => (calls.push([name, ...args]), act(...args))]));

function coloringOf(color) {
  if (color === null) return null;
  const spec = OBS.some(({ name }) => name === color) ? `obs:${color}` : color;
  if (Array.isArray(spec)) return { ...continuous(`mean of ${spec.length} genes`), spec: `mean:${spec}` };
  const name = spec.slice(4);
  if (spec.startsWith("var:")) return continuous(name);
  return name === "cell_type" ? start.color : categorical(name, Array.from({ length: name === "cluster" ? 1101 : 38 }, (_, i) => `${name} ${i}`));
}

function find(query) {
  const wanted = query.trim().toLowerCase();
  const long = window.longColumn ? [[window.longColumn, "1,101 categories"]] : [];
  const columns = [...COLUMNS, ...long].map(([label, detail]) => ({ spec: `obs:${label}`, label, kind: "obs", detail }));
  const genes = GENES.map((label) => ({ spec: `var:${label}`, label, kind: "var", detail: `ENSG${label.length}00000${label.charCodeAt(2)}` }));
  const sets = [{ spec: "mean:T cell markers", label: "T cell markers", kind: "set", detail: "mean of 5 genes" }];
  const matches = [...columns, ...genes, ...sets].filter((match) => match.label.toLowerCase().includes(wanted));
  if (wanted.includes(",")) matches.push({ spec: "mean:CD3E,CD3D", color: ["CD3E", "CD3D"], label: "mean of 2 genes", kind: "set", detail: "FOO not found" });
  return { query, matches, nMore: wanted.length < 2 ? 60_651 : 0 };
}

function createPlot(host) {
  const canvas = document.createElement("canvas");
  Object.assign(canvas.style, { position: "absolute", inset: "0", width: "100%", height: "100%" });
  canvas.tabIndex = 0;
  canvas.setAttribute("aria-label", "Scatterplot");
  canvas.setAttribute("role", "img");
  host.append(canvas);
  let theme = { background: [255, 255, 255] };
  const paint = () => {
    const { clientWidth: width, clientHeight: height } = host;
    canvas.width = width;
    canvas.height = height;
    const pen = canvas.getContext("2d");
    pen.fillStyle = `rgb(${theme.background})`;
    pen.fillRect(0, 0, width, height);
    const { color, points: shown, dataset: opened } = get();
    if (shown === null || opened?.nObs === 0) return;
    const next = random(7);
    for (let i = 0; i < 900; i++) {
      const k = Math.floor(next() * 14);
      const [angle, radius] = [next() * 6.283, Math.sqrt(-2 * Math.log(next() + 1e-9)) * 24];
      pen.fillStyle = color?.scale === "categorical" ? color.colors[k % color.colors.length] : ["#440154", "#3b528b", "#21918c", "#5ec962"][Math.floor(next() * 4)];
      const x = width * (0.16 + 0.68 * ((k * 0.381) % 1)) + radius * Math.cos(angle);
      const y = height * (0.2 + 0.6 * ((k * 0.618) % 1)) + radius * Math.sin(angle);
      pen.fillRect(x, y, 4, 4);
    }
  };
  const observer = new ResizeObserver(paint);
  observer.observe(host);
  const unsubscribe = store.subscribe((state, before) => state.color !== before.color && paint());
  return {
    element: canvas,
    setTheme: (given) => ((window.theme = theme = given), paint()),
    figure: async (scale) => (calls.push(["figure", scale]), canvas),
    destroy: () => (calls.push(["destroy"]), observer.disconnect(), unsubscribe(), canvas.remove()),
  };
}

const NASTY = ["<img src=x onerror=window.hacked=1>", "a", "", `${"long ".repeat(60)}name`, "</style><script>window.hacked=1</script>", "ünï \"quoted\" & 'so'"];
/** The same share of every category or bin, of some none. */
const counted = (color) => {
  const all = color.scale === "categorical" ? color.counts : color.histogram;
  return { color, selection: { seq: 1, n: 1234 }, counted: { seq: color.seq, selection: 1, nMissing: 7, counts: Uint32Array.from(all, (n, i) => (i % 3 === 1 ? 0 : n / 4)) } };
};
const CLUSTERS = Array.from({ length: 33 }, (_, i) => `cluster ${i}`);
const scenes = {
  categories: {},
  counted: counted(start.color),
  countedGene: { ...counted(continuous("CD3E")), traits: { ...traits, color: "var:CD3E" } },
  clusters: counted(categorical("leiden", CLUSTERS, 12)),
  selected: { selection: { seq: 1, n: 1234 } },
  hidden: { traits: { ...traits, hidden: TYPES.split("|").slice(0, 3) } },
  allHidden: { color: { ...start.color, nMissing: 0 }, traits: { ...traits, hidden: TYPES.split("|") } },
  many: { color: categorical("cluster", Array.from({ length: 1101 }, (_, i) => `cluster ${i} ${TYPES.split("|")[i % 14]}`)), traits: { ...traits, color: "obs:cluster" } },
  nasty: { color: { ...categorical("<b>nasty</b>", NASTY), colors: ["red;background:url(http://x)", ...PALETTE] }, error: { of: "color", message: "<img src=x onerror=window.hacked=1>" } },
  gene: { color: continuous("CD3E"), traits: { ...traits, color: "var:CD3E" } },
  clipped: { color: continuous("CD3E"), traits: { ...traits, color: "var:CD3E", vmin: 0.5, vmax: "p99" } },
  constant: { color: { ...continuous("n_batches"), lo: 3, hi: 3, histogram: Uint32Array.of(N) }, traits: { ...traits, color: "obs:n_batches" } },
  noValues: { color: { ...continuous("n_batches"), lo: 0, hi: 0, histogram: Uint32Array.of(0), nMissing: N }, traits: { ...traits, color: "obs:n_batches" } },
  twoGenes: { color: blended(["CD3E", "NKG7"]), traits: { ...traits, color: ["CD3E", "NKG7"], blend: "colors" } },
  threeGenes: { color: blended(["CD3E", "<b>NKG7</b>", "MS4A1"]), traits: { ...traits, color: ["CD3E", "<b>NKG7</b>", "MS4A1"], blend: "colors" } },
  pca: { traits: { ...traits, embedding: "X_pca" } },
  noColor: { color: null, traits: { ...traits, color: null } },
  connecting: { dataset: null, points: null, color: null, link: "connecting" },
  loading: { points: { ...points, loaded: 40_000 }, nextColor: { ...continuous("CD8A"), loaded: 20_000 } },
  error: { error: { of: "color", message: "No obs column or gene is called 'CD3Z'; did you mean 'CD3E', 'CD3D' or 'CD3G'?" } },
  damaged: { error: { of: "color", message: "Cannot read obs column 'donor_id': data files are missing or damaged.",
    details: "/data/projects/atlas/releases/2024-11/pbmc_38_donors.cxg: cannot read obs column 'donor_id': data files are missing or damaged ([TileDB::FragmentMetadata] Error: Cannot open file 'file:///data/projects/atlas/releases/2024-11/pbmc_38_donors.cxg/obs/__fragments/__1700000000_a1b2/a0.tdb')." } },
  nothingInView: { inView: { as: "points", lacks: "nothing" } },
  hiddenInView: { inView: { as: "cells", lacks: "hidden" }, traits: { ...traits, hidden: TYPES.split("|").slice(0, 3) } },
  filtered: { filter: { seq: 1, n: 4_321, nShown: 4_321 }, traits: { ...traits, filters: [{ obs: "n_counts", range: [120, 400] }, { query: "n_counts > 10" }] } },
  greyed: { filter: { seq: 1, n: 4_321, nShown: 4_321 }, traits: { ...traits, filtered: "grey", filters: [{ obs: "n_counts", range: [120, 400] }] },
    cell: { row: 5, x: 0, y: 0, name: "AAAC-1", value: "CD8 T cell", fields: [["n_counts", "4,312"]], passes: false } },
  lost: { filter: { seq: 1, n: 0, nShown: 0 }, traits: { ...traits, filters: [{ query: "n_counts < 0" }] } },
  missed: { selection: { seq: 2, n: 0, missed: true } },
  unchanged: { selection: { seq: 2, n: 1234, missed: true }, traits: { ...traits, hidden: TYPES.split("|").slice(0, 3) } },
  longTitle: { dataset: { ...dataset, title: "An integrated atlas of peripheral blood mononuclear cells of healthy and diseased donors across the lifespan" },
    traits: { ...traits, hidden: TYPES.split("|").slice(0, 3) } },
  image: { points: { ...points, aggregated: true, nPoints: 40_000 }, inView: { as: "image", lacks: "" }, color: continuous("CD3E"), traits: { ...traits, color: "var:CD3E" } },
  offline: { link: "offline" },
  offlineBare: { link: "offline", dataset: null, points: null, color: null },
  empty: { dataset: { ...dataset, nObs: 0 }, points: { ...points, nPoints: 0, nObs: 0, loaded: 0, nMissing: 0 }, color: null },
  twoColumns: { traits: { ...traits, embedding: ["obs:n_counts", "var:CD3E"] } },
  noEmbedding: { dataset: { ...dataset, embeddings: [] }, points: null },
  columns: { traits: { ...traits, open_panels: ["columns"] } },
  nastyColumns: { traits: { ...traits, open_panels: ["columns"] }, dataset: { ...dataset, columns: [...OBS, ...NASTY.map((name) => ({ name, kind: "categorical" }))] } },
  manyColumns: { traits: { ...traits, open_panels: ["columns"] }, dataset: { ...dataset,
    columns: [...OBS, ...NASTY.map((name) => ({ name, kind: "categorical" })), ...Array.from({ length: 600 }, (_, i) => ({ name: `qc_metric_${i}`, kind: "float" }))] } },
  filteredColumns: { traits: { ...traits, open_panels: ["columns"], filters: [{ obs: "n_counts", range: [120, 400] }, { not: { obs: "cell_type", in: ["platelet", null] } }, { query: "n_counts > 10 and CD3E > 0" }] },
    filter: { seq: 3, n: 41_203, nShown: 41_203 }, selection: { seq: 1, n: 1234 } },
  noColumns: { traits: { ...traits, open_panels: ["columns"] }, dataset: { ...dataset, columns: [] } },
  columnsOffline: { traits: { ...traits, open_panels: ["columns"] }, link: "offline" },
  noStudy: { traits: { ...traits, open_panels: ["study"] } },
  study: { traits: { ...traits, open_panels: ["study"], study_design: STUDY, pinned_genes: ["CD3E", "MS4A1"] } },
  table: { traits: { ...traits, open_panels: ["table"] }, selection: { seq: 1, n: 1234 } },
  longTable: { traits: { ...traits, open_panels: ["table"] }, dataset: { ...dataset, nObs: 20_000_000 } },
  tableOfSpectra: { dataset: { ...dataset, nouns: SPECTRA }, traits: { ...traits, open_panels: ["table"] } },
  wholePage: { traits: { ...traits, open_panels: ["columns", "table"] } },
  genes: { traits: { ...traits, open_panels: ["genes"], color: "var:CD3E", pinned_genes: ["CD3E", "MS4A1"], gene_sets: [{ name: "T cells", genes: ["CD3E", "CD3D"] }], filters: [{ var: "MS4A1", range: [1, null] }] },
    color: continuous("CD3E"), filter: { seq: 3, n: 41_203, nShown: 41_203 }, selection: { seq: 1, n: 1234 } },
  bothPanels: { traits: { ...traits, open_panels: ["columns", "genes"], pinned_genes: NASTY.slice(0, 2) } },
  spectra: { dataset: { ...dataset, nouns: SPECTRA }, points: { ...points, aggregated: true }, inView: { as: "image", lacks: "" }, selection: { seq: 1, n: 5 } },
  noSpectraInView: { dataset: { ...dataset, nouns: SPECTRA }, inView: { as: "points", lacks: "nothing" } },
  noSpectra: { dataset: { ...dataset, nouns: SPECTRA, nObs: 0 }, points: null, color: null, traits: { ...traits, color: null } },
  noPlace: { points: { ...points, nMissing: N } },
  read: { cost: { nBytes: 1_234_567, nReads: 3 }, traits: { ...traits, hidden: TYPES.split("|").slice(0, 3) }, selection: { seq: 1, n: 1234 } },
  crowd: { cell: { row: 5, x: 0, y: 0, name: "364 cells", value: "", fields: [["CD8 T cell", "57 %"], ["<b>no category</b>", "43 %"]], passes: true, n_beneath: 364 } },
  cell: { cell: { row: 5, x: 0, y: 0, name: "AAACCTGAGAAACCAT-1-donor_22", value: "CD8 T cell", fields: [["donor_id", "D-22"], ["n_counts", "4,312"]], passes: true } },
};

const el = document.getElementById("el");
/** What brings the page back to how it was loaded. @type {(() => void)[]} */
const undo = [];
let takeAway = () => {};
const destroy = () => (takeAway(), (takeAway = () => {}));

/** Show the start in a new view, as loading does in a multiple of the time. */
async function renew() {
  if (document.fullscreenElement !== null) await document.exitFullscreen();
  destroy();
  for (const back of undo.splice(0)) back();
  for (const name of Object.keys(window)) if (!NAMES.has(name) && !name.startsWith("__")) delete window[name]; // "__": Playwright's
  el.replaceChildren();
  document.body.replaceChildren(el);
  for (const name of ["class", "style"]) document.body.removeAttribute(name);
  scrollTo(0, 0);
  calls.length = 0;
  store.set(start);
  takeAway = createView({ el, model: { store, actions, client, createPlot } });
  window.root = el.firstElementChild.shadowRoot;
}

Object.assign(window, {
  open: (another) => createView({ el: another, model: { store, actions, client, createPlot } }),
  calls, store, destroy, renew, scenes: Object.keys(scenes), root: null, theme: null,
  atEnd: (back) => undo.push(back),
  show: (name) => store.set({ ...start, ...scenes[name] }),
});
const NAMES = new Set(Object.keys(window));
renew();
if (location.hash !== "") window.show(location.hash.slice(1));
