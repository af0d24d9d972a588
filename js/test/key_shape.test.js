import assert from "node:assert/strict";
import { test } from "node:test";
import { createKeyShape } from "../src/panels/keyboard_shape.js";
import { createKeyShape as createAwaited } from "../src/plot/keyboard_shape_loader.js";

const SIZE = { clientWidth: 400, clientHeight: 300 };
const CENTRE = [200, 150];
/** Data units of a place of the plot. @param {number} x @param {number} y @returns {[number, number]} */
const at = (x, y) => [x / 8, -y / 8];

/** @param {"lasso" | "rectangle" | "pan"} tool */
function start(tool) {
  const seen = {
    sent: /** @type {any[]} */ ([]),
    said: /** @type {string[]} */ ([]),
    outline: /** @type {any} */ (null),
  };
  const now = { tool };
  const meaning = /** @type {any} */ ({
    state: () => ({ link: "live", traits: { tool: now.tool } }),
    toData: at,
    leave() {},
    say: (/** @type {string} */ sentence) => seen.said.push(sentence),
    outline: (/** @type {any} */ shape) => (seen.outline = shape?.corners() ?? null),
    select: (/** @type {number[]} */ polygon, /** @type {string} */ mode) => seen.sent.push([polygon, mode]),
  });
  const drawing = createKeyShape(/** @type {any} */ (SIZE), meaning);
  /** "3 ArrowUp" is three of them, "Shift+" and "Alt+" hold keys. @param {...string} keys */
  const press = (...keys) =>
    keys.map((one) => {
      const [, times, held, key] = /** @type {string[]} */ (/^(?:(\d+) )?((?:\w+\+)*)(.+)$/.exec(one));
      let taken = false;
      for (let i = 0; i < Number(times ?? 1); i++)
        taken = drawing.press({ key, shiftKey: held.includes("Shift"), altKey: held.includes("Alt") });
      return taken;
    });
  return { seen, press, now };
}

const [x, y] = CENTRE;
const TRIANGLE = ["Enter", "Enter", "5 ArrowRight", "Enter", "4 ArrowUp", "Shift+ArrowLeft", "Enter"];
const CORNERS = [...at(x, y), ...at(x + 50, y), ...at(x + 49, y - 40)];

test("a polygon has its corners where the cursor stood, and closes where it began", () => {
  const { seen, press } = start("lasso");
  press(...TRIANGLE, "4 ArrowDown", "4 ArrowLeft", "9 Shift+ArrowLeft", "Enter");
  assert.deepEqual(seen.sent, [[CORNERS, "replace"]]);
  assert.equal(seen.outline, null);
});

test("it also closes by Enter twice at one place, and Space is as good", () => {
  const { seen, press } = start("lasso");
  press(...TRIANGLE.map((key, i) => (key === "Enter" && i > 0 ? " " : key)), " ");
  assert.deepEqual(seen.sent, [[CORNERS, "replace"]]);
});

test("a rectangle has two corners", () => {
  const { seen, press } = start("rectangle");
  press("Enter", "Enter", "3 ArrowRight", "2 ArrowDown", "Enter");
  const [[x0, y0], [x1, y1]] = [at(x, y), at(x + 30, y + 20)];
  assert.deepEqual(seen.sent, [[[x0, y0, x1, y0, x1, y1, x0, y1], "replace"]]);
});

for (const [held, mode] of [
  ["Shift+", "add"],
  ["Alt+", "subtract"],
  ["Shift+Alt+", "intersect"],
])
  test(`${held} at the last corner chooses the mode "${mode}"`, () => {
    for (const tool of /** @type {const} */ (["lasso", "rectangle"])) {
      const { seen, press } = start(tool);
      press(...TRIANGLE.slice(0, tool === "lasso" ? undefined : 3), "5 ArrowDown", `${held}Enter`, `${held}Enter`);
      assert.equal(seen.sent[0][1], mode);
    }
  });

test("Backspace takes the last corner back", () => {
  const { seen, press } = start("lasso");
  press("Enter", "Enter", "7 ArrowDown", "Enter", "Backspace", "7 ArrowUp", "5 ArrowRight", "Enter");
  press("4 ArrowUp", "Shift+ArrowLeft", "Enter", "Enter");
  assert.deepEqual(seen.sent, [[CORNERS, "replace"]]);
});

