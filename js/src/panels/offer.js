/** The offer to restore the work of an earlier widget of this dataset. */
// Changes with cxg_widget/widget/kept_states.py: what is counted of a kept state.
import { html, nothing } from "lit-html";
import { ICONS } from "../page/icons.js";
import { textIn } from "../page/parts/ui.js";
import { counted } from "../words/format.js";
import { nounsOf } from "../words/nouns.js";

/** @typedef {import("../page/parts/ui.js").Context} Context */
/** @typedef {{name: string, at: number, notebook: string, counts: Record<string, number>, unsaved: number}} Kept */
/** @typedef {import("../state/state.js").Nouns} Nouns */

const DAY_MS = 86_400_000;
/** Maximum number of items named on the button; the tooltip names all. */
const MOST_NAMED = 2;

/** @param {{client: import("../wire/client.js").Client, redraw: () => void}} given */
export function createOffer({ client, redraw }) {
  let chosen = "";
  /** True from a click until the kernel has answered. */
  let isRequested = false;

  /** @param {string} name "" = none */
  async function ask(name) {
    isRequested = true;
    redraw();
    await client.ask({ kind: "restore", name });
    isRequested = false;
    redraw();
  }

  return (/** @type {Context} */ { state }) => {
    /** @type {Kept[]} */
    const kept = state.kept;
    if (kept.length === 0) return nothing;
    const one = kept.find(({ name }) => name === chosen) ?? kept[0];
    const nouns = nounsOf(state);
    const isOff = isRequested || state.link === "offline";
    const others = (/** @type {Event} */ event) => {
      chosen = textIn(event);
      redraw();
    };
    return html`<div class="offer" role="region" aria-label="Earlier work">
      <button type="button" class="text" ?disabled=${isOff} title=${whole(one, nouns)} @click=${() => ask(one.name)}>Restore ${some(one, nouns)} ${from(one)}</button>
      ${
        kept.length < 2
          ? nothing
          : html`<select aria-label="What to restore" ?disabled=${isOff} @change=${others}>${kept.map((other) => html`<option value=${other.name} ?selected=${other === one}>${some(other, nouns)} ${from(other)}</option>`)}</select>`
      }
      <button type="button" class="small" aria-label="Dismiss" title="Dismiss; CxgWidget(..., restore=True) restores it later" ?disabled=${isOff} @click=${() => ask("")}>${ICONS.close}</button>
    </div>`;
  };
}

/** Everything a kept state contains, in words. Labels are called unsaved if no file has any of them.
 * @param {Kept} kept @param {Nouns} nouns @returns {string[]} */
export function partsOf({ counts, unsaved }, { var: { one, many } }) {
  const label = unsaved > 0 && unsaved === counts.annotations ? "unsaved label" : "label";
  const labels = counts.labels > 0 ? { labels: [label, `${label}s`] } : { annotations: ["annotation", "annotations"] };
  const names = {
    sets: ["set", "sets"],
    ...labels,
    gene_sets: ["gene set", "gene sets"],
    pins: [`pinned ${one}`, `pinned ${many}`],
    filters: ["filter", "filters"],
    panels: ["panel", "panels"],
  };
  return Object.entries(names)
    .filter(([name]) => counts[name] > 0)
    .map(([name, [one, many]]) => counted(counts[name], { one, many }));
}

/** @param {string[]} parts */
const listed = (parts) => [parts.slice(0, -1).join(", "), ...parts.slice(-1)].filter(Boolean).join(" and ");

/** @param {Kept} kept @param {Nouns} nouns */
const some = (kept, nouns) => listed(partsOf(kept, nouns).slice(0, MOST_NAMED));

/** @param {Kept} kept @param {Nouns} nouns */
const whole = (kept, nouns) => `Restore ${listed(partsOf(kept, nouns))} ${from(kept)}. Undo reverts this.`;

/** When and where a state was kept: "from 14:02", "from 3 Nov, 14:02, in trial.ipynb".
 * @param {Kept} kept @param {number} [now] ms */
export function from({ at, notebook }, now = Date.now()) {
  const date = new Date(1000 * at);
  const time = `${date.getHours()}:${String(date.getMinutes()).padStart(2, "0")}`;
  const isToday = now - 1000 * at < DAY_MS && new Date(now).getDate() === date.getDate();
  const day = isToday ? "" : `${date.getDate()} ${date.toLocaleString("en-US", { month: "short" })}, `;
  return `from ${day}${time}${notebook === "" ? "" : ` in ${notebook}`}`;
}
