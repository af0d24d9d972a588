import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { holdsCells, imageOnShow, questionOf } from "../src/picture/question.js";
import { createViewRequester } from "../src/picture/view_request.js";
import { createViewports } from "../src/picture/viewports.js";
import { fit, visible } from "../src/screen/camera.js";
import { createScene } from "../src/state/scene.js";

const EXTENT = /** @type {[number, number, number, number]} */ ([0, 10, 0, 10]);
const TRAITS = { hidden: ["B cell"], density: "log" };

const state = (change = {}) =>
  /** @type {any} */ ({
    points: { seq: 1, aggregated: true, extent: EXTENT },
    color: {
      seq: 2,
      scale: "categorical",
      categories: ["B cell", "T cell", "NK cell"],
      colors: ["#ff0000", "#00ff00", "#0000ff"],
    },
    nextColor: null,
    selection: { seq: 3, n: 0 },
    filter: { seq: -1, n: null },
    crowd: { weight: 0.25 },
    highlighted: -1,
    link: "live",
    traits: TRAITS,
    ...change,
  });

function viewportOf(width = 400, height = 400, { ratio = 1, yDown = false } = {}) {
  const camera = fit(EXTENT, width, height, yDown);
  return { camera, view: visible(camera), ratio, diameter: 2, dark: false };
}

/** A requester whose kernel answers when the test says so. */
function start() {
  mock.timers.enable({ apis: ["setTimeout"] });
  /** @type {any[]} */
  const closed = [];
  globalThis.createImageBitmap = /** @type {any} */ (
    async (/** @type {Blob} */ blob) => {
      const name = await blob.text();
      if (name === "broken") throw new Error("not a picture");
      return { width: 1, name, close: () => closed.push(name) };
    }
  );
  let now = state();
  const scene = createScene();
  /** @type {{question: any, answer: (parts: any) => void}[]} */
  const asked = [];
  const viewports = createViewports();
  const requester = createViewRequester(
    scene,
    () => now,
    viewports,
    (question) => new Promise((answer) => asked.push({ question, answer })),
  );
  const settle = async (ms = 20) => {
    for (let i = 0; i < 20; i++) await Promise.resolve();
    await new Promise((done) => setImmediate(done));
    mock.timers.tick(ms);
    await new Promise((done) => setImmediate(done));
  };
  return {
    scene,
    asked,
    requester,
    closed,
    settle,
    see: (/** @type {object} */ plot, /** @type {any} */ viewport, refresh = () => {}) => (
      viewports.see(plot, viewport, refresh), requester.check()
    ),
    set: (/** @type {any} */ change) => ((now = { ...now, ...change }), requester.check()),
    stop: () => (requester.destroy(), mock.timers.reset()),
  };
}

const image = (name = "a", change = {}) => [
  {
    kind: "image",
    points_seq: 1,
    seq: 2,
    selection_seq: 3,
    view: [0, 1, 0, 1],
    content: "colors",
    n_inside: 5,
    arrays: { png: Buffer.from(name) },
    ...change,
  },
];

test("a request covers all views, at the finest of their resolutions", () => {
  const [wide, fine] = [viewportOf(800, 400), viewportOf(200, 200, { ratio: 2 })];
  const question = questionOf([wide, fine], state());
  assert.deepEqual(question.view.slice(0, 2), [
    Math.min(wide.view[0], fine.view[0]),
    Math.max(wide.view[1], fine.view[1]),
  ]);
  const perPx = Math.min(wide.camera.unitsPerPx, fine.camera.unitsPerPx / 2);
  assert.equal(question.width, Math.round((question.view[1] - question.view[0]) / perPx));
  assert.equal(question.height, Math.round((question.view[3] - question.view[2]) / perPx));
});

test("a question of one view has the pixels of its canvas", () => {
  for (const [width, height, ratio] of [
    [640, 480, 1],
    [333.4, 217.7, 1.5],
    [801, 599, 2],
  ]) {
    const question = questionOf([viewportOf(width, height, { ratio })], state());
    assert.deepEqual([question.width, question.height], [Math.round(width * ratio), Math.round(height * ratio)]);
  }
});

