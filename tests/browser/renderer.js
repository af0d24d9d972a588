// A page that plays the kernel: it shows made-up points through the engine alone and lets a test read the pixels.
import { createWidgetModel } from "../../js/src/model.js";
import { createKeyShape } from "../../js/src/panels/keyboard_shape.js";
import { createLandmarks } from "../../js/src/panels/overlays/landmarks.js";
import { createPictures } from "../../js/src/panels/pictures/plot_picture.js";
import { depart, fade } from "../../js/src/picture/motion.js";
import { DEFAULTS } from "../../js/src/wire/constants.js";

const LIGHT = { background: [255, 255, 255], foreground: [31, 35, 40], dark: false };
const DARK = { background: [17, 17, 17], foreground: [226, 229, 233], dark: true };
const DTYPES = new Map([[Uint8Array, "uint8"], [Uint16Array, "uint16"], [Uint32Array, "uint32"], [Float32Array, "float32"]]);
const TRAITS = {
  ...DEFAULTS, embedding: "umap", point_size: 8, height: 400, legend: false, n_selected: 0, steps: { undo: "", redo: "", n: 0 }, _snapshot: null,
};

/** The model of anywidget, with a made-up kernel behind it. Messages arrive misaligned, as some hosts deliver them. */
function fakeModel(traits, answer) {
  const listeners = new Map();
  const values = { ...TRAITS, ...traits };
  const model = {
    sent: [],
    saved: [],
    get: (name) => values[name],
    set(name, value) {
      const changed = values[name] !== value;
      values[name] = value;
      if (changed) model.fire(`change:${name}`);
    },
    save_changes: () => model.saved.push({ ...values }),
    on: (event, listener) => listeners.set(event, [...(listeners.get(event) ?? []), listener]),
    off: (event, listener) => listeners.set(event, (listeners.get(event) ?? []).filter((one) => one !== listener)),
    fire: (event, ...args) => (listeners.get(event) ?? []).forEach((listener) => listener(...args)),
    send(content, _, buffers = []) {
      model.sent.push({ content, sizes: buffers.map((buffer) => buffer.byteLength) });
      setTimeout(() => answer?.(content, model), 0);
    },
    say(content, arrays = {}, offset = 1) {
      const headers = [];
      const buffers = [];
      for (const [name, array] of Object.entries(arrays)) {
        const shape = name === "xy" ? [array.length / 2, 2] : [array.length];
        headers.push({ name, dtype: DTYPES.get(array.constructor), shape });
        const bytes = new Uint8Array(array.byteLength + offset);
        bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), offset);
        buffers.push(new DataView(bytes.buffer, offset));
      }
      model.fire("msg:custom", { id: 0, ...content, arrays: headers }, buffers);
    },
  };
  return model;
}

const seqs = { points: 0, color: 0, selection: 0, filter: 0 };

/** @param {{xy: number[][] | Float32Array, extent?: number[], chunk?: number, yDown?: boolean, labels?: string[]}} scene xy in data units */
function sendPoints(model, { xy, extent = [0, 1, 0, 1], chunk = Infinity, yDown = false, labels = [], from = 0, to = Infinity, seq, aggregated = false, few = 400_000, n_obs, embedding = "umap" }) {
  const flat = xy instanceof Float32Array ? xy : Float32Array.from(xy.flat());
  const n = flat.length / 2;
  seq ??= ++seqs.points;
  const codes = new Uint16Array(2 * n);
  for (let i = 0; i < 2 * n; i++) {
    const [lo, hi] = i % 2 === 0 ? extent.slice(0, 2) : extent.slice(2);
    codes[i] = Number.isFinite(flat[i]) ? Math.round(((flat[i] - lo) / (hi - lo)) * 65534) : 65535;
  }
  for (let start = from; start < Math.min(n, to) || (n === 0 && start === from); start += chunk) {
    const stop = Math.min(n, to, start + chunk);
    const units = { y_down: yDown, equal_units: labels.length === 0, axis_labels: labels };
    const message = { kind: "points", seq, embedding, axes: [0, 1], start, stop, n_points: n, n_obs: n_obs ?? n, extent, n_missing: 0, ...units, aggregated, few };
    model.say(message, { xy: codes.subarray(2 * start, 2 * stop) });
    if (n === 0) break;
  }
  return seq;
}

/** @param {{scale: string, codes?: Uint8Array | Uint16Array, colors?: string[]}} coloring */
function sendColor(model, { scale, codes = new Uint8Array(0), colors = [], n = codes.length, lo = 0, hi = 1, chunk = Infinity, hold = false }) {
  const seq = ++seqs.color;
  const categories = colors.map((_, i) => `category ${i}`);
  const missing = codes.filter((code) => code === (codes instanceof Uint8Array ? 255 : 65535)).length;
  const quantiles = Float32Array.from({ length: 1001 }, (_, i) => i / 1000);
  const legend = {
    kind: "color", seq, spec: "obs:a", name: "a", detail: "", scale, n_points: n, n_obs: n, n_missing: missing, categories,
    counts: colors.map(() => 1), colors, lo, hi, n_negative: 0, n_zero: n === 0 ? 0 : codes.filter((code) => code === 0).length, least: hi > 0 ? Math.max(lo, hi / 65_534) : 0, encoding: scale === "none" ? "none" : "dense",
  };
  model.say(legend, { histogram: new Uint32Array(40), log_histogram: new Uint32Array(0), quantiles });
  if (scale === "none" || hold) return seq;
  sendCodes(model, seq, scale, codes, 0, n, chunk);
  return seq;
}

