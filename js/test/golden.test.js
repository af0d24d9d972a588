/** The kernel's own examples of its messages, read as the front-end reads them. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { decode } from "../src/wire/decode.js";
import { REPLY_ARRAYS } from "../src/wire/protocol.js";

const folder = new URL("../../tests/golden/", import.meta.url);
const documents = readdirSync(folder)
  .filter((name) => name.endsWith(".json"))
  .map((name) => JSON.parse(readFileSync(new URL(name, folder), "utf8")));
const replies = documents.filter(({ content }) => content !== undefined);

test("there is an example of each message of the kernel", () => {
  assert.deepEqual(new Set(replies.map(({ content }) => content.kind)), new Set(Object.keys(REPLY_ARRAYS)));
});

for (const offset of [0, 1]) {
  for (const { name, content, buffers, expected } of replies) {
    test(`${name} is read at byte offset ${offset}`, () => {
      const views = (buffers ?? []).map((/** @type {string} */ text) => {
        const bytes = Buffer.from(text, "base64");
        const padded = new Uint8Array(bytes.length + offset);
        padded.set(bytes, offset);
        return new DataView(padded.buffer, offset);
      });
      const { arrays, ...fields } = /** @type {any} */ (decode(content, views));
      const { arrays: _, ...sent } = content;
      assert.deepEqual(fields, sent);
      const numbers = Object.fromEntries(
        Object.entries(arrays).map(([key, array]) => [key, [.../** @type {any} */ (array)]]),
      );
      assert.deepEqual(numbers, expected ?? {});
    });
  }
}
