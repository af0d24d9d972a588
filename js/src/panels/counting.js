/** Asks for the counts of the columns that are open, after each change of filters, selection or colouring. */

/** @typedef {import("../state/state.js").State} State */
/** @typedef {import("./rules.js").Rule} Rule */

/**
 * @param {import("../wire/client.js").Client} client
 * @returns {(state: State | null, open: string[], rules: Rule[]) => void} called at each drawing, with the filters as the hand has
 *   them; null = the panel is closed
 */
export function createCounting(client) {
  let asked = "";
  let askedColumns = "";
  let isAsking = false;
  /** @type {[State | null, string[], Rule[]] | null} */
  let last = null;

  /** @param {State | null} state @param {string[]} open @param {Rule[]} rules */
  function check(state, open, rules) {
    last = [state, open, rules];
    const columns = JSON.stringify(open);
    if (state === null || open.length === 0) {
      if (asked !== "") client.tell({ kind: "columns", panel: 0, columns: [], known: [] });
      [asked, askedColumns, isAsking] = ["", "", false];
      return;
    }
    const wanted = `${columns} ${JSON.stringify(rules)} ${state.filter.seq} ${state.selection.seq} ${state.color?.seq}`;
    // One question at a time, so that a hand that moves is answered as fast as can be; a column that opens does not wait.
    if (wanted === asked || state.link !== "live" || (isAsking && columns === askedColumns)) return;
    [asked, askedColumns, isAsking] = [wanted, columns, true];
    const known = open.filter((one) => state.columns[one]?.error === "");
    void client.ask({ kind: "columns", panel: 0, columns: open, known, filters: rules }).then(() => {
      if (asked !== wanted) return; // another question has been asked meanwhile
      isAsking = false;
      if (last !== null) check(...last);
    });
  }
  return check;
}
