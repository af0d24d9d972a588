import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { aboutOf, askForLandmarks, known } from "../src/panels/overlays/landmark_requests.js";
import { fitted, HIGH_PX, nameAt, place } from "../src/panels/overlays/name_places.js";
import { fit, zoomAt } from "../src/screen/camera.js";
import { createStore } from "../src/state/state.js";

const { plot, cases } = JSON.parse(readFileSync(new URL("../../tests/names.json", import.meta.url), "utf8"));

/** One px a data unit, from the top left. */
const CAMERA = {
  x: plot.width / 2,
  y: plot.height / 2,
  unitsPerPx: 1,
  stretch: 1,
  ...plot,
  up: /** @type {-1} */ (-1),
};

for (const { says, at, widths, placed } of cases) {
  test(`of names on a plot: ${says}`, () => {
    const found = place(at.flat(), CAMERA, (i) => widths[i]);
    assert.deepEqual(
      found.map(({ i, x, y }) => [i, x, y]),
      placed,
    );
  });
}

/** Numbers from 0 to 1 that look random. @param {number} seed */
function numbers(seed) {
  let at = seed;
  return () => (at = (at * 16_807) % 2_147_483_647) / 2_147_483_647;
}

test("at no zoom do two names lie on each other, none sticks out, and the largest in view is there", () => {
  const next = numbers(7);
  const n = 400;
  const xy = Float64Array.from({ length: 2 * n }, () => next() * next() * 10);
  const widths = Array.from({ length: n }, () => 20 + 200 * next());
  let most = 0;
  for (let trial = 0; trial < 200; trial++) {
    const camera = zoomAt(
      fit([0, 10, 0, 10], 800, 600, trial % 2 === 0),
      1.1 ** (trial % 60),
      800 * next(),
      600 * next(),
    );
    const placed = place(xy, camera, (i) => widths[i]);
    most = Math.max(most, placed.length);
    placed.forEach((one, at) => {
      assert.ok(one.x - one.width / 2 >= 0 && one.x + one.width / 2 <= 800 && one.y >= 8 && one.y <= 592);
      for (const other of placed.slice(at + 1)) {
        const isApart =
          Math.abs(one.y - other.y) >= HIGH_PX || 2 * Math.abs(one.x - other.x) >= one.width + other.width;
        assert.ok(isApart, `${one.i} and ${other.i} lie on each other`);
      }
    });
    const inView = Array.from({ length: n }, (_, i) => i).find(
      (i) => place(xy.slice(2 * i, 2 * i + 2), camera, () => widths[i])[0],
    );
    assert.equal(placed[0]?.i, inView);
  }
  assert.ok(most > 20);
});

test("closer by, more names have room", () => {
  const xy = Float64Array.from(
    { length: 200 },
    (_, i) => 5 + (i % 2 === 0 ? Math.floor(i / 2) % 10 : Math.floor(i / 20)) / 10,
  );
  const whole = fit([0, 10, 0, 10], 800, 600, false);
  const [far, near] = [whole, zoomAt(whole, 8, 430, 270)].map((camera) => place(xy, camera, () => 60).length);
  assert.ok(near > 2 * far);
});

test("a click finds the name under it", () => {
  const placed = place([100, 100, 200, 100], CAMERA, () => 50);
  assert.deepEqual(
    [nameAt(placed, 110, 104), nameAt(placed, 200, 93), nameAt(placed, 150, 100), nameAt([], 1, 1)],
    [0, 1, -1, -1],
  );
});

test("a name that is too long ends in an ellipsis, and is one line", () => {
  const widthOf = (/** @type {string} */ text) => 10 * [...text].length;
  assert.equal(fitted("B cell", 60, widthOf), "B cell");
  assert.equal(fitted("memory B cell", 80, widthOf), "memory…");
  assert.equal(fitted("two\n lines ", 200, widthOf), "two lines");
  assert.ok(widthOf(fitted("x".repeat(100_000), 200, widthOf)) <= 200);
});

