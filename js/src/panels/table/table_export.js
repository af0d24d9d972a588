/** Copies all rows of the table, or downloads them, one export at a time. */
import { counted, fileName, wholeNumber } from "../../words/format.js";
import { nounsOf } from "../../words/nouns.js";
import { copy } from "../shared/clipboard.js";
import { download, tableFile } from "./table_text.js";

/** @typedef {import("../../state/state.js").State} State */

/** Maximum number of copied rows. */
export const MOST_COPIED = 10_000;

/** @param {import("../../wire/client.js").Client} client
 * @param {(sentence: string) => void} say called with progress and result */
export function createExport(client, say) {
  /** Stops the running export; null = none runs. @type {(() => void) | null} */
  let stop = null;

  /** @param {State} state @param {Omit<Parameters<typeof tableFile>[2], "tell">} how */
  async function read(state, how) {
    let isStopped = false;
    stop = () => void (isStopped = true);
    say("Reading…");
    const tell = (/** @type {number} */ n, /** @type {number} */ all) => {
      if (n < all && !isStopped) say(`${wholeNumber(n)} of ${wholeNumber(all)}…`);
      return !isStopped;
    };
    const found = await tableFile(client, state.traits, { ...how, tell });
    stop = null;
    if (found !== null && typeof found !== "string") return found;
    say(found ?? "");
    return null;
  }

  return {
    isBusy: () => stop !== null,
    stop: () => stop?.(),
    /** @param {State} state
     * @param {import("./row_requests.js").Of} [cells] which cells are listed while a filter is active */
    async copy(state, cells = "filter") {
      const found = stop === null ? await read(state, { separator: "\t", most: MOST_COPIED, of: cells }) : null;
      if (found === null) return;
      const noun = nounsOf(state).obs;
      const [n, all] = [wholeNumber(found.n), counted(found.total, noun)];
      const some = found.n < found.total ? `the first ${n} of ${all}; the CSV has all` : all;
      const isDone = await copy(await found.blob.text());
      say(isDone ? `Copied ${some}.` : "The browser blocks copying here. Download the CSV instead.");
    },
    /** Download all rows; during a download, stop it.
     * @param {State} state @param {string} [of] name of the rows, for the file name
     * @param {import("./row_requests.js").Of} [cells] */
    async save(state, of = state.traits.table?.of ?? nounsOf(state).obs.many, cells = "filter") {
      if (stop !== null) return stop();
      const found = await read(state, { separator: ",", of: cells });
      if (found === null) return;
      download(found.blob, `${fileName([state.dataset?.title, of])}.csv`);
      say("");
    },
  };
}
