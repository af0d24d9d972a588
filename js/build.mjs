// Bundles the two ES modules that the Python package ships; `--watch` rebuilds on every change.
import { mkdir, readFile, stat } from "node:fs/promises";
import { dirname, relative } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const at = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url));
const [WIDGET, PANELS] = ["../cxg_widget/static/widget.js", "../cxg_widget/static/panels.js"].map(at);
/** The first is stored with every widget in every saved notebook. @type {Record<string, number>} */
const BUDGET_BYTES = { [WIDGET]: 150 * 1024, [PANELS]: 200 * 1024 };

// Colours that the style sheet mixes for itself; those that scripts set keep their names.
const OWN_COLORS = ["muted", "faint", "edge", "line", "hover", "chosen", "raised", "missing", "shadow"];
const ownColor = new RegExp(`--(${OWN_COLORS.join("|")})\\b`, "g");

/** Characters that may stand for what a style sheet repeats, where it has none of them itself. */
const SIGNS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_~^|=<?!&@";
const MOST_PARTS = 12;

/** A module that gives a text: what the text repeats is one sign in it, put back when the module runs. @param {string} text */
function packed(text) {
  const signs = [...SIGNS].filter((sign) => !text.includes(sign));
  const words = [];
  for (const sign of signs) {
    const word = mostRepeated(text);
    if (word === "") break;
    words.push(word);
    text = text.replaceAll(word, sign);
  }
  const [all, used] = [words, signs.slice(0, words.length).join("")].map((one) => JSON.stringify(one));
  return `export default ${all}.reduceRight((text, word, i) => text.replaceAll(${used}[i], word), ${JSON.stringify(text)});`;
}

/** The run of whole parts of a text that takes most of its bytes by coming again; "" = none is worth a sign. @param {string} text */
function mostRepeated(text) {
  const parts = text.split(/(?<=[;:{}(), ])/);
  /** @type {Map<string, number>} */
  const saved = new Map();
  for (let i = 0; i < parts.length; i++) {
    for (let n = 1; n <= Math.min(MOST_PARTS, parts.length - i); n++) {
      const word = parts.slice(i, i + n).join("");
      saved.set(word, (saved.get(word) ?? -word.length - 3) + word.length - 1);
    }
  }
  const [word, bytes] = [...saved].reduce((best, one) => (one[1] > best[1] ? one : best));
  return bytes > 0 ? word : "";
}

/** What esbuild leaves as it is: style sheets that are texts of the module, the indentation within template literals,
 * which neither HTML nor GLSL needs, and the spaces of GLSL. @type {import("esbuild").Plugin} */
const texts = {
  name: "texts",
  setup(build) {
    build.onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { code } = await esbuild.transform(await readFile(path, "utf8"), {
        loader: "css",
        minify: true,
        charset: "utf8",
      });
      return { contents: packed(code.trim().replace(ownColor, (_, name) => `--${OWN_COLORS.indexOf(name)}`)) };
    });
    build.onLoad({ filter: /\.js$/ }, async ({ path }) => {
      const contents = (await readFile(path, "utf8")).replace(/\n[ \t]+/g, "\n");
      return {
        contents: path.endsWith("shaders.js") ? contents.replace(/\s*([*=<>?:&|,;{}()])\s*/g, "$1") : contents,
      };
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
  plugins: [texts],
  footer: { js: "/*! lit-html: Copyright 2017 Google LLC, BSD-3-Clause */" },
};

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

/** @param {string} outfile */
async function reportSize(outfile) {
  const { size } = await stat(outfile);
  const [kilobytes, budget] = [size, BUDGET_BYTES[outfile]].map((bytes) => (bytes / 1024).toFixed(1));
  console.log(`${relative(process.cwd(), outfile)}: ${kilobytes} KB of ${budget} KB`);
  if (size <= BUDGET_BYTES[outfile]) return true;
  console.error(`${relative(process.cwd(), outfile)} is larger than its budget of ${budget} KB.`);
  return false;
}

await mkdir(dirname(WIDGET), { recursive: true });
// The one that `make` looks at comes last.
for (const bundle of [panels, widget]) {
  const outfile = /** @type {string} */ (bundle.outfile);
  if (process.argv.includes("--watch")) {
    const report = {
      name: "report",
      setup: (/** @type {import("esbuild").PluginBuild} */ build) => build.onEnd(() => void reportSize(outfile)),
    };
    const context = await esbuild.context({ ...bundle, plugins: [...(bundle.plugins ?? []), report] });
    await context.watch();
  } else {
    await esbuild.build(bundle).catch(() => process.exit(1)); // esbuild has printed what is wrong, and where
    if (!(await reportSize(outfile))) process.exit(1);
  }
}
