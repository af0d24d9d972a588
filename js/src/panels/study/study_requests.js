/** The study of a widget, which all its views share: what is shown, its requests and the newest part of each section. */

/** @typedef {import("../../state/state.js").State} State */
/** @typedef {import("../../wire/protocol.js").StudyPart} StudyPart */
/** @typedef {NonNullable<State["traits"]["study_design"]>} Design */
/** @typedef {"composition" | "expression" | "differences" | "covariates" | "lost"} Section */
/** @typedef {{section: Section, by: string, within: "filter" | "selection", pair: number}} Choice by: column of types,
 *   "" = none; pair: index in the pairs of conditions */

/** A day: the user can cancel earlier. */
const WAIT_MS = 86_400_000;
/** Sections that compare types. */
const OF_TYPES = ["composition", "expression", "differences"];

/**
 * @typedef {object} Shared
 * @property {Choice} choice
 * @property {string} byOf the design for which a column of types was proposed; "?" = the user has chosen one
 * @property {string} wanted what was requested last
 * @property {boolean} isBusy
 * @property {boolean} isStopped whether the user canceled the last request
 * @property {StudyPart | null} part the newest answer
 * @property {string} of the section that it answers
 * @property {string} failed the section whose newest request failed; "" = none
 * @property {string} form sample column whose proposals were requested last; "?" = none
 * @property {StudyPart | null} proposed
 * @property {State["dataset"]} dataset the newest description
 * @property {number} nDatasets descriptions so far: labels of an annotation change them
 * @property {Set<() => void>} views the redraw function of each open panel
 */

/** @type {WeakMap<object, Shared>} */
const SHARED = new WeakMap();

/** @typedef {ReturnType<typeof createStudying>} Studying */

