/** The Study panel: samples as points, by condition: composition, expression, differences, covariates, lost cells. */
import { html, nothing } from "lit-html";
import { modeOf } from "../../plot/lasso.js";
import { memo } from "../../state/memo.js";
import { share, shortNumber, wholeNumber } from "../../words/format.js";
import { nounsOf } from "../../words/nouns.js";
import { inksOf } from "./condition_inks.js";
import { createDesignForm } from "./design_form.js";
import { createDifferences } from "./differences.js";
import { createLost } from "./lost.js";
import { createStripList } from "./strip_list.js";
import { cardsOf, covariateCards, describeTest, samplesOf } from "./study_cards.js";
import { SECTIONS, studyChoices } from "./study_choices.js";
import { excludedOf, notesOf, studyHead } from "./study_head.js";
import { createStudying, isOfSelection } from "./study_requests.js";

/** @typedef {import("../../page/parts/ui.js").Context} Context */
/** @typedef {import("../../wire/protocol.js").StudyPart} StudyPart */
/** @typedef {import("./study_cards.js").Card} Card */
/** @typedef {import("./study_cards.js").Sample} Sample */
/** @typedef {import("./study_requests.js").Section} Section */

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
      <div class="answer">${isForm ? html`${form.draw(context)}${design === null ? nothing : notesOf(studying.part())}` : body(context)}</div>
    </div>`;
  };

  /** @param {Context} context */
  function body(context) {
    const { state } = context;
    const { section } = studying.choice();
    const part = studying.part();
    const { many } = nounsOf(state).obs;
    if (section === "expression" && state.traits.pinned_genes.length === 0) return withoutGenes(context);
    if (isOfSelection(studying.choice()) && state.selection.n === 0)
      return html`<p class="caption" role="status">Select ${many} with a lasso, in the legend or in the table.</p>`;
    const isEmpty =
      part !== null &&
      part.samples.length > 0 &&
      part.rows.length === 0 &&
      section !== "covariates" &&
      section !== "lost";
    const toggleNotes = () => ((areNotesOpen = !areNotesOpen), redraw());
    return html`${studyHead(state, studying, areNotesOpen, toggleNotes)}${areNotesOpen ? notesOf(part) : nothing}${excludedOf(state, exclude)}
      ${part === null ? nothing : isEmpty ? html`<p class="caption">No ${many} to show.</p>` : content(context, part)}`;
  }

  /** @param {Context} context @param {StudyPart} part */
  function content(context, part) {
    const { state } = context;
    const { section, by, pair, within } = studying.choice();
    const noun = nounsOf(state).obs;
    const isOld = studying.isBusy();
    if (section === "differences") return differences(context, part, isOld);
    const isCovariates = section === "covariates";
    const { conditions, columns } = part;
    const shown = { samples: read([part], () => samplesOf(part)), conditions, inks: inksOf(part, state), isOld };
    if (section === "lost") return lost(context, shown);
    if (isCovariates && columns.length === 0)
      return html`<p class="caption">The design has no covariates. Add them under Design…</p>`;
    const chosen = pair < part.pairs.length ? pair : 0;
    const whole = by !== "" ? "" : section === "composition" ? "the selection" : `all ${noun.many}`;
    const cards = made([part, section, chosen, whole], () =>
      isCovariates ? covariateCards(part) : cardsOf(part, chosen, whole),
    );
    const [a, b] = (part.pairs[chosen] ?? []).map((i) => conditions[i]);
    return strips.draw(context, {
      ...shown,
      cards,
      hasBoxes: isCovariates,
      label: SECTIONS[section],
      describeTest: (card) => describeTest(card, a, b),
      isKept: within === "selection",
      describePoint: (card, i) => describePoint(section, card, shown.samples[i], i, noun.many),
    });
  }
}

/** Without genes, there is no expression. @param {Context} context */
function withoutGenes({ state, actions }) {
  const { many } = nounsOf(state).var;
  const open = () => {
    const { open_panels: panels } = state.traits;
    if (!panels.includes("genes")) actions.setTrait("open_panels", [...panels, "genes"]);
  };
  return html`<p class="caption" role="status">Pin ${many} to see them by sample. <button type="button" class="text" @click=${open}>Open the panel of ${many}</button></p>`;
}

/** Names and values of a sample's point. @param {Section} section @param {Card} card @param {Sample} sample
 * @param {number} i its number @param {string} many noun of cells @returns {string[][]} */
function describePoint(section, { name, values, counts, steps }, { n_cells: all }, i, many) {
  const n = counts?.[i] ?? 0;
  if (section === "composition")
    return [
      ["share", share(n, all)],
      [many, `${wholeNumber(n)} of ${wholeNumber(all)}`],
    ];
  const value = [name, steps[values[i]] ?? shortNumber(values[i])];
  return section === "covariates" ? [value] : [value, [many, wholeNumber(n)]];
}
