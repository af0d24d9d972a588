/** The Sets panel: names the selection, lists, combines and compares sets. */
// Changes with cxg_widget/widget/sets.py: operations on sets.
import { html, nothing } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { ICONS } from "../../page/icons.js";
import { textIn } from "../../page/parts/ui.js";
import { MODES_HINT, modeOf } from "../../plot/lasso.js";
import { safeColor } from "../../style/color.js";
import { ENCLOSED, MOST_SETS_ON_PLOT } from "../../wire/constants.js";
import { counted, share, shortCount, wholeNumber } from "../../words/format.js";
import { nounsOf } from "../../words/nouns.js";
import { isKeeping, withRule } from "../filters/filter_rules.js";
import { moveByKey } from "../shared/row_keys.js";
import { createExport } from "../table/table_export.js";
import { compareButton, createSetMaker } from "./set_maker.js";

/** @typedef {import("../../page/parts/ui.js").Context} Context */
/** @typedef {import("./set_requests.js").CellSet} CellSet */
/** @typedef {import("../../state/state.js").State} State */
/** @typedef {import("../../state/actions.js").Actions} Actions */

/** @param {import("../index.js").Given} given @returns {import("../index.js").DrawPanel} */
export function createSets({ client, redraw, sets: list, comparing }) {
  /** Progress of an export, and its set. */
  let exportNote = { name: "", sentence: "" };
  const exported = createExport(client, (sentence) => then(() => void (exportNote = { ...exportNote, sentence })));
  /** Names of the open sets. @type {Set<string>} */
  const open = new Set();
  /** The row that Tab moves to. */
  let active = "";
  const maker = createSetMaker({ redraw, sets: list, comparing });
  /** Input so far in the rename field of a set. */
  let renamed = { name: "", to: "" };

  /** @param {() => void} change */
  function then(change) {
    change();
    redraw();
  }

  /** @param {Context} context @param {CellSet} set @param {number} i @param {CellSet[]} sets @param {boolean} isFirst */
  function row(context, set, i, sets, isFirst) {
    const { state } = context;
    const { name, n, above, color, depth, fault } = set;
    const [isOpen, isOffline] = [open.has(name), state.link === "offline"];
    const select = (/** @type {MouseEvent} */ event) =>
      list.edit({ op: "select", name, mode: modeOf({ shift: event.shiftKey, alt: event.altKey }) });
    return html`<li class=${isOpen ? "open" : ""} style="--depth:${depth}"><div class="column">
      ${sets.length > 1 ? chooser(state, name) : nothing}<button type="button" class="opener" data-row=${i} tabindex=${isFirst ? 0 : -1} aria-expanded=${isOpen} title=${name} ?disabled=${isOffline}
        @click=${() => then(() => ((active = name), open.delete(name) || open.add(name)))}>${ICONS.down}<i class="swatch" style="--c:${safeColor(color)}"></i><span class="label">${name}</span>
        <span class="kind" title=${above === null ? nothing : `${share(n, above.n)} of ${above.name}`}>${fault === "" ? shortCount(n) : "?"}</span></button>
      ${colorButton(context, `sets:${name}`, name, fault !== "")}
      <button type="button" class="small" aria-label="Select ${name}" title="Select its ${nounsOf(state).obs.many}\n${MODES_HINT}" ?disabled=${isOffline || fault !== ""} @click=${select}>${ICONS.lasso}</button>
    </div>${isOpen ? body({ ...context, sets }, set, i) : nothing}</li>`;
  }

  /** @param {Context} context @param {string} spec @param {string} name @param {boolean} isOff */
  function colorButton({ state, actions }, spec, name, isOff) {
    const isShown = (state.nextColor ?? state.color)?.spec === spec;
    return html`<button type="button" class="small colors" aria-label="Color by ${name}" title="Color by ${name}" aria-pressed=${isShown} ?disabled=${isOff || state.link === "offline"}
      @click=${() => actions.setTrait("color", spec)}><i></i></button>`;
  }

  /** @param {Context & {sets: CellSet[]}} context @param {CellSet} set @param {number} i */
  function body(context, { name, of, n, above, color, nFiltered, nSelected, nChosen, isRule, fault }, i) {
    const { state, actions, sets } = context;
    const spec = `set:${name}`;
    const isOnly = isKeeping(state.traits.filters, spec);
    const filterButton = html`<button type="button" class="text" aria-pressed=${isOnly} ?disabled=${state.link === "offline" || fault !== ""}
      @click=${() => actions.setTrait("filters", withRule(state.traits.filters, spec, isOnly ? null : { set: name, of }))}>Only these</button>`;
    const act = (/** @type {string} */ op, /** @type {string} */ label, off = false) =>
      html`<button type="button" class="text" ?disabled=${off || state.link === "offline"} @click=${() => list.edit({ op, name })}>${label}</button>`;
    const rename = (/** @type {Event} */ event) => {
      const to = textIn(event).trim();
      renamed = { name: "", to: "" };
      if (to === "" || to === name) return redraw(); // keep the old name
      void list.edit({ op: "rename", name, to }).then((done) => {
        if (done !== null) then(() => void (open.delete(name) && open.add(to)));
      });
    };
    const { obs } = nounsOf(state);
    const save = () => {
      exportNote = { name, sentence: "" };
      const table = { ...state.traits.table, of: /** @type {const} */ ("filter") };
      const traits = { ...state.traits, table, filters: [{ set: name, of }] };
      void exported.save({ ...state, traits }, name);
    };
    const nBoth = state.traits.filters.length === 0 ? null : nChosen;
    const holds =
      fault !== ""
        ? fault
        : html`${counted(n, obs)}${above === null ? nothing : html`, ${share(n, above.n)} of <bdi>${above.name}</bdi>`}${state.traits.filters.length === 0 ? nothing : `, ${wholeNumber(nFiltered)} pass`}${state.selection.n === 0 ? nothing : `, ${wholeNumber(nSelected)} selected${nBoth === null ? "" : ` (${wholeNumber(nBoth)} pass)`}`}.
        ${isRule ? "Has a rule, so it can be applied to other data." : "Has no rule, so it applies to this dataset only."}`;
    return html`<div class="body">
      <p class="caption">${holds}</p>
      <div class="named"><input type="color" aria-label="Color of ${name}" title="Color" .value=${live(safeColor(color))} ?disabled=${state.link === "offline"} @change=${(/** @type {Event} */ event) => list.edit({ op: "color", name, to: textIn(event) })}>
      <div class="box"><input type="text" id="set-${i}" aria-label="Name of ${name}" maxlength="200" autocomplete="off" spellcheck="false" .value=${live(renamed.name === name ? renamed.to : name)}
        @input=${(/** @type {Event} */ event) => void ((renamed = { name, to: textIn(event) }))} @change=${rename}></div></div>
      <div class="doing">${filterButton} ${onPlot(state, actions, name, fault !== "")} ${act("zoom", "Zoom to", n === 0)} ${act("others", "Select all others", fault !== "")}
        ${compareButton(context, comparing, `set:${name}`, n === 0)}
        <button type="button" class="text" title="Download its ${obs.many} with the columns of the table" ?disabled=${n === 0 || state.link === "offline"} @click=${save}>${exported.isBusy() && exportNote.name === name ? "Stop" : "CSV"}</button>
        ${act("put", "Replace with selection")} ${act("delete", "Delete")}</div>
      <p class="caption" role="status">${exportNote.name === name ? exportNote.sentence : ""}</p>
      ${compared(state, actions, name, sets)}
    </div>`;
  }

  /** A checkbox that chooses a set to combine. @param {State} state @param {string} name */
  function chooser({ link }, name) {
    const isChosen = list.chosen.includes(name);
    const choose = () =>
      then(() => void (list.chosen = isChosen ? list.chosen.filter((one) => one !== name) : [...list.chosen, name]));
    return html`<input type="checkbox" class="chooser-of" aria-label="Combine ${name}" title="Choose two or more to combine them" .checked=${live(isChosen)} ?disabled=${link === "offline"} @change=${choose}>`;
  }

  return (context) => {
    if (context === null) return nothing;
    const sets = list.now();
    const { many } = nounsOf(context.state).obs;
    const none = `No sets yet. Select ${many} with a lasso, in the legend or in the table, then name them.`;
    const n = { one: `set of ${many}`, many: `sets of ${many}` };
    const first = (sets ?? []).find(({ name }) => name === active) ?? sets?.[0];
    const press = (/** @type {KeyboardEvent} */ event) => {
      const at = moveByKey(event, sets?.length ?? 0);
      if (at !== null) then(() => void (active = sets?.[at]?.name ?? active));
    };
    return html`<div class="columns sets" @keydown=${press}>
      ${maker.namer(context, sets ?? [])}
      ${list.fault() === "" ? nothing : html`<p class="fault" role="alert">${list.fault()}</p>`}
      <div class="counted-sets"><p class="caption" role="status">${sets === null ? "Reading…" : sets.length === 0 ? none : counted(sets.length, n)}</p>
        ${(sets ?? []).length === 0 ? nothing : colorButton(context, "sets:", `all ${n.many}`, false)}</div>
      ${maker.combiner(context.state, sets ?? [])}
      <ul class="list" aria-label="Sets of ${many}">${(sets ?? []).map((set, i) => row(context, set, i, sets ?? [], set === first))}</ul>
    </div>`;
  };
}

