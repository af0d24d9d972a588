// Bundles what the Python package ships: two ES modules, and the script of pages that stand alone; `--watch` rebuilds on every change.
import { createHash } from "node:crypto";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { deflateRawSync, deflateSync } from "node:zlib";
import { parse } from "acorn";
import * as esbuild from "esbuild";
import { minify } from "terser";

const at = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url));
const [WIDGET, PANELS, FILE] = ["widget", "panels", "file"].map((name) => at(`../cxg_widget/static/${name}.js`));
/** The first is stored as it is with every widget of every saved notebook; the second is deflated on its way, and grew by the button that copies the code of a panel. @type {Record<string, number>} */
const BUDGET_BYTES = { [WIDGET]: 150 * 1024, [PANELS]: 99 * 1024, [FILE]: 24 * 1024 };

// Colors of the style sheets get a short name, there and in scripts, which set one and use some.
const OWN_COLORS = ["muted", "faint", "edge", "line", "hover", "chosen", "raised", "missing", "shadow"];
const OWN = `--(${OWN_COLORS.join("|")})\\b`;
const shortNamed = (/** @type {string} */ text, /** @type {string} */ own) =>
  text.replace(new RegExp(own, "g"), (_, name) => `--${OWN_COLORS.indexOf(name)}`);

/** Modules that hold what JSON can, which the first bundle holds deflated: tables of the wire, shapes of icons, the style sheet, shaders, colormaps. */
const TEXTS =
  /(page[\\/]icon_shapes\.js|wire[\\/]protocol\.js|page[\\/]style\.css|gl[\\/]shaders\.js|style[\\/]colormaps\.js)$/;
/** Five signs hold four bytes: those from "#" on, but for the backslash. */
const INFLATE = `const inflate = async (text) => {
  const bytes = new DataView(new ArrayBuffer((text.length / 5) * 4));
  for (let i = 0, n = 0; i < text.length; ) {
    const code = text.charCodeAt(i++);
    n = n * 85 + code - (code > 92 ? 36 : 35);
    if (i % 5 < 1) n = bytes.setUint32((i / 5) * 4 - 4, n) | 0;
  }
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"))).json();
};`;

/** @param {string} text of JSON @returns {string} */
function packed(text) {
  const bytes = deflateRawSync(text, { level: 9 });
  if (bytes.length % 4 > 0) return packed(`${text} `); // nothing may follow what is deflated
  let signs = "";
  for (let at = 0; at < bytes.length; at += 4)
    for (let i = 4; i >= 0; i--) {
      const digit = Math.floor(bytes.readUInt32BE(at) / 85 ** i) % 85;
      signs += String.fromCharCode(digit + (digit > 56 ? 36 : 35));
    }
  return signs;
}

/** A module with the same exports as the one whose exports are given. @param {Record<string, unknown>} values that JSON can hold */
function deflated(values) {
  const text = packed(JSON.stringify(values));
  const names = Object.keys(values).map((name) => (name === "default" ? "default: css" : name));
  const exported = names.map((name) => name.replace("default: css", "css as default"));
  return `const { ${names} } = await inflate("${text}"); export { ${exported} };`;
}

/** @param {string} path */
async function minifiedCss(path) {
  const options = /** @type {const} */ ({ loader: "css", minify: true, charset: "utf8" });
  const { code } = await esbuild.transform(await readFile(path, "utf8"), options);
  return shortNamed(code.trim(), OWN);
}

/** An attribute in a template whose value needs no quotes. */
const UNQUOTED = /([ \n][\w-]+=)"([\w.:-]+)"(?=[ >\n])/g;

/** What esbuild leaves as it is: style sheets that are texts of the module, and the indentation and quotes within template literals. @type {import("esbuild").Plugin} */
const texts = {
  name: "texts",
  setup(build) {
    build.onLoad({ filter: /\.css$/ }, async ({ path }) => ({
      contents: `export default ${JSON.stringify(await minifiedCss(path))};`,
    }));
    build.onLoad({ filter: /\.js$/ }, async ({ path }) => ({
      contents: shortNamed(await readFile(path, "utf8"), `(?<=["(])${OWN}`)
        .replace(/\n[ \t]+/g, "\n")
        .replace(UNQUOTED, "$1$2"),
    }));
  },
};

/** Unpacked when the module is run, before its first export can be used: no page's policy refuses that. @type {import("esbuild").Plugin} */
const deflatedTexts = {
  name: "deflated texts",
  setup(build) {
    build.onLoad({ filter: TEXTS }, async ({ path }) => {
      if (path.endsWith(".css")) return { contents: deflated({ default: await minifiedCss(path) }) };
      return { contents: deflated({ ...(await import(`${pathToFileURL(path)}?${Date.now()}`)) }) };
    });
  },
};

/** lit-html is handed over by the first module: of what a directive is made of the second has no copy. @type {import("esbuild").Plugin} */
const handedOver = {
  name: "handed over",
  setup(build) {
    build.onResolve({ filter: /(^|\/)lit-html(\.js)?$/ }, () => ({ path: "lit-html", external: true }));
  },
};

/** @type {import("esbuild").BuildOptions} */
const options = {
  bundle: true,
  minify: true,
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  logLevel: "warning",
};

