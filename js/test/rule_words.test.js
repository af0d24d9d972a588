// Rules in words: the same as in the kernel, expected by hand in rule_words.json.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { FORMS } from "../src/words/rule_forms.js";
import { describeFilters } from "../src/words/rule_words.js";

const { cases } = JSON.parse(readFileSync(new URL("../../tests/rule_words.json", import.meta.url), "utf8"));

for (const { says, rule, words } of cases) {
  test(`a rule in words: ${says}`, () => assert.equal(describeFilters([rule]), words));
}

test("each form of a rule has a case", () => {
  const names = Object.keys(FORMS);
  assert.deepEqual(
    names.filter((name) => !cases.some(({ rule }) => name in rule)),
    [],
  );
});
