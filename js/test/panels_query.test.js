import assert from "node:assert/strict";
import test from "node:test";
import { nameIn, valueIn, wordAt } from "../src/panels/filters/query_word.js";

/** The word at the sign |, as [typed, column]; null where none can stand. */
function at(text) {
  const word = wordAt(text.replace("|", ""), text.indexOf("|"));
  return word === null ? null : [word.text, word.column, word.start];
}

test("a name can stand at the start, after an operator and after a bracket", () => {
  assert.deepEqual(at("n_c|"), ["n_c", "", 0]);
  assert.deepEqual(at("a > 1 and sc|"), ["sc", "", 10]);
  assert.deepEqual(at("not (HLA-|"), ["HLA-", "", 5]);
  assert.deepEqual(at("`pct m|"), ["pct m", "", 0]);
  assert.deepEqual(at("n_counts > n_|genes"), ["n_", "", 11]);
});

test("a category can stand after ==, != and in [", () => {
  assert.deepEqual(at("cell_type == |"), ["", "cell_type", 13]);
  assert.deepEqual(at("cell_type=='B c|"), ["B c", "cell_type", 11]);
  assert.deepEqual(at('`cell type` != "NK|'), ["NK", "cell type", 15]);
  assert.deepEqual(at("a > 1 and donor in ['D1', 'D|"), ["D", "donor", 26]);
  assert.deepEqual(at("donor not in [|"), ["", "donor", 14]);
});

test("neither is completed where an operator or a number is expected", () => {
  for (const text of ["n_counts |", "cell_type == 'B' |", "cell_type == 'B' a|", "n_counts > 5|", "(a > 1) |"])
    assert.equal(at(text), null, text);
  assert.equal(at("n_counts > 'a|"), null);
});

test("names get backticks where they are no plain word of the grammar", () => {
  assert.deepEqual(["score", "données", "HLA-A", "score 2", "1st", "class", "and"].map(nameIn), [
    "score",
    "données",
    "`HLA-A`",
    "`score 2`",
    "`1st`",
    "`class`",
    "`and`",
  ]);
  assert.equal(nameIn("a`b"), "");
});

test("a category is a text of the grammar, whatever signs it has", () => {
  assert.equal(valueIn("B cell"), "'B cell'");
  assert.equal(valueIn("it's odd"), `"it's odd"`);
  assert.equal(valueIn(`'"`), `"'\\""`);
  assert.equal(valueIn("a\\b"), '"a\\\\b"');
});
