/** Entry of the second module: creates the panels of a view and exports the code that draws on the plot. */
import { html, nothing } from "lit-html";
import { PANELS } from "../page/parts/panel_buttons.js";
import { createAnnotations } from "./annotations/annotations_panel.js";
import { createColumns } from "./columns/columns_panel.js";
import { createOpened } from "./columns/open_columns.js";
import { createCompare } from "./compare/compare_panel.js";
import { createComparing } from "./compare/comparison_requests.js";
import { filterChips } from "./filters/active_filters.js";
import { createBlendLegend } from "./genes/blend_legend.js";
import { createGenes } from "./genes/genes_panel.js";
import { keyList } from "./keyboard_help.js";
import { notesPopover } from "./notes_popover.js";
import { createOffer } from "./offer.js";
import { createPictureMenu } from "./pictures/picture_menu.js";
import { createSetList } from "./sets/set_requests.js";
import { createSets } from "./sets/sets_panel.js";
import { colormapList } from "./settings/colormap_list.js";
import { settingsPopover } from "./settings/settings_popover.js";
import { createTissueChoice } from "./settings/tissue_choice.js";
import { createTwoColumns } from "./settings/two_columns.js";
import { createDrawer } from "./shared/drawer.js";
import { createStudy } from "./study/study_panel.js";
import css from "./style.css";
import { createTable } from "./table/table_panel.js";

export { depart, fade } from "../picture/motion.js";
export { summaryOf } from "../words/summary.js";
export { takeColumn } from "./columns/merge_counts.js";
export { createKeyShape } from "./keyboard_shape.js";
export { linkPlots } from "./linked/linked.js";
export { createLandmarks } from "./overlays/landmarks.js";
export { notesOnPlot } from "./overlays/overlay_notes.js";
export { createPictures, saveFile } from "./pictures/plot_picture.js";

/** @typedef {import("../page/parts/ui.js").Context} Context */
/** @typedef {import("../state/state.js").Dataset} Dataset */
/** @typedef {(context: Context | null, dataset?: Dataset) => unknown} DrawPanel null = the panel is closed */
/** @typedef {{client: import("../wire/client.js").Client, redraw: () => void, opened: import("./columns/open_columns.js").Opened, sets: Sets,
 *   comparing: import("./compare/comparison_requests.js").Comparing}} Given */
/** Sets of cells, shared by the panels that list them.
 * @typedef {Pick<ReturnType<typeof createSetList>, "edit" | "fault" | "combined"> &
 *   {now: () => import("./sets/set_requests.js").CellSet[] | null, chosen: string[]}} Sets */

/** The factory of each panel, by panel name.
 * @type {Record<import("../wire/constants.js").PanelName, (given: Given) => DrawPanel>} */
const MAKERS = {
  columns: createColumns,
  genes: createGenes,
  sets: createSets,
  annotations: createAnnotations,
  table: createTable,
  compare: createCompare,
  study: createStudy,
};
/** Panels whose open rows are counted, with the prefix of their specs. */
const COUNTED = { columns: "obs:", genes: "var:" };
/** Panels below the plot; all others share the drawer beside it. */
const BELOW = ["table", "compare", "study"];
/** Panels that list sets of cells. */
const OF_SETS = ["sets", "compare"];

/** @type {import("../page/second_module.js").CreatePanels} */
export function createPanels(client, redraw) {
  const style = document.createElement("style");
  style.textContent = css;
  const drawer = createDrawer({ client, redraw });
  const opened = createOpened(client, redraw);
  const twoColumns = createTwoColumns({ client, redraw });
  const tissueChoice = createTissueChoice({ client, redraw });
  const pictureMenu = createPictureMenu({ client, redraw });
  const blendLegend = createBlendLegend({ client, redraw });
  const offer = createOffer({ client, redraw });
  const comparing = createComparing(client, redraw);
  const setList = createSetList(client, redraw);
  /** @type {ReturnType<Sets["now"]>} */
  let listedSets = null;
  /** @type {Sets} */
  const sets = {
    edit: setList.edit,
    fault: setList.fault,
    combined: setList.combined,
    now: () => listedSets,
    chosen: [],
  };
  const given = { client, redraw, opened, sets, comparing };
  const panels = PANELS.map(({ id, ...about }) => ({ ...about, id, draw: MAKERS[id](given) }));
  return (context) => {
    const { dataset, traits } = context?.state ?? { dataset: null, traits: null };
    const isOpen = (/** @type {string} */ id) => dataset !== null && traits?.open_panels.includes(id);
    listedSets = setList.follow(OF_SETS.some(isOpen) ? (context?.state ?? null) : null, { chosen: sets.chosen });
    for (const { id, draw } of panels) if (!isOpen(id)) draw(null);
    const isAnyOpen = Object.keys(COUNTED).some(isOpen);
    opened.follow(context !== null && isAnyOpen ? context.state : null, (spec) =>
      isCounted(spec, isOpen, traits?.pinned_genes ?? []),
    );
    const legend = blendLegend(dataset === null ? null : context);
    if (context === null || dataset === null)
      return {
        side: nothing,
        chips: nothing,
        bottom: nothing,
        settings: nothing,
        saving: nothing,
        legend: nothing,
        notes: nothing,
        place: nothing,
      };
    // Each panel keeps its own slot, so that opening one does not render another anew.
    const inPlace = (
      /** @type {boolean} */ isBelow,
      /** @type {string} */ name,
      /** @type {unknown} */ first = nothing,
    ) => {
      const here = panels.filter(({ id }) => BELOW.includes(id) === isBelow);
      if (first === nothing && !here.some(({ id }) => isOpen(id))) return nothing;
      return html`<div class=${name}>${first}${here.map(({ draw, ...panel }) => (isOpen(panel.id) ? drawer(context, panel, draw(context, dataset)) : nothing))}</div>`;
    };
    const side = html`${style}${keyList(context)}${inPlace(false, "panel drawer")}`;
    return {
      side,
      chips: filterChips(context),
      bottom: inPlace(true, "below", offer(context)),
      settings: settingsPopover(context, tissueChoice),
      saving: pictureMenu(context),
      legend: legend ?? colormapList(context),
      notes: notesPopover(context),
      place: twoColumns(context),
    };
  };
}

/** Whether an open panel lists the row of a column or a pinned gene. @param {string} spec
 * @param {(panel: string) => boolean | undefined} isOpen @param {string[]} pinned */
function isCounted(spec, isOpen, pinned) {
  const isListed = (/** @type {string} */ panel) => panel !== "genes" || pinned.includes(spec.slice(4));
  return Object.entries(COUNTED).some(([panel, of]) => spec.startsWith(of) && isOpen(panel) && isListed(panel));
}
