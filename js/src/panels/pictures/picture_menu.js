/** The menu of saved pictures: PNG drawn by the page; SVG, PDF and HTML written by the kernel. */
import { html, nothing } from "lit-html";
import { fileName } from "../../words/format.js";
import { copy, download } from "../table/table_text.js";

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
  /** What became of the code. */
  let code = "";

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
    const bytes = [...parts].sort((a, b) => a.part - b.part).map(({ arrays }) => arrays.file);
    download(
      new Blob(/** @type {Uint8Array<ArrayBuffer>[]} */ (bytes)),
      `${fileName([dataset?.title, color?.name])}.${suffix}`,
    );
  }

  async function copyCode() {
    code = "Writing…";
    redraw();
    const parts = /** @type {Part[] | null} */ (await client.ask({ kind: "code" }, WAIT_MS));
    const bytes = parts && [...parts].sort((a, b) => a.part - b.part).map(({ arrays }) => arrays.file);
    const text = bytes && (await new Blob(/** @type {Uint8Array<ArrayBuffer>[]} */ (bytes)).text());
    code = text === null ? "" : (await copy(text)) ? "copied" : "blocked by the browser: use w.code()";
    redraw();
  }

  /** @param {Context} context */
  return (context) => {
    if (context.ui.popover !== "save") {
      code = "";
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
      <button type="button" class="picture" data-by="kernel" ?disabled=${context.state.link !== "live"} @click=${() => void copyCode()}><span>Copy code</span><small role="status">${code || "the analysis in Python"}</small></button>
    </div>`;
  };
}