/** A button that shows or hides contours around a set.
 * @param {State} state @param {Actions} actions @param {string} name @param {boolean} isLost */
function onPlot(state, actions, name, isLost) {
  const { contours } = state.traits;
  const names = Array.isArray(contours) ? contours : [];
  const isOn = names.includes(name);
  const left = names.filter((one) => one !== name);
  const put = () => actions.setTrait("contours", isOn ? (left.length > 0 ? left : null) : [...names, name]);
  const isFull = !isOn && names.length >= MOST_SETS_ON_PLOT;
  return html`<button type="button" class="text" aria-pressed=${isOn} ?disabled=${state.link === "offline" || isLost || isFull}
    title=${isFull ? `At most ${MOST_SETS_ON_PLOT} sets can have contours` : `Lines enclose ${ENCLOSED} of its ${nounsOf(state).obs.many}`} @click=${put}>Contours</button>`;
}

/** A select for the set to compare its density with.
 * @param {State} state @param {Actions} actions @param {string} name @param {CellSet[]} sets */
function compared({ traits: { difference }, link }, actions, name, sets) {
  const others = sets.filter((one) => one.name !== name && one.fault === "");
  if (others.length === 0) return nothing;
  const other = difference?.[0] === name ? difference[1] : "";
  const choose = (/** @type {Event} */ event) =>
    actions.setTrait("difference", textIn(event) === "" ? null : [name, textIn(event)]);
  return html`<label class="setting choose" title="Map where this set is denser or sparser than another"><span>Difference</span>
    <select class="wide" aria-label="Difference of ${name} from" .value=${live(other)} ?disabled=${link === "offline"} @change=${choose}>
      <option value="" ?selected=${other === ""}>none</option>
      ${others.map((one) => html`<option value=${one.name} ?selected=${one.name === other}>from ${one.name}</option>`)}</select></label>`;
}
