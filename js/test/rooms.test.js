import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

/** Lowest first: a file imports from its own room and from those before it. What lies at the root is above them all. */
const ROOMS = ["wire", "screen", "state", "style", "draw", "picture", "words", "plot", "page", "panels", "file"];
/** Rooms of panels/, lowest first, by the same law. What lies at its root is above them all. */
const PANEL_ROOMS = [
  "shared",
  "filters",
  "table",
  "overlays",
  "pictures",
  "linked",
  "columns",
  "genes",
  "sets",
  "annotations",
  "settings",
  "compare",
  "study",
];
const MOST_MODULES = 25;
const SRC = fileURLToPath(new URL("../src", import.meta.url));
const FILES = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".js"))
  .sort();

/** The files that a file imports, as paths below src. @param {string} file @param {RegExp} pattern one group: the path as it is written */
function importsOf(file, pattern) {
  const found = readFileSync(join(SRC, file), "utf8").matchAll(pattern);
  return [...found].map(([, path]) => relative(SRC, join(SRC, dirname(file), path)));
}

const CODE = /^(?:import|export)\b[^;]*?"(\.[^"]+)";/gm;
const TYPES = /import\("(\.[^"]+)"\)/g;

/** @param {string} path @returns {number} */
function levelOf(path) {
  const [room, inside] = path.split("/");
  return inside === undefined ? ROOMS.length : ROOMS.indexOf(room);
}

test("every file is in a folder, or at the root", () => {
  assert.ok(FILES.length > 60);
  assert.deepEqual(
    FILES.filter((file) => levelOf(file) < 0),
    [],
  );
});

for (const [what, pattern] of /** @type {const} */ ([
  ["code", CODE],
  ["types", TYPES],
])) {
  test(`imports of ${what} go down from room to room`, () => {
    const upward = FILES.flatMap((file) =>
      importsOf(file, pattern)
        .filter((other) => levelOf(other) > levelOf(file))
        .map((other) => `${file} imports ${other}`),
    );
    assert.deepEqual(upward, []);
  });
}

test("imports inside panels/ go down from room to room", () => {
  const panels = FILES.filter((file) => file.startsWith("panels/"));
  const roomOf = (/** @type {string} */ file) =>
    file.split("/").length > 2 ? PANEL_ROOMS.indexOf(file.split("/")[1]) : 99;
  assert.deepEqual(
    panels.filter((file) => roomOf(file) < 0),
    [],
  );
  const upward = panels.flatMap((file) =>
    importsOf(file, CODE)
      .filter((other) => other.startsWith("panels/") && roomOf(other) > roomOf(file))
      .map((other) => `${file} imports ${other}`),
  );
  assert.deepEqual(upward, []);
});

test(`no folder has more than ${MOST_MODULES} modules`, () => {
  const sizes = new Map();
  for (const file of FILES) sizes.set(dirname(file), (sizes.get(dirname(file)) ?? 0) + 1);
  assert.deepEqual(
    [...sizes].filter(([, n]) => n > MOST_MODULES),
    [],
  );
});

test("the first module imports no code of the panels", () => {
  assert.deepEqual(
    FILES.filter(
      (file) => !file.startsWith("panels/") && importsOf(file, CODE).some((other) => other.startsWith("panels/")),
    ),
    [],
  );
});

test("no file imports itself, directly or through others", () => {
  const imports = new Map(FILES.map((file) => [file, importsOf(file, CODE)]));
  assert.ok([...imports.values()].flat().length > 150);
  /** @type {Set<string>} */
  const done = new Set();
  /** @param {string} file @param {string[]} way */
  const follow = (file, way) => {
    assert.ok(!way.includes(file), `a circle: ${[...way, file].join(" -> ")}`);
    if (done.has(file)) return;
    for (const other of imports.get(file) ?? []) follow(other, [...way, file]);
    done.add(file);
  };
  for (const file of FILES) follow(file, []);
});