/** @type {import("esbuild").BuildOptions} */
const widget = {
  ...options,
  entryPoints: [at("src/index.js")],
  outfile: WIDGET,
  format: "esm",
  plugins: [deflatedTexts, texts],
  banner: { js: INFLATE },
  footer: { js: "/*! lit-html: Copyright 2017 Google LLC, BSD-3-Clause */" },
};

const isWatching = process.argv.includes("--watch");

/** One function of a `require` that gives lit-html: each widget of a page runs the code with its own. @type {import("esbuild").BuildOptions} */
const panels = {
  ...options,
  entryPoints: [at("src/panels/index.js")],
  outfile: PANELS,
  format: "cjs",
  plugins: [texts, handedOver],
  banner: { js: "export default(require)=>{const module={exports:{}};" },
  footer: { js: "return module.exports}" },
};

/** What starts the two out of a file, inline in its page. @type {import("esbuild").BuildOptions} */
const file = {
  ...options,
  entryPoints: [at("src/file/index.js")],
  outfile: FILE,
  format: "iife",
  plugins: [texts],
};

/** What esbuild leaves to shorten: 3 % of the bytes. No function of ours is made by `new` or asks for its `arguments`: each may
 * be an arrow. No getter of ours does anything but get. @type {import("terser").MinifyOptions} */
const shorter = {
  module: true,
  ecma: 2020,
  compress: {
    passes: 6,
    keep_fargs: false,
    unsafe_arrows: true,
    hoist_funs: true,
    pure_getters: true,
  },
  format: { comments: /^!/ },
};

/** Moves the texts of all templates of a bundle into one deflated array: html`<b>${x}</b>` becomes html(templates[0], x).
 * lit-html asks of such an array only that it stays the same and has a property `raw`. @param {string} code */
function deflateTemplates(code) {
  /** @type {string[][]} */
  const templates = [];
  const written = (/** @type {any} */ node, /** @type {number} */ start, /** @type {number} */ end) => {
    let [text, from] = ["", start];
    for (const { start: left, end: right, tag, quasi } of taggedIn(node)) {
      const count = templates.push(quasi.quasis.map((/** @type {any} */ part) => part.value.cooked));
      const values = quasi.expressions.map((/** @type {any} */ one) => `,${written(one, one.start, one.end)}`);
      text += `${code.slice(from, left)}${tag.name}(templates[${count - 1}]${values.join("")})`;
      from = right;
    }
    return text + code.slice(from, end);
  };
  const program = written(parse(code, { ecmaVersion: 2022, sourceType: "module" }), INFLATE.length, code.length);
  const arrays = `(await inflate("${packed(JSON.stringify(templates))}")).map((texts) => (texts.raw = texts))`;
  return `${INFLATE}const templates = ${arrays};${program}`;
}

/** The outermost templates with a tag in a syntax tree, in the order of the code. @param {any} node @returns {any[]} */
function taggedIn(node) {
  if (node?.type === "TaggedTemplateExpression") return [node];
  if (node === null || typeof node !== "object") return [];
  return Object.values(node)
    .flatMap(taggedIn)
    .sort((one, other) => one.start - other.start);
}

/** @param {string} outfile */
async function shorten(outfile) {
  const bundle = await readFile(outfile, "utf8");
  const { code } = await minify(outfile === WIDGET ? deflateTemplates(bundle) : bundle, shorter);
  await writeFile(outfile, shared(/** @type {string} */ (code)));
}

/** A host imports the first module anew for each widget, and a page never forgets a module. All widgets of a page run the first
 * of the same code, so that its templates, some 360 nodes, and what it compiles are there once. @param {string} code */
function shared(code) {
  const hash = createHash("sha256").update(code).digest("hex").slice(0, 12);
  return code.replace(/export\s*{\s*([\w$]+) as default\s*};/, `export default self.cxg${hash}??=$1;`);
}

/** @param {string} outfile */
async function reportSize(outfile) {
  const size =
    outfile === PANELS ? deflateSync(await readFile(outfile), { level: 9 }).length : (await stat(outfile)).size;
  const [kilobytes, budget] = [size, BUDGET_BYTES[outfile]].map((bytes) => (bytes / 1024).toFixed(1));
  console.log(`${relative(process.cwd(), outfile)}: ${kilobytes} KB of ${budget} KB`);
  if (size <= BUDGET_BYTES[outfile]) return true;
  console.error(`${relative(process.cwd(), outfile)} is larger than its budget of ${budget} KB.`);
  return false;
}

await mkdir(dirname(WIDGET), { recursive: true });
// The one that `make` looks at comes last.
for (const bundle of [file, panels, widget]) {
  const outfile = /** @type {string} */ (bundle.outfile);
  if (isWatching) {
    const report = {
      name: "report",
      setup: (/** @type {import("esbuild").PluginBuild} */ build) => build.onEnd(() => void reportSize(outfile)),
    };
    const context = await esbuild.context({ ...bundle, plugins: [...(bundle.plugins ?? []), report] });
    await context.watch();
  } else {
    await esbuild.build(bundle).catch(() => process.exit(1)); // esbuild has printed what is wrong, and where
    await shorten(outfile);
    if (!(await reportSize(outfile))) process.exit(1);
  }
}