/** @param {import("../../wire/client.js").Client} client @param {() => void} redraw */
export function createStudying(client, redraw) {
  /** @type {Shared} */
  const shared = SHARED.get(client) ?? {
    choice: { section: "composition", by: "", within: "filter", pair: 0 },
    byOf: "",
    wanted: "",
    isBusy: false,
    isStopped: false,
    part: null,
    of: "",
    failed: "",
    form: "?",
    proposed: null,
    dataset: null,
    nDatasets: 0,
    views: new Set(),
  };
  SHARED.set(client, shared);

  function draw() {
    for (const one of shared.views) one();
  }

  /** @param {Section} section @param {string} by */
  async function ask(section, by) {
    const { wanted, choice } = shared;
    [shared.isBusy, shared.isStopped] = [true, false];
    const part = OF_TYPES.includes(section) ? section : "samples";
    const within = isOfShare(choice) ? "filter" : choice.within;
    const answer = await client.ask({ kind: "study", part, by, within }, WAIT_MS);
    if (shared.wanted !== wanted || shared.isStopped) return; // a newer request has replaced this one
    shared.isBusy = false;
    shared.failed = answer === null ? section : "";
    if (answer !== null) [shared.part, shared.of] = [/** @type {StudyPart} */ (answer[0]), section];
    draw();
  }

  /** @param {string} sample */
  async function propose(sample) {
    const answer = await client.ask({ kind: "study", part: "form", by: sample, within: "filter" });
    if (shared.form !== sample) return;
    shared.proposed = answer === null ? null : /** @type {StudyPart} */ (answer[0]);
    draw();
  }

  return {
    choice: () => shared.choice,
    /** @param {Partial<Choice>} change */
    put(change) {
      if (change.by !== undefined) shared.byOf = "?";
      shared.choice = { ...shared.choice, ...change };
      draw();
    },
    isBusy: () => shared.isBusy,
    isStopped: () => shared.isStopped,
    /** The newest answer of the section that is shown, perhaps to an older question; null = none yet. */
    part: () => (shared.of === shared.choice.section ? shared.part : null),
    /** The error of the newest request, in the section that made it, or of a field or point; "" = none.
     * @param {State} state */
    fault({ error }) {
      const [kind] = (error?.of ?? "").split(" "); // of a request for a part followed by its name
      const isShown = kind === "study" ? shared.failed === shared.choice.section : kind.startsWith("study");
      return isShown && !shared.isBusy ? (error?.message ?? "") : "";
    },
    /** Cancel the running request; the last answer stays. */
    cancel() {
      [shared.isBusy, shared.isStopped] = [false, true];
      client.tell({ kind: "cancel", of: "study", panel: 0 });
      draw();
    },
    again() {
      shared.wanted = "";
      draw();
    },
    /** Proposals for a form: candidates for samples, or columns with one value per sample. @param {string} sample */
    proposals(sample) {
      if (shared.form !== sample) {
        shared.form = sample;
        queueMicrotask(() => void propose(sample));
      }
      return shared.proposed;
    },
    /** Select the cells of a point, bar or field. "" = any.
     * @param {{sample?: string, condition?: string, category?: string}} of @param {import("../../wire/protocol.js").Mode} mode */
    pick({ sample = "", condition = "", category = "" }, mode) {
      const by = category === "" ? "" : shared.choice.by;
      void client.ask({ kind: "study_pick", panel: 0, sample, condition, category, by, mode });
    },
    /** Request a part after each change of what it depends on. Called at each redraw.
     * @param {State | null} state null = the panel is closed */
    follow(state) {
      if (state === null) return void shared.views.delete(redraw);
      shared.views.add(redraw);
      const { study_design: design, pinned_genes: genes, layer } = state.traits;
      const byOf = shared.byOf === "?" ? "?" : JSON.stringify([design?.sample, design?.condition]);
      if (shared.dataset !== state.dataset) [shared.dataset, shared.nDatasets] = [state.dataset, shared.nDatasets + 1];
      const { section, by: column, within } = shared.choice;
      const isLost = column !== "" && !typeColumns(state.dataset).includes(column);
      if (byOf !== shared.byOf || isLost) {
        shared.byOf = byOf;
        shared.choice = { ...shared.choice, by: typesOf(state) };
      }
      if (state.link !== "live" || design === null || (section === "expression" && genes.length === 0)) return;
      const by = OF_TYPES.includes(section) ? shared.choice.by : "";
      const of = [
        isOfSelection(shared.choice) ? state.selection.seq : 0,
        section === "expression" ? [genes, layer] : 0,
      ];
      const cells = [isOfShare(shared.choice) || within, state.filter.seq, shared.nDatasets];
      const wanted = JSON.stringify([section, by, design, cells, of]);
      if (wanted === shared.wanted) return;
      shared.wanted = wanted;
      // Not within a redraw, since a request draws the panel.
      queueMicrotask(() => void ask(section, by));
    },
  };
}

/** Whether the share of the selection in each sample is shown. @param {Choice} choice */
export const isOfShare = ({ section, by }) => section === "composition" && by === "";

/** Whether an answer depends on the selection. @param {Choice} choice */
export const isOfSelection = (choice) => choice.within === "selection" || isOfShare(choice);

/** The column of types that is shown first: the coloring, or the first categories that are not part of the design.
 * @param {State} state @returns {string} "" = none */
function typesOf({ color, dataset, traits: { study_design: design } }) {
  const used = [design?.sample, design?.condition, design?.pair, ...(design?.covariates ?? [])];
  const names = typeColumns(dataset).filter((name) => !used.includes(name));
  const colored = names.find((name) => color?.spec === `obs:${name}`);
  return colored ?? names.find((name) => /type|cluster|leiden|louvain/i.test(name)) ?? names[0] ?? "";
}

/** @param {State["dataset"]} dataset @returns {string[]} columns of categories */
export function typeColumns(dataset) {
  const { columns = [] } = dataset ?? {};
  return columns.filter(({ kind }) => kind !== "int" && kind !== "float").map(({ name }) => name);
}