/** A gene as the kernel sends it where most cells have none: the entries alone. @param {{codes: Uint16Array, lo?: number, hi?: number}} gene */
function sendGene(model, { codes, lo = 0, hi = 1 }) {
  const seq = sendColor(model, { scale: "continuous", codes, lo, hi, hold: true });
  const counts = new Uint32Array(Math.ceil(codes.length / 65_536));
  const index = Array.from(codes.keys()).filter((i) => codes[i] > 0);
  index.forEach((i) => counts[i >> 16]++);
  const arrays = { counts, offsets: Uint16Array.from(index, (i) => i & 65_535), values: Uint16Array.from(index, (i) => codes[i]) };
  model.say({ kind: "nonzeros", seq, start: 0, stop: codes.length, n_points: codes.length, fill: 0 }, arrays);
  return seq;
}

/** What the kernel has been asked for, but for its start. */
const asked = (model) => model.sent.map(({ content }) => content).filter(({ kind }) => kind !== "ready" && kind !== "begun");

function sendCodes(model, seq, scale, codes, from, to, chunk = Infinity) {
  const kind = scale === "categorical" ? "codes" : "values";
  for (let start = from; start < to; start += chunk) {
    const stop = Math.min(to, start + chunk);
    model.say({ kind, seq, start, stop, n_points: codes.length }, { [kind]: codes.subarray(start, stop) });
  }
}

/** @param {number[]} flags 0 or 1 for each point */
function packed(flags) {
  const bits = new Uint8Array(Math.ceil(flags.length / 8));
  let n = 0;
  flags.forEach((flag, i) => flag && (n++, (bits[i >> 3] |= 1 << (i & 7))));
  return { bits, n };
}

/** @param {number[]} flags which points pass */
function sendFilter(model, flags) {
  const { bits, n } = packed(flags);
  const message = { kind: "filter", seq: ++seqs.filter, n_passing: n, n_shown: n, n_points: flags.length };
  model.say(message, { bits: n < flags.length ? bits : new Uint8Array(0) });
}

function sendSelection(model, flags) {
  const { bits, n } = packed(flags);
  model.say({ kind: "selection", seq: ++seqs.selection, n_selected: n, n_points: flags.length }, { bits: n ? bits : new Uint8Array(0) });
}

/** Answer `aggregate` by an image of vertical bands. @param {number[][]} bands [r, g, b, a] of each */
async function sendImage(model, ask, { bands, content = "colors", seq = seqs.color, view = ask.view, n_inside = 1 }) {
  const canvas = new OffscreenCanvas(ask.width, ask.height);
  const context = canvas.getContext("2d");
  const data = context.createImageData(ask.width, ask.height);
  for (let i = 0; i < ask.width * ask.height; i++) data.data.set(bands[Math.floor(((i % ask.width) * bands.length) / ask.width)], 4 * i);
  context.putImageData(data, 0, 0);
  const png = new Uint8Array(await (await canvas.convertToBlob({ type: "image/png" })).arrayBuffer());
  model.say({ kind: "image", id: ask.id, points_seq: seqs.points, seq, selection_seq: 0, view, content, n_inside, statistic: "", scale: [] }, { png, histogram: new Uint32Array(0), log_histogram: new Uint32Array(0), quantiles: new Float32Array(0) });
}

/** Deliver what a real session said, see `serve` in engine.py. */
function deliver(model, frames) {
  for (const [content, buffers] of frames) {
    model.fire("msg:custom", content, buffers.map((one) => new DataView(Uint8Array.from(atob(one), (letter) => letter.charCodeAt(0)).buffer)));
  }
}

/** An answer by a real session. */
const byKernel = async (content, model) => deliver(model, await window.askKernel(content));

/** What brings the page back to how it was loaded, newest last. @type {(() => void)[]} */
const undo = [];
const atEnd = (back) => undo.push(back);

/** Put another method in place of one, until the next test. @param {(was: Function) => Function} make */
function replace(owner, name, make) {
  const was = owner[name];
  owner[name] = make(was);
  atEnd(() => (owner[name] = was));
}

/** Let waits of a second and more pass in a tenth of their time, those of the page as those of the test. */
const hasten = () => replace(window, "setTimeout", (wait) => (done, ms = 0, ...more) => wait(done, ms < 1_000 ? ms : ms / 10, ...more));

