// Bundles src/index.js into the one ES module that the Python package ships; `--watch` rebuilds on every change.
import { mkdir, readFile, stat } from "node:fs/promises";
import { dirname, relative } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

// The bundle is stored with every widget in every saved notebook.
const BUDGET_BYTES = 150 * 1024;

const entry = fileURLToPath(new URL("src/index.js", import.meta.url));
const outfile = fileURLToPath(new URL("../cxg_widget/static/widget.js", import.meta.url));

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

/** @type {import("esbuild").BuildOptions} */
const options = {
  entryPoints: [entry],
  outfile,
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  plugins: [texts],
  charset: "utf8",
  legalComments: "none",
  footer: { js: "/*! lit-html: Copyright 2017 Google LLC, BSD-3-Clause */" },
  logLevel: "warning",
};

async function reportSize() {
  const { size } = await stat(outfile);
  const kilobytes = (size / 1024).toFixed(1);
  console.log(`${relative(process.cwd(), outfile)}: ${kilobytes} KB of ${BUDGET_BYTES / 1024} KB`);
  return size <= BUDGET_BYTES;
}

await mkdir(dirname(outfile), { recursive: true });
if (process.argv.includes("--watch")) {
  const report = {
    name: "report",
    setup: (/** @type {import("esbuild").PluginBuild} */ build) => build.onEnd(reportSize),
  };
  const context = await esbuild.context({ ...options, plugins: [texts, report] });
  await context.watch();
} else {
  try {
    await esbuild.build(options);
  } catch {
    process.exit(1); // esbuild has printed what is wrong, and where
  }
  if (!(await reportSize())) {
    console.error(`The bundle is larger than its budget of ${BUDGET_BYTES / 1024} KB.`);
    process.exit(1);
  }
}
