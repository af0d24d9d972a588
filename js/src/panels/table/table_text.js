/** Exports the table as CSV or as text for a spreadsheet, in parts from the kernel so that memory stays bounded. */

import { MAX_ROWS } from "../../wire/constants.js";
import { cellsOf } from "./row_requests.js";

/** @typedef {import("../../state/state.js").State} State */

/** Largest file that the page assembles. */
const MOST_BYTES = 512 * 2 ** 20;
const WAIT_MS = 600_000;

/**
 * @typedef {object} File
 * @property {Blob} blob
 * @property {number} n rows in the file
 * @property {number} total rows of the table
 */

/**
 * Join the rows of the table, from the first one.
 * @param {import("../../wire/client.js").Client} client @param {State["traits"]} traits
 * @param {{separator: "," | "\t", most?: number, tell?: (n: number, total: number) => boolean,
 *   of?: import("./row_requests.js").Of}} how
 *   of: which cells are listed while a filter is active; tell: called after each part; it returns false to stop
 * @returns {Promise<File | string | null>} an error message if it fails; null = stopped, or the client has shown the
 *   error
 */
export async function tableFile(client, traits, { separator, most = Infinity, tell = () => true, of = "filter" }) {
  /** @type {Uint8Array<ArrayBuffer>[]} */
  const parts = [];
  let [start, total, seq, nBytes] = [0, 1, -1, 0];
  while (start < Math.min(total, most)) {
    const n = Math.min(MAX_ROWS, most - start);
    const request = {
      kind: "csv",
      panel: 0,
      table: traits.table ?? {},
      ...cellsOf(traits, of),
      start,
      n,
      separator,
    };
    const part = /** @type {import("../../wire/protocol.js").Csv | undefined} */ (
      (await client.ask(request, WAIT_MS))?.[0]
    );
    if (part === undefined) return null;
    if (start > 0 && (part.total !== total || (traits.table?.of === "selection" && part.selection_seq !== seq)))
      return "The table changed during the download. Try again.";
    parts.push(/** @type {Uint8Array<ArrayBuffer>} */ (part.arrays.text));
    [start, total, seq, nBytes] = [part.stop, part.total, part.selection_seq, nBytes + part.arrays.text.byteLength];
    if (total === 0) break;
    if (nBytes > MOST_BYTES) return "The file would exceed 512 MB. Use w.table.to_csv(path) in Python.";
    if (!tell(start, total)) return null;
  }
  return { blob: new Blob(parts, { type: "text/csv" }), n: start, total };
}

/** Download a file. @param {Blob} blob @param {string} name */
export function download(blob, name) {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  document.body.append(link); // VS Code downloads only through links in the page
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
