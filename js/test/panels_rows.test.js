import assert from "node:assert/strict";
import { test } from "node:test";
import { listed, ROW_PX, rowAfterKey, scrollTo, windowOf } from "../src/page/parts/legend_rows.js";
import { splitMatch } from "../src/page/parts/marked.js";

test("the filter ignores case and keeps the given order", () => {
  assert.deepEqual(listed(["B cell", "T cell", "b-like", "NK"], [1, 2, 3, 4], " B ", false), [0, 2]);
  assert.deepEqual(listed(["a", "b", "c"], [5, 9, 5], "", true), [1, 0, 2]);
  assert.deepEqual(listed(["a", "b", "c"], [], "", true), [0, 1, 2]); // not counted yet
});

test("every row in sight is drawn, and never many more", () => {
  const nRows = 1101;
  for (let scroll = 0; scroll <= nRows * ROW_PX - 300; scroll += 7) {
    const { start, stop } = windowOf(nRows, scroll, 300);
    assert.ok(start >= 0 && stop <= nRows);
    assert.ok(start * ROW_PX <= scroll, `top of ${scroll}`);
    assert.ok(stop * ROW_PX >= Math.min(scroll + 300, nRows * ROW_PX), `bottom of ${scroll}`);
    assert.ok(stop - start < 30);
  }
});

test("a short list is drawn whole, also when it was scrolled while longer", () => {
  assert.deepEqual(windowOf(5, 0, 300), { start: 0, stop: 5 });
  assert.deepEqual(windowOf(5, 20_000, 300), { start: 0, stop: 5 });
  assert.deepEqual(windowOf(0, 0, 300), { start: 0, stop: 0 });
});

test("scrolling to a row moves no further than needed", () => {
  assert.equal(scrollTo(0, 100, 240), 0);
  assert.equal(scrollTo(5, 100, 240), 100);
  assert.equal(scrollTo(20, 100, 240), 21 * ROW_PX - 240);
});

test("keys move within the list", () => {
  assert.deepEqual(
    ["ArrowDown", "ArrowUp", "Home", "End", "PageDown", "PageUp"].map((key) => rowAfterKey(key, 3, 10, 4)),
    [4, 2, 0, 9, 7, 0],
  );
  assert.equal(rowAfterKey("ArrowDown", 9, 10), 9);
  assert.equal(rowAfterKey("ArrowUp", -1, 10), 9);
  assert.equal(rowAfterKey("x", 3, 10), null);
});

test("the parts of a match spell the text", () => {
  assert.deepEqual(splitMatch("CD3E", "d3"), [
    { text: "C", hit: false },
    { text: "D3", hit: true },
    { text: "E", hit: false },
  ]);
  for (const [text, query] of [
    ["abc", ""],
    ["", "x"],
    ["İstanbul", "s"],
    ["<b>", "b"],
    ["aaa", "aaa"],
  ]) {
    assert.equal(
      splitMatch(text, query)
        .map((part) => part.text)
        .join(""),
      text,
    );
  }
});
