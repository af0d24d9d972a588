import assert from "node:assert/strict";
import { test } from "node:test";
import { createSavedPictures } from "../src/plot/saved_pictures.js";
import { createStore } from "../src/state/state.js";

const PICTURE = /** @type {any} */ ({ width: 3 });

function start() {
  const store = createStore(
    /** @type {any} */ ({ link: "live", pictures: null, needsPanels: false, keepsPicture: false }),
  );
  const saved = createSavedPictures(/** @type {any} */ ({ store }));
  const pictures = () => ({
    figure: async (/** @type {number} */ scale) => ({ ...PICTURE, scale }),
    keep: async () => {},
  });
  return { store, saved, pictures };
}

test("a picture that is asked for waits for what draws it, and says that it does", async () => {
  const { store, saved, pictures } = start();
  const picture = saved.figure(2);
  assert.equal(store.get().needsPanels, true);
  store.set({ pictures });
  assert.deepEqual(await picture, { width: 3, scale: 2 });
  store.set({ link: "offline" });
  assert.deepEqual(await saved.figure(1), { width: 3, scale: 1 }); // what is here stays
});

test("where what draws it cannot be had, that is said", async () => {
  const { store, saved } = start();
  const picture = saved.figure(2);
  store.set({ needsPanels: false });
  await assert.rejects(picture, /could not be loaded/);
  store.set({ link: "offline" });
  await assert.rejects(saved.figure(2), /could not be loaded/);
});