test("where the axes have units of their own a question has the pixels of its canvas, and of two canvases the finer ones along each axis", () => {
  const own = (/** @type {number} */ width, /** @type {number} */ height, /** @type {number} */ ratio) => {
    const camera = fit([0, 60, 200, 2000], width, height, false, false);
    return { camera, view: visible(camera), ratio, diameter: 2, dark: false };
  };
  const [wide, high] = [own(800, 300, 1), own(300, 400, 2)];
  const alone = questionOf([wide], state());
  assert.deepEqual([alone.width, alone.height], [800, 300]);
  assert.deepEqual(
    alone.view.map((edge) => Math.round(edge * 1e9) / 1e9),
    [-2.4, 62.4, 128, 2072],
  );
  const both = questionOf([wide, high], state());
  assert.deepEqual([both.width, both.height], [800, 800]);
});

test("where y points down a question has its bottom above its top", () => {
  const { view } = questionOf([viewportOf(400, 300, { yDown: true }), viewportOf(300, 400, { yDown: true })], state());
  assert.ok(view[2] > view[3]);
  assert.ok(view[2] >= 10 && view[3] <= 0);
});

test("a request contains settings that hosts may deliver to the kernel late", () => {
  const { hidden, density } = questionOf([viewportOf()], state());
  assert.deepEqual({ hidden, density }, TRAITS);
});

test("only requests for numbers contain how numbers of a pixel combine", () => {
  assert.equal(questionOf([viewportOf()], state()).weight, 0);
  assert.equal(questionOf([viewportOf()], state({ color: { seq: 2, scale: "continuous" } })).weight, 0.25);
});

test("requests contain the cells per px if opacity follows density", () => {
  const random = (/** @type {number} */ i) => Math.abs((Math.sin(i + 1) * 43_758.5453) % 1);
  const xy = Uint16Array.from({ length: 2_000 }, (_, i) => 30_000 + random(i) * 2_560);
  const scene = { ...createScene(), points: { n: 1_000, loaded: 1_000, xy } };
  const traits = { hidden: [], density: "eq_hist", filtered: "hide", opacity: null };
  const points = { seq: 1, aggregated: true, extent: EXTENT, nObs: 1_000_000, nPoints: 1_000 };
  const asked = (change = {}, size = 400) => {
    const question = questionOf([viewportOf(size, size)], state({ traits, points, ...change }), scene);
    return [question.layers, (question.view[1] - question.view[0]) / question.width];
  };
  const [layers, unitsPerPx] = asked();
  const expected = (1_000_000 / (2_560 / 65_534) ** 2) * (unitsPerPx / 10) ** 2;
  assert.ok(Math.abs(layers - expected) < 0.15 * expected, `${layers} for ${expected}`);
  assert.ok(Math.abs(asked({}, 800)[0] - layers / 4) < 0.01 * layers);
  for (const change of [
    { selection: { seq: 3, n: 5 } },
    { color: { seq: 2, scale: "continuous" } },
    { traits: { ...traits, opacity: 0.5 } },
  ])
    assert.equal(asked(change)[0], 0);
});

test("a highlight is requested unless its category is hidden", () => {
  assert.equal(questionOf([viewportOf()], state({ highlighted: 1 })).highlighted, 1);
  assert.equal(questionOf([viewportOf()], state({ highlighted: 0 })).highlighted, -1);
});

test("cells count where they are of what is on show, around all that is seen and precise", () => {
  const { camera, view } = viewportOf();
  const key = "1 2 3 -1";
  const holds = (/** @type {any} */ cells, /** @type {any} */ now = state()) =>
    holdsCells(/** @type {any} */ ({ cells }), now, [{ camera, view, ratio: 1 }]);
  assert.equal(holds(null), false);
  assert.equal(holds({ key, extent: [-2, 12, -2, 12] }), true);
  assert.equal(holds({ key, extent: [2, 12, -2, 12] }), false);
  assert.equal(holds({ key, extent: [-1e4, 1e4, -2, 12] }), false); // one code takes more than a pixel
  for (const change of [
    { points: { seq: 2 } },
    { color: { seq: 3 } },
    { selection: { seq: 4 } },
    { filter: { seq: 4, n: 1 } },
  ]) {
    assert.equal(holds({ key, extent: [-2, 12, -2, 12] }, state(change)), false);
  }
});

