import assert from "node:assert/strict";
import { test } from "node:test";
import { crc32, inflateSync } from "node:zlib";
import { palettePng } from "../src/panels/pictures/palette_png.js";

/** @param {number} width @param {number} height @param {(x: number, y: number) => number[]} colorAt */
function pictureOf(width, height, colorAt) {
  const data = new Uint8ClampedArray(4 * width * height);
  for (let i = 0; i < width * height; i++) data.set([...colorAt(i % width, Math.floor(i / width)), 255], 4 * i);
  return /** @type {any} */ ({ width, height, data });
}

/** Read a file by the specification, with the checks of a reader. @param {Blob | null} blob */
async function read(blob) {
  const bytes = Buffer.from(await /** @type {Blob} */ (blob).arrayBuffer());
  /** @type {Record<string, Buffer>} */
  const parts = {};
  for (let at = 8; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const [kind, data] = [bytes.toString("latin1", at + 4, at + 8), bytes.subarray(at + 8, at + 8 + length)];
    assert.equal(bytes.readUInt32BE(at + 8 + length), crc32(bytes.subarray(at + 4, at + 8 + length)));
    parts[kind] = data;
    at += 12 + length;
  }
  const [width, height] = [parts.IHDR.readUInt32BE(0), parts.IHDR.readUInt32BE(4)];
  assert.deepEqual([...parts.IHDR.subarray(8)], [8, 3, 0, 0, 0]);
  const lines = inflateSync(parts.IDAT);
  assert.equal(lines.length, height * (width + 1));
  const pixels = [];
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      pixels.push([...parts.PLTE.subarray(3 * lines[y * (width + 1) + 1 + x]).subarray(0, 3)]);
  return { width, height, pixels, nColors: parts.PLTE.length / 3 };
}

test("a picture of at most 256 colors is stored exactly", async () => {
  const colorAt = (/** @type {number} */ x, /** @type {number} */ y) => [x * 8, y * 16, 7];
  const { width, height, pixels, nColors } = await read(await palettePng(pictureOf(32, 8, colorAt)));
  assert.deepEqual([width, height, nColors], [32, 8, 256]);
  pixels.forEach((pixel, i) => {
    assert.deepEqual(pixel, colorAt(i % 32, Math.floor(i / 32)));
  });
});

test("a picture of one color is stored exactly", async () => {
  const { pixels, nColors } = await read(await palettePng(pictureOf(1, 1, () => [1, 2, 3])));
  assert.deepEqual([pixels, nColors], [[[1, 2, 3]], 1]);
});

test("of more colors the frequent ones are exact, and rare ones off by at most 4 of 255", async () => {
  const colorAt = (/** @type {number} */ x, /** @type {number} */ y) =>
    y > 1 ? [x >> 2, (x >> 2) * 3, 9] : [255 - x, 200 + y, 100 + (x >> 1)];
  const { pixels, nColors } = await read(await palettePng(pictureOf(256, 100, colorAt)));
  assert.ok(nColors <= 256);
  const far = pixels.map((pixel, i) =>
    Math.max(...colorAt(i % 256, Math.floor(i / 256)).map((channel, k) => Math.abs(channel - pixel[k]))),
  );
  assert.equal(Math.max(...far.slice(512)), 0);
  assert.ok(Math.max(...far) <= 4, String(Math.max(...far)));
});

test("a picture of too many colors is left to the browser", async () => {
  assert.equal(await palettePng(pictureOf(256, 256, (x, y) => [x, y, 0])), null);
});

test("partly transparent pictures are left to the browser", async () => {
  const picture = pictureOf(2, 2, () => [9, 9, 9]);
  picture.data[7] = 254;
  assert.equal(await palettePng(picture), null);
});