/** As on a page that has not looked for a graphics card yet. */
const forgetCard = () => delete globalThis[Symbol.for("cxg-widget/gl/3")];

const drawnBy = globalThis.__CXG_DRAWN_BY__;

/** Take away what a test has left, in a fraction of the time that loading takes. */
function renew() {
  for (const back of undo.splice(0).reverse()) back();
  for (const name of Object.keys(window)) if (!NAMES.has(name) && !name.startsWith("__")) delete window[name]; // "__": Playwright's
  document.body.replaceChildren();
  document.body.removeAttribute("style");
  scrollTo(0, 0);
  globalThis.__CXG_DRAWN_BY__ = drawnBy;
}

/** Open a widget with one plot. */
function open({ traits = {}, width = 400, height = 400, dark = false, answer } = {}) {
  const host = document.createElement("div");
  host.className = "plot";
  host.style.cssText = `width:${width}px;height:${height}px`;
  document.body.append(host);
  const model = fakeModel(traits, answer);
  const widget = createWidgetModel(model);
  widget.store.set({ keyShape: createKeyShape, pictures: createPictures, travel: depart, fade });
  const plot = widget.createPlot(host);
  plot.png = (scale) => plot.figure(scale).then((canvas) => new Promise((done) => canvas.toBlob(done)));
  plot.setTheme(dark ? DARK : LIGHT);
  let isOpen = true;
  const close = () => isOpen && ((isOpen = false), plot.destroy(), widget.destroy(), host.remove());
  atEnd(close);
  return { host, model, widget, plot, background: (dark ? DARK : LIGHT).background, get canvas() { return host.querySelector("canvas"); }, close };
}

const frame = () => new Promise((done) => requestAnimationFrame(() => done()));
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

async function ready({ host }, timeoutMs = 30_000) {
  const end = performance.now() + timeoutMs;
  await frame();
  while (host.dataset.cxgState !== "ready") {
    if (performance.now() > end) throw new Error(`still ${host.dataset.cxgState} with ${host.dataset.cxgDrawn} drawn`);
    await sleep(5);
  }
}

/** Color on screen at a place in CSS px, over the background of the plot: [r, g, b]. */
function pixel({ canvas, background: back = LIGHT.background }, x, y) {
  const scale = canvas.width / canvas.clientWidth;
  const [r, g, b, a] = read(canvas).getImageData(Math.floor(x * scale), Math.floor(y * scale), 1, 1).data;
  return [r, g, b].map((value, i) => Math.round((value * a + back[i] * (255 - a)) / 255));
}

function read(canvas) {
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
  copy.drawImage(canvas, 0, 0);
  return copy;
}

function pixels({ canvas }) {
  return read(canvas).getImageData(0, 0, canvas.width, canvas.height).data;
}

/** Where a place in data units is on the canvas, when extent 0..1 fits a square plot. */
const place = (fraction, size = 400) => size * (0.5 + (fraction - 0.5) / 1.08);

/** How many pixels differ between two pictures. */
function difference(a, b) {
  let count = 0;
  for (let i = 0; i < a.length; i += 4) if (a[i] !== b[i] || a[i + 1] !== b[i + 1] || a[i + 2] !== b[i + 2] || a[i + 3] !== b[i + 3]) count++;
  return count + Math.abs(a.length - b.length);
}

/** Gaussian clusters. @returns {{xy: Float32Array, codes: Uint8Array, values: Uint16Array}} */
function clusters(n, k = 12, seed = 1) {
  let state = seed >>> 0;
  const random = () => ((state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32);
  const normal = () => Math.sqrt(-2 * Math.log(random() + 1e-12)) * Math.cos(6.2831853 * random());
  const centers = Array.from({ length: k }, () => [0.2 + 0.6 * random(), 0.2 + 0.6 * random(), 0.015 + 0.035 * random()]);
  const xy = new Float32Array(2 * n);
  const codes = new Uint8Array(n);
  const values = new Uint16Array(n);
  for (let i = 0; i < n; i++) {
    const c = Math.floor(random() * k);
    xy[2 * i] = Math.min(Math.max(centers[c][0] + normal() * centers[c][2], 0), 1);
    xy[2 * i + 1] = Math.min(Math.max(centers[c][1] + normal() * centers[c][2], 0), 1);
    codes[i] = c;
    values[i] = Math.min(65534, Math.max(0, (c / k + 0.15 * normal()) * 65534));
  }
  return { xy, codes, values };
}

const OKABE = ["#e69f00", "#56b4e9", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7", "#999999", "#332288", "#117733", "#882255", "#44aa99"];

Object.assign(window, { open_: open, fakeModel, sendPoints, sendColor, sendCodes, sendSelection, sendFilter, sendImage, ready, pixel, pixels, place, difference, clusters, frame, sleep, OKABE, seqs, sendGene, asked, byKernel, deliver, atEnd, replace, hasten, forgetCard, renew, createLandmarks });
const NAMES = new Set([...Object.keys(window), "askKernel"]);
