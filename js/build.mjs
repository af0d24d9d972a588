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
      return { contents: code.trim().replace(ownColor, (_, name) => `--${OWN_COLORS.indexOf(name)}`), loader: "text" };
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