test("an image of other points or of another coloring is not displayed", () => {
  const scene = /** @type {any} */ ({ image: { pointsSeq: 1, seq: 2 } });
  assert.equal(imageOnShow(scene, state()), scene.image);
  assert.equal(imageOnShow(scene, state({ points: { seq: 2 } })), null);
  assert.equal(imageOnShow(scene, state({ color: { seq: 3 } })), null);
  assert.equal(imageOnShow(scene, state({ color: null })), null);
});

test("a plot that draws at once is notified beforehand that no request is open", async () => {
  const s = start();
  /** @type {boolean[]} */
  const awaited = [];
  s.see({}, viewportOf(), () => awaited.push(s.requester.isAwaited()));
  await s.settle();
  s.asked[0].answer(image());
  await s.settle();
  assert.deepEqual(awaited, [false]);
  s.stop();
});

test("a plot is notified that no request is open if a response is missing and its view is available again", async () => {
  const s = start();
  const plot = {};
  /** @type {boolean[]} */
  const awaited = [];
  const see = (/** @type {number} */ width) =>
    s.see(plot, viewportOf(width), () => awaited.push(s.requester.isAwaited()));
  see(400);
  await s.settle();
  s.asked[0].answer(image());
  await s.settle();
  see(300);
  await s.settle();
  see(400);
  awaited.length = 0;
  s.asked[1].answer(null);
  await s.settle();
  assert.deepEqual(awaited, [false]);
  s.stop();
});

test("one request at a time, then one for the view at that time", async () => {
  const s = start();
  const plot = {};
  s.see(plot, viewportOf(400));
  await s.settle();
  for (const width of [300, 200, 100]) {
    s.see(plot, viewportOf(width));
    await s.settle();
  }
  assert.deepEqual(
    s.asked.map(({ question }) => question.width),
    [400],
  );
  assert.equal(s.requester.isAwaited(), true);
  s.asked[0].answer(image("first"));
  await s.settle();
  assert.deepEqual(
    s.asked.map(({ question }) => question.width),
    [400, 100],
  );
  s.asked[1].answer(image("second"));
  await s.settle();
  assert.equal(s.asked.length, 2);
  assert.equal(s.requester.isAwaited(), false);
  assert.deepEqual(s.closed, ["first"]);
  s.stop();
});

test("while the kernel indexes the cells a question that has waited gives way to another one, and its late answer counts for nothing", async () => {
  for (const building of [{ of: "index", done: 0.3 }, null]) {
    const s = start();
    const plot = {};
    s.set({ building });
    s.see(plot, viewportOf(400));
    await s.settle();
    s.see(plot, viewportOf(300));
    await s.settle();
    assert.deepEqual(
      s.asked.map(({ question }) => question.width),
      [400],
    ); // it has not waited long
    await s.settle(600);
    await s.settle();
    assert.deepEqual(
      s.asked.map(({ question }) => question.width),
      building === null ? [400] : [400, 300],
    );
    s.asked[0].answer(null);
    await s.settle(3_000);
    await s.settle();
    assert.equal(s.asked.length, 2);
    assert.equal(s.requester.isAwaited(), true);
    s.asked[1].answer(image("second"));
    await s.settle();
    assert.equal(s.scene.image?.bitmap.name, "second");
    assert.equal(s.requester.isAwaited(), false);
    await s.settle(5_000);
    assert.equal(s.asked.length, 2);
    s.stop();
  }
});

