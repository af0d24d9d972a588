/** Copies code or text that the kernel writes about the analysis. */
import { copy } from "./clipboard.js";

/** @typedef {import("../../wire/protocol.js").FigurePart} Part */
/** @typedef {import("../../wire/protocol.js").AskCode["part"]} Of */

/** Milliseconds; longer than the kernel needs to find cells again, even of large data. */
const WAIT_MS = 600_000;

/** @param {import("../../wire/client.js").Client} client @param {Of} part
 * @returns {Promise<string>} what became of it, to be shown; "" = the client has shown an error */
export async function copyCode(client, part) {
  const parts = /** @type {Part[] | null} */ (await client.ask({ kind: "code", part }, WAIT_MS));
  if (parts === null) return "";
  const isCopied = await copy(await new Blob(joined(parts)).text());
  return isCopied ? "copied" : `blocked by the browser: use w.${part === "methods" ? part : "code"}()`;
}

/** The bytes of a file that came in parts, in any order. @param {Part[]} parts */
export function joined(parts) {
  return /** @type {Uint8Array<ArrayBuffer>[]} */ (
    [...parts].sort((a, b) => a.part - b.part).map(({ arrays }) => arrays.file)
  );
}