test("Escape drops the shape, and then has its usual meaning", () => {
  const { seen, press } = start("lasso");
  assert.deepEqual(press(...TRIANGLE, "Escape", "Escape"), [...TRIANGLE.map(() => true), true, false]);
  assert.deepEqual([seen.sent, seen.outline], [[], null]);
});

test("a shape without area is not sent, and the sentence says why", () => {
  const polygon = start("lasso");
  polygon.press("Enter", "Enter", "5 ArrowRight", "Enter", "Enter");
  const rectangle = start("rectangle");
  rectangle.press("Enter", "Enter", "5 ArrowRight", "Enter");
  assert.deepEqual([polygon.seen.sent, rectangle.seen.sent], [[], []]);
  assert.equal(polygon.seen.said.at(-1), "A polygon needs at least three corners.");
  assert.equal(rectangle.seen.said.at(-1), "The rectangle is too thin.");
});

test("every step is announced with its position in data units", () => {
  const { seen, press } = start("lasso");
  press("Enter", "Enter", "ArrowRight", "Enter");
  assert.match(seen.said[0], /^Drawing a polygon, at 25, -18.75\. /);
  assert.deepEqual(seen.said.slice(1), ["Corner 1 at 25, -18.75.", "26.25, -18.75", "Corner 2 at 26.25, -18.75."]);
});

test("the cursor stays on the plot", () => {
  const { seen, press } = start("lasso");
  press("Enter", "99 ArrowLeft", "99 ArrowUp");
  assert.deepEqual(seen.outline, at(0, 0));
});

test("with the tool that moves no shape begins, and another tool ends one", () => {
  const moving = start("pan");
  assert.deepEqual(moving.press("Enter", "ArrowLeft"), [false, false]);
  const { seen, press, now } = start("lasso");
  press("Enter");
  now.tool = "pan";
  assert.deepEqual(press("ArrowLeft"), [false]);
  assert.equal(seen.outline, null);
});

/** @param {string} [tool] @param {string} [link] */
function startAwaited(tool = "rectangle", link = "live") {
  const seen = { pressed: /** @type {string[]} */ ([]), asked: 0 };
  const now = { keyShape: /** @type {any} */ (null), tool };
  const meaning = /** @type {any} */ ({
    state: () => ({ link, traits: { tool: now.tool }, keyShape: now.keyShape }),
    needKeyShape: () => void seen.asked++,
  });
  const awaited = createAwaited(/** @type {any} */ (SIZE), meaning, "Enter", ["ArrowUp", " "]);
  const press = (/** @type {string} */ key) => awaited.press({ key, shiftKey: key === " ", altKey: false });
  const come = () => {
    now.keyShape = () => ({
      press: (/** @type {any} */ { key, shiftKey }) => seen.pressed.push(`${shiftKey ? "Shift+" : ""}${key}`) > 0,
      cancel() {},
      refresh() {},
    });
    const { goOn } = awaited;
    goOn();
  };
  return { seen, now, awaited, press, come };
}

test("keys pressed before the module has loaded wait for it, in order", () => {
  const { seen, press, come } = startAwaited();
  assert.deepEqual(["ArrowUp", "Enter", "ArrowUp", "Tab", " "].map(press), [false, true, true, false, true]);
  assert.ok(seen.asked > 0);
  come();
  assert.deepEqual(seen.pressed, ["Enter", "ArrowUp", "Shift+ "]);
  press("ArrowUp");
  assert.equal(seen.pressed.length, 4);
});

test("no key waits for a shape that was given up, that cannot be had, or where none can be drawn", () => {
  for (const giveUp of ["escape", "cancel", "in vain"]) {
    const { seen, awaited, press, come } = startAwaited();
    press("Enter");
    if (giveUp === "escape") assert.equal(press("Escape"), true);
    else if (giveUp === "cancel") awaited.cancel();
    else awaited.goOn();
    assert.equal(press("ArrowUp"), false);
    come();
    assert.deepEqual(seen.pressed, []);
  }
  assert.equal(startAwaited("pan").press("Enter"), false);
  assert.equal(startAwaited("lasso", "offline").press("Enter"), false);
});
