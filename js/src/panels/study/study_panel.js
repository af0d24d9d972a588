/** The Study panel: samples as points, by condition: composition, expression, differences, covariates, lost cells. */
import { html, nothing } from "lit-html";
import { modeOf } from "../../plot/lasso.js";
import { memo } from "../../state/memo.js";
import { counted, share, shortNumber, wholeNumber } from "../../words/format.js";
import { nounsOf } from "../../words/nouns.js";
import { createDesignForm } from "./design_form.js";
import { createDifferences } from "./differences.js";
import { createLost } from "./lost.js";
import { createStripList } from "./strip_list.js";
import { cardsOf, covariateCards, describeTest, samplesOf } from "./study_cards.js";
import { SECTIONS, studyChoices } from "./study_choices.js";
import { createStudying, isOfSelection } from "./study_requests.js";

/** @typedef {import("../../page/parts/ui.js").Context} Context */
/** @typedef {import("../../wire/protocol.js").StudyPart} StudyPart */
/** @typedef {import("./study_cards.js").Card} Card */
/** @typedef {import("./study_cards.js").Sample} Sample */

/** @param {import("../index.js").Given} given @returns {import("../index.js").DrawPanel} */
export function createStudy({ client, redraw, comparing }) {
  const studying = createStudying(client, redraw);
  /** The checks of a new design are shown at once. */
  let areNotesOpen = false;
  const form = createDesignForm(redraw, studying, () => (areNotesOpen = true));
  const strips = createStripList(redraw, { pick, exclude });
  const differences = createDifferences(redraw, { open, pick });
  const lost = createLost(redraw, { pick, exclude });
  const made = /** @type {ReturnType<typeof memo<Card[]>>} */ (memo());
  const read = /** @type {ReturnType<typeof memo<Sample[]>>} */ (memo());
  /** @type {Context | null} */
  let now = null;

  /** @param {{sample?: string, condition?: string, category?: string}} of @param {MouseEvent | KeyboardEvent} event */
  function pick(of, { shiftKey: shift, altKey: alt }) {
    if (now?.state.link === "live") studying.pick(of, modeOf({ shift, alt }));
  }

  /** Exclude a sample, or include it again. @param {{name: string}} sample */
  function exclude({ name }) {
    const design = now?.state.traits.study_design;
    if (!design || now === null || now.state.link === "offline") return;
    const { excluded } = design;
    const after = excluded.includes(name) ? excluded.filter((one) => one !== name) : [...excluded, name];
    now.actions.setTrait("study_design", { ...design, excluded: after });
  }

  /** Show the genes of a field in the Compare panel. @param {string} category @param {number[]} pair */
  function open(category, pair) {
    const part = studying.part();
    if (now === null || part === null) return;
    const { by, within } = studying.choice();
    const [a, b] = pair.map((i) => part.conditions[i]);
    const { open_panels: panels } = now.state.traits;
    if (!panels.includes("compare")) now.actions.setTrait("open_panels", [...panels, "compare"]);
    comparing.open({ kind: "study_open", category, a, b, by, within });
  }

  return (context) => {
    now = context;
    studying.follow(context?.state ?? null);
    if (context === null) return nothing;
    const { study_design: design } = context.state.traits;
    const isForm = design === null || form.isOpen();
    return html`<div class="study ${isForm ? "without" : ""}">
      <div class="study-bar">${
        isForm
          ? html`<span class="caption">${design === null ? "No study yet" : "Design of the study"}</span>`
          : studyChoices(
              context,
              studying,
              () => strips.begin(),
              () => form.toggle(design),
            )
      }</div>
      <div class="answer">${isForm ? html`${form.draw(context)}${design === null ? nothing : notes(studying.part(), true)}` : body(context)}</div>
    </div>`;
  };

  /** @param {Context} context */
  function body(context) {
    const { state, actions } = context;
    const { section } = studying.choice();
    const part = studying.part();
    const fault = studying.fault(state);
    const { many } = nounsOf(state).obs;
    const genes = nounsOf(state).var.many;
    if (section === "expression" && state.traits.pinned_genes.length === 0) {
      const openGenes = () => {
        const { open_panels: panels } = state.traits;
        if (!panels.includes("genes")) actions.setTrait("open_panels", [...panels, "genes"]);
      };
      return html`<p class="caption" role="status">Pin ${genes} to see them by sample. <button type="button" class="text" @click=${openGenes}>Open the panel of ${genes}</button></p>`;
    }
    if (isOfSelection(studying.choice()) && state.selection.n === 0)
      return html`<p class="caption" role="status">Select ${many} with a lasso, in the legend or in the table.</p>`;
    const isEmpty =
      part === null ||
      (part.samples.length > 0 && part.rows.length === 0 && section !== "covariates" && section !== "lost");
    return html`${fault === "" ? nothing : html`<p class="fault" role="alert">${fault}</p>`}
      <div class="compared"><span class="what" role="status" title=${part?.title ?? ""}>${part?.title ?? (fault === "" ? "Reading…" : "")}</span>${busy(state)}${
        part === null || part.notes.length === 0
          ? nothing
          : html`<button type="button" class="text" aria-expanded=${areNotesOpen} @click=${() => ((areNotesOpen = !areNotesOpen), redraw())}>${counted(part.notes.length, { one: "note", many: "notes" })}</button>`
      }</div>
      ${notes(part, areNotesOpen)}${excludedList(state)}
      ${part === null ? nothing : isEmpty ? html`<p class="caption">No ${many} to show.</p>` : content(context, part)}`;
  }

  /** @param {Context["state"]} state */
  function busy({ building }) {
    if (studying.isStopped())
      return html`<button type="button" class="text" @click=${() => studying.again()}>Compute</button>`;
    const work = building?.ends_by === "study" ? building : null;
    if (!studying.isBusy() || work === null) return nothing;
    return html`<span class="caption">${work.what}, ${Math.floor(100 * work.done)}\u00a0%</span><button type="button" class="text" @click=${() => studying.cancel()}>Cancel</button>`;
  }

  /** @param {StudyPart | null} part @param {boolean} areShown */
  function notes(part, areShown) {
    if (part === null || !areShown || part.notes.length === 0) return nothing;
    return html`<ul class="notes-of" tabindex="0" aria-label="Notes">${part.notes.map((note) => html`<li>${note}</li>`)}</ul>`;
  }

  /** Excluded samples, each with a way back. @param {Context["state"]} state */
  function excludedList({ traits, link }) {
    const excluded = traits.study_design?.excluded ?? [];
    if (excluded.length === 0) return nothing;
    return html`<div class="names excluded-of"><span class="caption">Excluded</span>${excluded.map(
      (name) =>
        html`<button type="button" class="name" title="Include ${name} again" aria-label="Include ${name} again" ?disabled=${link === "offline"} @click=${() => exclude({ name })}>${name} ×</button>`,
    )}</div>`;
  }

  /** @param {Context} context @param {StudyPart} part */
  function content(context, part) {
    const { section, by, pair, within } = studying.choice();
    const noun = nounsOf(context.state).obs;
    const isOld = studying.isBusy();
    const samples = read([part], () => samplesOf(part));
    const { conditions, columns } = part;
    if (section === "lost") return lost(context, samples, conditions, isOld);
    if (section === "differences") return differences(context, part, isOld);
    const isCovariates = section === "covariates";
    if (isCovariates && columns.length === 0)
      return html`<p class="caption">The design has no covariates. Add them under Design…</p>`;
    const chosen = pair < part.pairs.length ? pair : 0;
    const whole = by !== "" ? "" : section === "composition" ? "the selection" : `all ${noun.many}`;
    const cards = made([part, section, chosen, whole], () =>
      isCovariates ? covariateCards(part) : cardsOf(part, chosen, whole),
    );
    const [a, b] = (part.pairs[chosen] ?? []).map((i) => conditions[i]);
    return strips.draw(context, {
      cards,
      samples,
      conditions,
      hasBoxes: isCovariates,
      isOld,
      label: SECTIONS[section],
      describeTest: ({ test }) => describeTest(test, a, b),
      isKept: within === "selection",
      describePoint({ name, values, counts, steps }, i) {
        const n = counts?.[i] ?? 0;
        if (section === "composition") {
          const { n_cells: all } = samples[i];
          return [
            ["share", share(n, all)],
            [noun.many, `${wholeNumber(n)} of ${wholeNumber(all)}`],
          ];
        }
        const value = [name, steps[values[i]] ?? shortNumber(values[i])];
        return isCovariates ? [value] : [value, [noun.many, wholeNumber(n)]];
      },
    });
  }
}
