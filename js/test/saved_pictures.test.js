import assert from "node:assert/strict";
import { test } from "node:test";
import { createSavedPictures } from "../src/plot/picture_schedule.js";
import { createStore } from "../src/state/state.js";

const PICTURE = /** @type {any} */ ({ width: 3 });

function start() {
  const store = createStore(
    /** @type {any} */ ({ link: "live", pictures: null, needsPanels: false, needsQuietly: false }),
  );
  const saved = createSavedPictures(/** @type {any} */ ({ store }));
  const pictures = () => ({
    figure: async (/** @type {number} */ scale) => ({ ...PICTURE, scale }),
    keep: async () => {},
  });
  return { store, saved, pictures };
}

test("a requested picture waits for the module that draws it, and says so", async () => {
  const { store, saved, pictures } = start();
  const picture = saved.figure(2);
  assert.equal(store.get().needsPanels, true);
  store.set({ pictures });
  assert.deepEqual(await picture, { width: 3, scale: 2 });
  store.set({ link: "offline" });
  assert.deepEqual(await saved.figure(1), { width: 3, scale: 1 }); // what is here stays
});

test("a missing module that draws pictures is reported", async () => {
  const { store, saved } = start();
  const picture = saved.figure(2);
  store.set({ needsPanels: false });
  await assert.rejects(picture, /could not be loaded/);
  store.set({ link: "offline" });
  await assert.rejects(saved.figure(2), /could not be loaded/);
});

/** Takes pictures as a plot does; the window is an event target that the test speaks through. @param {import("node:test").TestContext} context */
function resting(context) {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const window = new EventTarget();
  const page = { hidden: false };
  const kept = { n: 0 };
  Object.assign(globalThis, {
    document: page,
    addEventListener: window.addEventListener.bind(window),
    removeEventListener: window.removeEventListener.bind(window),
  });
  const { store, saved, pictures } = start();
  store.set({ pictures: () => ({ ...pictures(), keep: async () => void kept.n++ }) });
  const say = async (/** @type {string} */ type, /** @type {object} */ more = {}) => {
    window.dispatchEvent(Object.assign(new Event(type), more));
    await null;
    await null;
    return kept.n;
  };
  const wait = async (/** @type {number} */ ms) => {
    context.mock.timers.tick(ms);
    await null;
    await null;
    return kept.n;
  };
  return { saved, page, say, wait };
}

test("one picture is stored once a plot is at rest, however often it changed before", async (context) => {
  const { saved, wait, say } = resting(context);
  for (let i = 0; i < 6; i++) {
    saved.keepSoon();
    assert.equal(await wait(4_000), 0);
  }
  assert.equal(await wait(1_000), 1);
  assert.equal(await wait(60_000), 1);
  assert.equal(await say("pagehide"), 1); // nothing is new
});

test("a new picture is stored at once when the document is saved, or the page is hidden or left", async (context) => {
  const { saved, page, say, wait } = resting(context);
  saved.keepSoon();
  assert.equal(await say("keydown", { key: "s" }), 0);
  assert.equal(await say("keydown", { key: "s", ctrlKey: true }), 1);
  assert.equal(await wait(60_000), 1);
  saved.keepSoon();
  assert.equal(await say("visibilitychange"), 1);
  page.hidden = true;
  assert.equal(await say("visibilitychange"), 2);
  saved.keepSoon();
  assert.equal(await say("pagehide"), 3);
  saved.keepSoon();
  saved.stop();
  assert.equal(await say("pagehide"), 3);
});