/** @param {any} traits */
function started(traits) {
  /** @type {any[]} */
  const asked = [];
  const state = {
    traits: { labels: null, contours: null, filters: [], ...traits },
    panel: 0,
    points: { seq: 1 },
    filter: { seq: 0, n: null },
    labels: null,
    contours: null,
    link: "live",
    isSeen: false,
  };
  const store = createStore(/** @type {any} */ (state));
  const ask = async (/** @type {any} */ question) => {
    asked.push(question);
    return [{ kind: question.kind, column: question.column, sets: question.sets, points_seq: store.get().points?.seq }];
  };
  for (let plots = 0; plots < 2; plots++) askForLandmarks(store, /** @type {any} */ ({ ask }));
  const set = async (/** @type {any} */ change) => (store.set(change), await new Promise((done) => setTimeout(done)));
  return { asked, store, set };
}

test("two plots of a widget ask once, after the first picture, and again after each change of column, points and filters", async () => {
  const { asked, store, set } = started({ labels: "cell_type" });
  assert.deepEqual(asked, []);
  await set({ isSeen: true });
  assert.deepEqual(asked, [{ kind: "labels", panel: 0, column: "cell_type", filters: [] }]);
  assert.equal(known(store.get(), "labels"), store.get().labels);
  await set({ selection: { seq: 5, n: 3 } });
  assert.equal(asked.length, 1);
  await set({ filter: { seq: 1, n: 5 } });
  await set({ traits: { ...store.get().traits, filters: [{ obs: "donor", in: ["d1"] }] } });
  assert.deepEqual([asked.length, asked[2].filters], [3, [{ obs: "donor", in: ["d1"] }]]);
  await set({ traits: { ...store.get().traits, contours: true } });
  assert.deepEqual([asked.length, asked[3].kind, asked[3].column], [4, "contours", ""]);
});

test("overlays of other points or another column are not drawn, and unused ones are dropped", async () => {
  const { store, set } = started({ labels: "cell_type", contours: "donor" });
  await set({ isSeen: true });
  const { labels, contours } = store.get();
  store.set({ link: "offline", points: /** @type {any} */ ({ seq: 2 }) });
  assert.equal(known(store.get(), "labels"), null);
  store.set({
    points: /** @type {any} */ ({ seq: 1 }),
    traits: /** @type {any} */ ({ labels: "donor", contours: "donor", filters: [] }),
  });
  assert.deepEqual([known(store.get(), "labels"), known(store.get(), "contours")], [null, contours]);
  assert.equal(store.get().labels, labels);
  store.set({ traits: /** @type {any} */ ({ labels: null, contours: null, filters: [] }) });
  assert.deepEqual([store.get().labels, store.get().contours], [null, null]);
});

test("sets are requested again after each step, which may change their cells, and columns are not", async () => {
  const { asked, store, set } = started({ difference: ["a", "b"], labels: "cell_type", steps: { n: 1 } });
  await set({ isSeen: true });
  assert.deepEqual(asked[1], { kind: "difference", panel: 0, sets: ["a", "b"], filters: [] });
  assert.equal(known(store.get(), "difference"), store.get().difference);
  const { traits } = store.get();
  await set({ traits: { ...traits, steps: { ...traits.steps, n: 2 } } });
  assert.deepEqual(
    asked.slice(2).map(({ kind }) => kind),
    ["difference"],
  );
  await set({ traits: { ...store.get().traits, difference: ["b", "a"] } });
  assert.deepEqual(asked[3].sets, ["b", "a"]);
});

test("contours of all cells are requested by True", () => {
  const of = (/** @type {any} */ contours) => aboutOf(/** @type {any} */ ({ traits: { contours } }), "contours");
  assert.deepEqual([of(true), of("donor"), of(null), of(false)], [{ column: "" }, { column: "donor" }, null, null]);
  assert.deepEqual(of(["a", "b"]), { column: "", sets: ["a", "b"] });
});
