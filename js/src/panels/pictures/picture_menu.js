/** The menu of saved pictures: PNG drawn by the page; SVG, PDF and HTML written by the kernel. */
import { html, nothing } from "lit-html";
import { fileName } from "../../words/format.js";
import { copyCode, joined } from "../shared/copied_code.js";
import { download } from "../table/table_text.js";

/** @typedef {import("../../page/parts/ui.js").Context} Context */
/** @typedef {import("../../wire/protocol.js").FigurePart} Part */

const WAIT_MS = 600_000;
/** PNG scales (px per CSS px) with their descriptions. @type {[number, string][]} */
const PNG = [
  [1, "screen resolution"],
  [2, "double resolution"],
  [4, "for print"],
];
/** @typedef {import("../../wire/protocol.js").AskFigure["suffix"]} Suffix */
/** Formats that the kernel writes, by suffix; the page draws PNG.
 * @type {Record<Exclude<Suffix, "png">, [string, string]>} */
const WRITTEN = {
  svg: ["SVG", "editable text"],
  pdf: ["PDF", "editable text"],
  html: ["HTML", "interactive page"],
};

/** @param {{client: import("../../wire/client.js").Client, redraw: () => void}} given */
export function createPictureMenu({ client, redraw }) {
  /** The format that the kernel is writing. */
  let writing = "";
  /** What became of code and text. @type {{code?: string, methods?: string}} */
  let copied = {};

  /** @param {Context} context @param {keyof typeof WRITTEN} suffix */
  async function write(context, suffix) {
    const { dataset, color } = context.state;
    const [width, height] = context.room().map(Math.round);
    writing = suffix;
    redraw();
    const request = { kind: "figure", suffix, width, height, dark: context.ui.dark };
    const parts = /** @type {Part[] | null} */ (await client.ask(request, WAIT_MS));
    writing = "";
    if (context.ui.popover === "save") context.update({ popover: "" });
    else redraw();
    if (parts === null) return; // the client has shown the error
    download(new Blob(joined(parts)), `${fileName([dataset?.title, color?.name])}.${suffix}`);
  }

  /** @param {keyof typeof copied} what */
  async function take(what) {
    copied = { [what]: "Writing…" };
    redraw();
    copied = { [what]: await copyCode(client, what === "code" ? "" : what) };
    redraw();
  }

  /** @param {Context} context */
  return (context) => {
    if (context.ui.popover !== "save") {
      copied = {};
      return nothing;
    }
    const item = (
      /** @type {string} */ name,
      /** @type {string} */ detail,
      /** @type {() => void} */ act,
      by = "page",
      off = false,
    ) =>
      html`<button type="button" class="picture" data-by=${by} ?disabled=${off} @click=${act}><span>${name}</span><small>${detail}</small></button>`;
    const written = (
      /** @type {keyof typeof copied} */ what,
      /** @type {string} */ name,
      /** @type {string} */ detail,
    ) =>
      html`<button type="button" class="picture" data-by="kernel" ?disabled=${context.state.link !== "live"} @click=${() => void take(what)}><span>${name}</span><small>${copied[what] || detail}</small></button>`;
    const png = (/** @type {number} */ scale) => () => (context.update({ popover: "" }), context.save(scale));
    const isOff = context.state.link !== "live" || writing !== "";
    return html`<div class="popover pictures" role="dialog" aria-label="Save picture">
      ${PNG.map(([scale, detail]) => item(`PNG ${scale}×`, detail, png(scale)))}
      ${
        /** @type {(keyof typeof WRITTEN)[]} */ (Object.keys(WRITTEN)).map((suffix) => {
          const [name, detail] = WRITTEN[suffix];
          return item(
            name,
            writing === suffix ? "Writing…" : detail,
            () => void write(context, suffix),
            "kernel",
            isOff,
          );
        })
      }
      ${written("code", "Copy code", "the analysis in Python")}${written("methods", "Copy methods", "as text for a paper")}
      <span class="spoken" role="status">${copied.code ?? copied.methods ?? ""}</span>
    </div>`;
  };
}
