/** Answers the requests of a saved page in place of a kernel, from frames in the file and results computed from
 * them. */
// Changes with cxg_widget/session/routes.py: requests that a saved page answers.
// Changes with cxg_widget/display/search.py: search by name, as a saved page does it.

import { decode } from "../wire/decode.js";
import { countCodes, flagsOf, framed, namesShown, noContours, packedBits, passingOf, shownBy } from "./passing.js";
import { deflatedOf } from "./pieces.js";
import { cellAt, placeOfPanel } from "./pointed.js";
import { describeRounding } from "./texts.js";

/** @typedef {import("./pieces.js").Frame} Frame */
/** @typedef {import("../wire/protocol.js").Request} Request */

/** True for requests that the page makes by itself: if the file has no reply, they fail silently. For the others, the
 * user gets a message. @type {Record<Request["kind"], boolean>} */
const IS_QUIET = {
  ...{
    ready: false,
    begun: true,
    restore: false,
    module: false,
    cancel: true,
    undo: false,
    figure: false,
    code: false,
  },
  ...{ lasso: false, category: false, pick: false, clear: false, count: true, sets: true, set: false },
  ...{ annotations: true, annotation: false, hover: false, search: false, place: false, look: false, zoom: true },
  ...{ aggregate: true, columns: true, find: true, fields: true, brush: true, genes: true, table: false, csv: false },
  ...{ labels: true, contours: true, difference: true, sections: false, tissue: true },
  ...{ compare: false, comparison: false, quick: true, sketch: false },
  ...{ study: true, study_open: false, study_pick: false },
};
const NO_BITS = new Uint8Array(0);

/**
 * @param {import("./held.js").About} about @param {import("./held.js").Held} held @param {import("./now.js").Now} now
 * @param {() => import("./host.js").Host} host
 */
