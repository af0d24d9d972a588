import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { createModuleLoader } from "../src/page/second_module.js";
import { createStore } from "../src/state/state.js";

const createPanels = () => () => "panels";
const code = (/** @type {any} */ require) => ({ createPanels, lit: require("lit-html") });

/** A widget of the page, and the kernel behind it. @param {{hash: string, importCode?: any}} kernel */
function start({ hash, importCode = async () => code }) {
  /** @type {string[][]} */
  const asked = [];
  let closed = 0;
  const store = createStore(
    /** @type {any} */ ({
      traits: { open_panels: [], panels: [], filters: [] },
      panels: null,
      dataset: {},
      link: "live",
      error: null,
    }),
  );
  const ask = async (/** @type {any} */ { kind, known }) => {
    assert.equal(kind, "module");
    asked.push(known);
    return hash === "" ? null : [{ kind, hash, arrays: { code: new Uint8Array(known.includes(hash) ? 0 : 3) } }];
  };
  const close = () => {
    closed++;
    store.set({ traits: /** @type {any} */ ({ open_panels: [], panels: [], filters: [] }) });
  };
  store.subscribe(createModuleLoader(store, /** @type {any} */ ({ ask }), close, importCode));
  const open = async () => {
    store.set({ traits: /** @type {any} */ ({ open_panels: ["columns"], panels: [], filters: [] }) });
    await new Promise((done) => setTimeout(done));
  };
  return { asked, store, open, closed: () => closed };
}

test("the module is requested when a panel opens, once for all widgets of a page", async () => {
  let imports = 0;
  const importCode = async () => (imports++, code);
  const [one, other] = [start({ hash: "a", importCode }), start({ hash: "a", importCode })];
  one.store.set({ highlighted: 1 });
  assert.deepEqual(one.asked, []);
  await one.open();
  one.store.set({ highlighted: 2 });
  await other.open();
  assert.deepEqual([one.asked, other.asked, imports], [[[]], [["a"]], 1]);
  for (const { store } of [one, other]) assert.equal(store.get().panels, createPanels);
});

test("a kernel with other code gets its own", async () => {
  let imports = 0;
  const { open } = start({ hash: "b", importCode: async () => (imports++, code) });
  await open();
  assert.equal(imports, 1);
});

test("the module uses the lit-html of the widget", async () => {
  const lit = await import("lit-html");
  /** @type {any} */
  let handed;
  const importCode = async () => (/** @type {any} */ require) => ((handed = require("lit-html")), code(require));
  await start({ hash: "c", importCode }).open();
  for (const name of ["html", "svg", "nothing", "noChange", "render", "_$LH"])
    assert.equal(handed[name], /** @type {any} */ (lit)[name]);
});

test("a refused import is reported in one sentence, and tried again when the panel opens again", async () => {
  let isRefused = true;
  const importCode = async () => {
    if (isRefused) throw new TypeError("Failed to fetch dynamically imported module: blob:null/1");
    return code;
  };
  const { store, open, closed } = start({ hash: "d", importCode });
  await open();
  assert.match(
    store.get().error?.message ?? "",
    /^Panels cannot load: [^.]+\. Names, contours, notes, saved pictures, drawing with keys and the full description are not available either; everything else works\.$/,
  );
  assert.deepEqual([store.get().panels, closed(), store.get().traits.open_panels], [null, 1, []]);
  isRefused = false;
  await open();
  assert.equal(store.get().panels, createPanels);
});

test("if the kernel sends no module, the panel is closed", async () => {
  const { store, open, closed, asked } = start({ hash: "" });
  await open();
  assert.deepEqual([store.get().panels, closed(), asked.length], [null, 1, 1]);
});

test("without a kernel the module is not requested", async () => {
  const { store, open, asked } = start({ hash: "e" });
  store.set({ link: "offline" });
  await open();
  assert.deepEqual(asked, []);
});

test("names on the plot need the module too, and its absence is reported once", async () => {
  const importCode = async () => {
    throw new TypeError("refused");
  };
  const { store, asked } = start({ hash: "f", importCode });
  const rest = () => new Promise((done) => setTimeout(done));
  const traits = /** @type {any} */ ({ open_panels: [], panels: [], filters: [], labels: "cell_type", contours: null });
  store.set({ traits });
  await rest();
  store.set({ traits });
  store.set({ highlighted: 3 });
  await rest();
  assert.equal(asked.length, 1);
  store.set({ traits: { ...traits, contours: true } });
  await rest();
  assert.equal(asked.length, 2);
});

test("a picture for the notebook requests the module, and its absence is neither reported nor requested again", async () => {
  const rest = () => new Promise((done) => setTimeout(done));
  const good = start({ hash: "g" });
  good.store.set({ needsQuietly: true });
  await rest();
  assert.equal(good.store.get().panels, createPanels);
  const importCode = async () => {
    throw new TypeError("refused");
  };
  const { store, asked, open } = start({ hash: "h", importCode });
  for (let i = 0; i < 2; i++) {
    store.set({ needsQuietly: true });
    await rest();
    assert.deepEqual([asked.length, store.get().needsQuietly, store.get().error], [1, false, null]);
  }
  await open();
  assert.equal(asked.length, 2);
  assert.equal(store.get().error?.of, "module");
});

test("no rule of the second style sheet is about a class alone that the first module uses", async () => {
  const at = (/** @type {string} */ path) => fileURLToPath(new URL(`../src/${path}`, import.meta.url));
  const css = await readFile(at("panels/style.css"), "utf8");
  const selectors = [...css.replace(/\/\*.*?\*\//gs, "").matchAll(/([^{}]+)\{/g)].flatMap(([, one]) => one.split(","));
  const alone = selectors.flatMap((one) => /^\.([\w-]+)(:[\w-]+|\[[^\]]*\])*$/.exec(one.trim())?.[1] ?? []);
  const files = await readdir(at("page"), { recursive: true });
  const texts = await Promise.all(
    files.filter((one) => one.endsWith(".js")).map((one) => readFile(at(`page/${one}`), "utf8")),
  );
  const used = texts.flatMap((text) =>
    [...text.matchAll(/class="?([^">]*)/g)].flatMap(([, one]) => one.match(/[\w-]+/g) ?? []),
  );
  assert.ok(alone.length > 50 && used.includes("tool"));
  const inBoth = alone.filter((one) => used.includes(one));
  assert.deepEqual([...new Set(inBoth)], []);
});
