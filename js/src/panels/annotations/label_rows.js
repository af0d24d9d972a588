/** Rows of the labels of an annotation: select, filter, rename, merge and delete each. */
// Changes with cxg_widget/annotations/log.py: steps of an annotation.
import { html, nothing } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { ICONS } from "../../page/icons.js";
import { textIn } from "../../page/parts/ui.js";
import { MODES_HINT, modeOf } from "../../plot/lasso.js";
import { safeColor } from "../../style/color.js";
import { MISSING_LABEL } from "../../wire/protocol.js";
import { counted, shortCount, wholeNumber } from "../../words/format.js";
import { nounsOf } from "../../words/nouns.js";
import { isOnlyOf, leavesOut, ruleOf, without, withRule } from "../filters/filter_rules.js";

/** @typedef {import("../../page/parts/ui.js").Context} Context */
/** @typedef {import("./annotation_requests.js").Label} Label */
/** @typedef {import("./annotation_requests.js").Listed} Listed */
/** @typedef {import("../filters/filter_rules.js").Rule} Rule */

/** @param {ReturnType<typeof import("./annotation_requests.js").createAnnotationList>["edit"]} edit @param {() => void} redraw */
export function createLabelRows(edit, redraw) {
  /** The open labels. @type {Set<string | null>} */
  const open = new Set();
  /** Input so far in the rename or merge field of a label. */
  let typing = { label: "", op: "", to: "" };

  /** @param {() => void} change */
  function then(change) {
    change();
    redraw();
  }

  /** @param {Context} context @param {Listed} listed @param {Label} one @param {number} i */
  function row(context, { name }, one, i) {
    const { state } = context;
    const { label, color, n } = one;
    const [text, words] = [label ?? MISSING_LABEL, label ?? "no label"];
    const isOpen = open.has(label);
    const isOffline = state.link === "offline";
    const { many } = nounsOf(state).obs;
    const select = (/** @type {MouseEvent} */ event) =>
      edit({ op: "select", name, label: label ?? "", mode: modeOf({ shift: event.shiftKey, alt: event.altKey }) });
    const [word, title] =
      label === null
        ? ["Remove the label from the selection", ICONS.close]
        : [`Label the selection as ${label}`, ICONS.check];
    return html`<li class=${isOpen ? "open" : ""}><div class="column">
      <button type="button" class="opener" data-row=${i} tabindex=${i === 0 ? 0 : -1} aria-expanded=${isOpen} title=${text} ?disabled=${isOffline}
        @click=${() => then(() => open.delete(label) || open.add(label))}>${ICONS.down}<i class="swatch" style="--c:${color === "" ? "var(--missing)" : safeColor(color)}"></i><span class="label">${text}</span>
        <span class="kind">${shortCount(n)}</span></button>
      <button type="button" class="small" aria-label=${word} title=${word} ?disabled=${isOffline || state.selection.n === 0} @click=${() => edit({ op: "assign", name, label: label ?? "" })}>${title}</button>
      <button type="button" class="small" aria-label="Select ${words}" title="Select its ${many}\n${MODES_HINT}" ?disabled=${isOffline} @click=${select}>${ICONS.lasso}</button>
    </div>${isOpen ? body(context, name, one, i) : nothing}</li>`;
  }

  /** @param {Context} context @param {string} name @param {Label} one @param {number} i */
  function body({ state, actions }, name, { label, n, nFiltered, nSelected }, i) {
    const { filters } = state.traits;
    const [spec, isOffline] = [`obs:${name}`, state.link === "offline"];
    const rule = ruleOf(filters, spec);
    const filter = (/** @type {string} */ words, /** @type {boolean} */ isOn, /** @type {Rule | null} */ other) =>
      html`<button type="button" class="text" aria-pressed=${isOn} ?disabled=${isOffline} @click=${() => actions.setTrait("filters", withRule(filters, spec, other))}>${words}</button>`;
    const isOnly = isOnlyOf(rule, label);
    const parts = [
      counted(n, nounsOf(state).obs),
      ...(filters.length === 0 ? [] : [`${wholeNumber(nFiltered)} pass`]),
      ...(state.selection.n === 0 ? [] : [`${wholeNumber(nSelected)} selected`]),
    ];
    return html`<div class="body">
      <p class="caption">${parts.join(", ")}.</p>
      ${label === null ? nothing : html`${field(name, label, "rename", `Rename ${label}`, "", i)}${field(name, label, "merge", `Merge ${label} into`, "Merge into", i)}`}
      <div class="doing">
        ${filter("Only these", isOnly, isOnly ? null : { obs: name, in: [label] })}
        ${filter("Exclude these", leavesOut(rule, label), without(rule, spec, label))}
        <button type="button" class="text" ?disabled=${isOffline || nSelected === 0} @click=${() => edit({ op: "select", name, label: label ?? "", mode: "subtract" })}>Deselect these</button>
        ${label === null ? nothing : html`<button type="button" class="text" ?disabled=${isOffline} @click=${() => edit({ op: "delete", name, label })}>Delete label</button>`}
      </div>
    </div>`;
  }

  /** A field that renames a label or merges it into another. @param {string} name @param {string} label
   * @param {"rename" | "merge"} op @param {string} words @param {string} placeholder @param {number} i */
  function field(name, label, op, words, placeholder, i) {
    const isTyped = typing.label === label && typing.op === op;
    const shown = isTyped ? typing.to : op === "rename" ? label : "";
    const enter = (/** @type {Event} */ event) => {
      const to = textIn(event).trim();
      typing = { label: "", op: "", to: "" };
      if (to === "" || to === label) return redraw(); // keep the old name
      void edit({ op, name, label, to }).then((done) => {
        if (done !== null) then(() => void (open.delete(label) && open.add(to)));
      });
    };
    return html`<div class="box"><input type="text" id="${op}-${i}" list=${op === "merge" ? "labels-known" : nothing} aria-label=${words} placeholder=${placeholder} maxlength="200" autocomplete="off" spellcheck="false"
      .value=${live(shown)} @input=${(/** @type {Event} */ event) => void ((typing = { label, op, to: textIn(event) }))} @change=${enter}></div>`;
  }

  return {
    close: () => open.clear(),
    /** @param {Context} context @param {Listed} listed */
    draw: (context, listed) => listed.labels.map((one, i) => row(context, listed, one, i)),
    /** The known labels, as completions of the merge field. @param {Listed} listed */
    known: ({ labels }) =>
      html`<datalist id="labels-known">${labels.map(({ label }) => (label === null ? nothing : html`<option value=${label}></option>`))}</datalist>`,
  };
}