export function createKernel(about, held, now, host) {
  let seq = 1;
  /** seq of the coloring, by panel. @type {Map<number, number>} */
  const colorSeqs = new Map();
  /** seq of the filter, by panel. @type {Map<number, number>} */
  const filterSeqs = new Map();
  let selectionSeq = 0;
  let isSelected = false;
  let noun = ["cell", "cells"];

  const colorOf = (/** @type {number} */ panel) => about.panels[panel]?.color ?? now.color;
  const seqOfPlace = (/** @type {number} */ panel) => placeOfPanel(about, panel) + 1;

  /** @param {Frame[]} frames @param {Record<string, any>} over */
  function send(frames, over) {
    for (const { content, buffers } of frames) host().tell({ ...content, ...over }, buffers);
  }

  /** @param {Request["kind"] | "setting"} of @param {number} [id] */
  function refuse(of, id = 0) {
    complain(of, id, of !== "setting" && IS_QUIET[of] ? "Overtaken" : "NotInFile", about.refusal);
  }

  /** @param {string} of @param {number} id @param {string} type @param {string} message */
  const complain = (of, id, type, message) =>
    host().tell({ kind: "error", id, of, type, message, details: "", arrays: [] });

  /** @param {string} kind @returns {Promise<Frame[]>} */
  const first = async (kind) => (await held.frames("start")).filter(({ content }) => content.kind === kind);

  /** @param {any} request */
  async function start({ id }) {
    const dataset = await first("dataset");
    noun = dataset[0].content.obs_noun;
    send(dataset, { id, notes: about.notes });
    send(await held.frames("points 0"), { id, seq: seqOfPlace(0) });
    await sendColor(0, id);
    await sendFilter(id);
    const selection = await first("selection");
    isSelected = selection[0].content.n_selected > 0;
    if (isSelected) send(selection, { id, seq: (selectionSeq = ++seq) });
  }

  /** @param {number} panel @param {number} [id] */
  async function sendColor(panel, id = 0) {
    const index = colorOf(panel);
    const frames = await held.colorFrames(index);
    if (index !== colorOf(panel)) return; // the user has chosen another color meanwhile
    colorSeqs.set(panel, ++seq);
    const shown = frames.filter(({ content }) => content.kind !== "counts");
    send(shown, { panel, id, seq });
  }

  /** Sends which points pass the filters, including the hidden categories of other legends. @param {number} [id] */
  async function sendFilter(id = 0) {
    const { color } = now;
    const [passing, isShown] = await Promise.all([passingOf(held, now, 0), shownNow(color)]);
    if (color !== now.color) return;
    let [n, nShown] = [0, 0];
    for (let i = 0; passing !== null && i < passing.length; i++) {
      n += passing[i];
      nShown += Number(passing[i] === 1 && isShown(i));
    }
    const bits = passing === null ? NO_BITS : packedBits(passing);
    const [{ content }] = await first("filter");
    const counts = { n_passing: about.colors[color].spec.startsWith("obs:") ? nShown : n, n_shown: nShown };
    filterSeqs.set(0, ++seq);
    send([framed({ ...content, ...counts, arrays: { bits } }, { bits: [bits.length] })], { id, seq });
  }

  /** Predicate: true for points that the legend of a color shows. @param {number} index
   * @returns {Promise<(point: number) => boolean>} */
  async function shownNow(index) {
    const { legend, codes } = await held.values(index);
    const isShown = shownBy(legend, now.hides.get(index) ?? []);
    return (point) => codes === null || isShown(codes[point]);
  }

  /** @param {any} request */
  async function clear({ id }) {
    const [{ content }] = await first("selection");
    isSelected = false;
    const none = framed({ ...content, n_selected: 0, arrays: { bits: NO_BITS } }, { bits: [0] });
    send([none], { id, seq: (selectionSeq = ++seq) });
  }

  /** Counts selected passing cells and all passing cells per row of a legend. @param {any} request */
  async function count({ panel, id }) {
    const index = colorOf(panel);
    const { legend, codes } = await held.values(index);
    if (codes === null) return refuse("count", id);
    const [passing, isShown] = await Promise.all([passingOf(held, now, panel), shownNow(index)]);
    const selected = isSelected ? flagsOf((await first("selection"))[0]) : null;
    // Categories hidden in the legend of a column count as a filter.
    const passes = (/** @type {number} */ i) => passing?.[i] !== 0 && (!legend.spec.startsWith("obs:") || isShown(i));
    const chosen = countCodes(codes, legend, (i) => selected?.[i] === 1 && passes(i));
    const all = countCodes(codes, legend, passes);
    const seqs = {
      seq: colorSeqs.get(panel) ?? 0,
      selection_seq: selectionSeq,
      filter_seq: filterSeqs.get(panel) ?? 0,
    };
    const fields = { panel, id, ...seqs, n_selected: chosen.n };
    // For numbers, the file has only the saved counts per bin, which are of all selected cells.
    const saved = (await held.colorFrames(index)).filter(({ content }) => content.kind === "counts");
    if (passing === null && legend.scale === "continuous" && saved.length > 0) return send(saved, fields);
    const arrays = { counts: chosen.counts.slice(0, -1), passing: passing === null ? new Uint32Array(0) : all.counts };
    const shapes = { counts: [arrays.counts.length], passing: [arrays.passing.length] };
    return send([framed({ kind: "counts", n_missing: chosen.counts.at(-1), arrays }, shapes)], fields);
  }

  /** Searches the colors in the file. @param {any} request */
  function search({ query, limit, id }) {
    const wanted = query.trim().toLowerCase();
    const rankOf = (/** @type {string} */ label) =>
      ["startsWith", "includes"].findIndex((how) => /** @type {any} */ (label.toLowerCase())[how](wanted));
    const found = about.colors
      .filter(({ spec, label }) => spec !== "" && rankOf(label) >= 0)
      .sort((a, b) => rankOf(a.label) - rankOf(b.label));
    const matches = found.slice(0, limit);
    host().tell({ kind: "matches", id, query, matches, n_more: found.length - matches.length, arrays: [] });
  }

  /** @param {any} request */
  async function hover(request) {
    const { panel, id } = request;
    const cell = await cellAt(held, about, now, { ...request, color: colorOf(panel), noun });
    host().tell({ kind: "cell", id, panel, arrays: [], ...cell });
  }

  /** Sends labels, contours, a difference or the tissue image. @param {any} request */
  async function over({ kind, id, panel = 0, filters }) {
    const place = placeOfPanel(about, panel);
    const found = (await held.frames("answers")).find(
      ({ content }) => content.kind === kind && (kind === "tissue" || content.panel === place),
    );
    if (found === undefined) return refuse(kind, id);
    const here = { id, panel, ...(kind === "tissue" ? {} : { points_seq: place + 1 }) };
    const message = /** @type {any} */ (decode(found.content, found.buffers));
    if (kind === "labels") {
      const index = about.colors.findIndex(({ spec }) => spec === `obs:${message.column}`);
      const isShown = index < 0 ? () => true : shownBy((await held.values(index)).legend, now.hides.get(index) ?? []);
      const shown = namesShown(message, isShown);
      return send([framed(shown, { xy: [shown.codes.length, 2] })], here);
    }
    const isOther = kind === "contours" && JSON.stringify(filters) !== JSON.stringify(filtersAtFirst);
    return send([isOther ? framed(noContours(message), { lengths: [0], xy: [0, 2] }) : found], here);
  }
  const filtersAtFirst = now.settings.filters;

  /** @param {any} request */
  async function look({ panel, id }) {
    if (about.panels[panel]?.color != null) await sendColor(panel, id);
    const cells = (await first("filter")).filter(({ content }) => content.panel === panel);
    filterSeqs.set(panel, ++seq);
    send(cells, { id, seq });
  }

  /** @param {any} request */
  async function place({ panel, id }) {
    send(await held.frames(`points ${placeOfPanel(about, panel)}`), { id, panel, seq: seqOfPlace(panel) });
  }

  /** @param {any} request */
  async function module({ id }) {
    const code = deflatedOf("code-panels");
    send([framed({ kind: "module", hash: about.hash, arrays: { code } }, { code: [code.length] })], { id });
  }

  /** @type {Partial<Record<Request["kind"], (request: any) => unknown>>} */
  const answers = {
    ready: start,
    ...{ module, search, hover, count, clear, place, look },
    sections: ({ id }) =>
      host().tell({ kind: "sections", id, names: [about.traits.tissue].filter(Boolean), arrays: [] }),
    ...{ labels: over, contours: over, difference: over, tissue: over },
  };

  return {
    refuse,
    sendFilter,
    /** To be called after a change of limits or scale. */
    async relimited() {
      const sentence = describeRounding((await held.values(now.color)).legend, now.settings);
      if (sentence !== "") complain("setting", 0, "NotInFile", sentence);
    },
    /** To be called after a change of the color. */
    recolored: () => sendColor(0).then(() => sendFilter()),
    /** Answers a request. @param {Request & {id: number}} request */
    async answer(request) {
      const { kind, id } = request;
      try {
        await (answers[kind] ?? (() => refuse(kind, id)))(request);
      } catch (failure) {
        const message = `Part of this file cannot be read: ${failure instanceof Error ? failure.message : failure}`;
        complain(kind, id, "DamagedStore", message);
      }
    },
  };
}
