import assert from "node:assert/strict";
import { test } from "node:test";
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
      traits: { open_panels: [], panels: [] },
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
    store.set({ traits: /** @type {any} */ ({ open_panels: [], panels: [] }) });
  };
  store.subscribe(createModuleLoader(store, /** @type {any} */ ({ ask }), close, importCode));
  const open = async () => {
    store.set({ traits: /** @type {any} */ ({ open_panels: ["columns"], panels: [] }) });
    await new Promise((done) => setTimeout(done));
  };
  return { asked, store, open, closed: () => closed };
}

test("the module is asked for when a panel opens, and once for all widgets of a page", async () => {
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

test("the module is handed the lit-html of the widget, and not told apart from it", async () => {
  const lit = await import("lit-html");
  /** @type {any} */
  let handed;
  const importCode = async () => (/** @type {any} */ require) => ((handed = require("lit-html")), code(require));
  await start({ hash: "c", importCode }).open();
  for (const name of ["html", "svg", "nothing", "noChange", "render", "_$LH"])
    assert.equal(handed[name], /** @type {any} */ (lit)[name]);
});

test("where the page refuses the import, that is said in one sentence, and asked again by who opens the panel again", async () => {
  let isRefused = true;
  const importCode = async () => {
    if (isRefused) throw new TypeError("Failed to fetch dynamically imported module: blob:null/1");
    return code;
  };
  const { store, open, closed } = start({ hash: "d", importCode });
  await open();
  assert.match(
    store.get().error?.message ?? "",
    /^This page lets no panel load: [^.]+\. Names, contours and drawing by keys are missing too; all else works\.$/,
  );
  assert.deepEqual([store.get().panels, closed(), store.get().traits.open_panels], [null, 1, []]);
  isRefused = false;
  await open();
  assert.equal(store.get().panels, createPanels);
});

test("where the kernel sends nothing, the panel is closed", async () => {
  const { store, open, closed, asked } = start({ hash: "" });
  await open();
  assert.deepEqual([store.get().panels, closed(), asked.length], [null, 1, 1]);
});

test("without a kernel nothing is asked for", async () => {
  const { store, open, asked } = start({ hash: "e" });
  store.set({ link: "offline" });
  await open();
  assert.deepEqual(asked, []);
});

test("names on the plot want the module too, and where it cannot be had that is said once", async () => {
  const importCode = async () => {
    throw new TypeError("refused");
  };
  const { store, asked } = start({ hash: "f", importCode });
  const rest = () => new Promise((done) => setTimeout(done));
  const traits = /** @type {any} */ ({ open_panels: [], panels: [], labels: "cell_type", contours: null });
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
