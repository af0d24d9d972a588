import assert from "node:assert/strict";
import { test } from "node:test";
import { safeColor } from "../src/style/color.js";
import { counted, fileName, share, shortCount, shortNumber, wholeNumber } from "../src/words/format.js";

const plain = (/** @type {string} */ text) => text.replaceAll("\u00a0", " ");

test("counts show every digit below a million and two or three above", () => {
  assert.deepEqual([0, 7, 12_345, 999_999].map(shortCount), ["0", "7", "12,345", "999,999"]);
  assert.deepEqual(
    [1_000_000, 1_234_567, 9_940_000, 34_400_000, 999_400_000, 1_200_000_000].map(shortCount).map(plain),
    ["1.0 M", "1.2 M", "9.9 M", "34 M", "999 M", "1.2 B"],
  );
  assert.equal(wholeNumber(1_234_567), "1,234,567");
});

test("a share says 0 % and 100 % only when it is", () => {
  const shares = [
    [0, 10],
    [1, 1_000_000],
    [12, 1000],
    [1, 10],
    [99_999, 100_000],
    [10, 10],
    [0, 0],
  ];
  assert.deepEqual(
    shares.map(([n, total]) => plain(share(n, total))),
    ["0 %", "< 0.1 %", "1.2 %", "10 %", "> 99.9 %", "100 %", "0 %"],
  );
});

test("values keep four significant digits", () => {
  assert.deepEqual([0, 1, -1, 0.012345, 12.3456, 12_345.6, 1e-9, 2.5e12, NaN].map(shortNumber), [
    "0",
    "1",
    "-1",
    "0.01235",
    "12.35",
    "12,346",
    "1e-9",
    "2.5e12",
    "",
  ]);
});

test("one thing is not several", () => {
  const spectrum = { one: "spectrum", many: "spectra" };
  assert.deepEqual(
    [0, 1, 1200].map((n) => counted(n, spectrum)),
    ["0 spectra", "1 spectrum", "1,200 spectra"],
  );
});

test("a file name contains no path and is never empty", () => {
  assert.equal(fileName(["../a/b: c", null, "CD3E"]), "a_b_c-CD3E");
  assert.equal(fileName(["", "///"]), "picture");
  assert.equal(fileName(["PBMC - 38 donors (v2)", "HLA-DRA"]), "PBMC-38_donors_v2-HLA-DRA");
  assert.equal(fileName(["long ".repeat(90), "CD3E"]).length, 59 + 5); // no underscore before the hyphen
  assert.equal(fileName(["Zellen für α", undefined]), "Zellen_für_α");
});

test("only hex codes reach a style", () => {
  assert.equal(safeColor("#a1B2c3"), "#a1B2c3");
  for (const color of ["red;background:url(http://x)", "#12", "url(x)", "", undefined])
    assert.equal(safeColor(color), "#888888");
});