test("no request is sent for an image that would not be drawn", async () => {
  for (const change of [
    { link: "offline" },
    { points: { seq: 1, aggregated: false } },
    { nextColor: { seq: 4 } },
    { color: null },
  ]) {
    const s = start();
    s.set(change);
    s.see({}, viewportOf());
    await s.settle();
    assert.equal(s.asked.length, 0, JSON.stringify(change));
    assert.equal(s.requester.isAwaited(), false);
    s.stop();
  }
});

test("an image that the kernel cannot draw is requested once, and again after a change", async () => {
  const s = start();
  s.see({}, viewportOf());
  await s.settle();
  s.requester.fail();
  s.asked[0].answer(null);
  for (let i = 0; i < 5; i++) {
    await s.settle(10_000);
    s.set({ cell: i });
  }
  assert.equal(s.asked.length, 1);
  assert.equal(s.requester.isAwaited(), false);
  s.set({ highlighted: 1 });
  await s.settle();
  assert.equal(s.asked.length, 2);
  s.asked[1].answer(image());
  await s.settle();
  assert.equal(s.scene.image?.nInside, 5);
  s.stop();
});

test("a request without a response is sent again after a while", async () => {
  const s = start();
  s.see({}, viewportOf());
  await s.settle();
  s.asked[0].answer(null);
  await s.settle(1_000);
  assert.equal(s.asked.length, 1);
  await s.settle(1_500);
  await s.settle();
  assert.equal(s.asked.length, 2);
  s.stop();
});

test("a picture that is none does not end the talk", async () => {
  const s = start();
  s.see({}, viewportOf());
  await s.settle();
  s.asked[0].answer(image("broken"));
  await s.settle();
  assert.equal(s.scene.image, null);
  assert.equal(s.requester.isAwaited(), false);
  s.set({ highlighted: 2 });
  await s.settle();
  s.asked[1].answer(image("good"));
  await s.settle();
  assert.equal(/** @type {any} */ (s.scene.image)?.bitmap.name, "good");
  s.stop();
});

test("an image of something that is not displayed is dropped, and the current one stays", async () => {
  for (const other of [{ seq: 9 }, { points_seq: 9 }]) {
    const s = start();
    s.see({}, viewportOf());
    await s.settle();
    s.asked[0].answer(image("shown"));
    await s.settle();
    s.set({ highlighted: 1 });
    await s.settle();
    s.asked[1].answer(image("early", other));
    await s.settle();
    assert.equal(/** @type {any} */ (s.scene.image)?.bitmap.name, "shown");
    assert.equal(s.asked.length, 2);
    s.set({ color: { seq: 10 } });
    await s.settle();
    assert.equal(s.asked.length, 3);
    s.stop();
  }
});

test("a portrait waits for its turn and is the caller's", async () => {
  const s = start();
  s.see({}, viewportOf());
  await s.settle();
  const portrait = s.requester.portray(viewportOf(400, 400, { ratio: 3 }));
  await s.settle();
  assert.equal(s.asked.length, 1);
  s.asked[0].answer(image("view"));
  await s.settle();
  assert.equal(s.asked[1].question.width, 1200);
  s.asked[1].answer(image("portrait"));
  assert.equal(/** @type {any} */ (await portrait)?.bitmap.name, "portrait");
  assert.equal(/** @type {any} */ (s.scene.image)?.bitmap.name, "view");
  assert.deepEqual(s.closed, []);
  s.stop();
});

test("after closing no request is sent and nothing is cached", async () => {
  const s = start();
  s.see({}, viewportOf());
  await s.settle();
  s.requester.destroy();
  s.asked[0].answer(image());
  await s.settle(10_000);
  assert.equal(s.scene.image, null);
  assert.equal(s.asked.length, 1);
  s.stop();
});

test("an image in parts is made of all of them", async () => {
  const { scene, asked, see, settle, stop } = start();
  see({}, viewportOf());
  await settle();
  asked[0].answer([...image("whole "), ...image("picture")]);
  await settle();
  assert.equal(/** @type {any} */ (scene.image).bitmap.name, "whole picture");
  stop();
});
