/** Receives messages: puts arrays into the scene and everything else into the store. Ignores outdated messages. */
// Changes with cxg_widget/session/streams/chunks.py: what arrives at the front-end.
import { createPositions, createValues, drawable, putBits, putPositions, putRecoded, putValues } from "./scene.js";

/** @typedef {import("../wire/protocol.js").Reply} Reply */
/** @typedef {import("./state.js").Coloring} Coloring */

/** Errors that a successful reply clears, by its kind. @type {Partial<Record<Reply["kind"], string[]>>} */
const MENDED = {
  points: ["points"],
  color: ["color", "setting"],
  selection: ["selection"],
  filter: ["filter"],
  counts: ["count"],
  cell: ["hover"],
  matches: ["search"],
  gene_sets: ["genes"],
  image: ["aggregate"],
  cells: ["aggregate"],
  labels: ["labels"],
  contours: ["contours"],
  difference: ["difference"],
  tissue: ["tissue"],
  figure: ["figure"],
  comparison: ["compare", "comparison", "study_open"],
  study_part: ["study"],
};

/**
 * @param {import("./scene.js").Scene} scene
 * @param {import("./state.js").Store} store
 * @returns {(reply: Reply) => void}
 */
export function createReceiver(scene, store) {
  return (reply) => {
    forgetError(store, reply);
    if ([store.get().awaited, "error", "cost"].includes(reply.kind) && store.get().awaited) store.set({ awaited: "" });
    switch (reply.kind) {
      case "dataset":
        return store.set({ dataset: toDataset(reply), error: null });
      case "points":
        return takePoints(scene, store, reply);
      case "color":
        return takeColor(scene, store, reply);
      case "palette":
        return takePalette(store, reply);
      case "codes":
      case "values":
      case "nonzeros":
        return takeValues(scene, store, reply);
      case "recoded":
        return takeRecoded(scene, store, reply);
      case "selection":
        return takeSelection(scene, store, reply);
      case "filter":
        return takeFilter(scene, store, reply);
      case "column":
        return store.get().takeColumn?.(store, reply);
      case "compared":
        return store.set({ compared: reply.seq });
      case "kept":
        return store.set({ kept: reply.states, needsPanels: store.get().needsPanels || reply.states.length > 0 });
      case "progress":
        return takeProgress(store, reply);
      case "cost":
        return store.set({ cost: { nBytes: reply.n_bytes, nReads: reply.n_reads, isAhead: reply.is_ahead } });
      case "error":
        if (reply.of === "aggregate") store.set({ building: null });
        return dropUnfinished(scene, store, reply.of);
      default:
        return undefined; // the caller of the request gets cell, counts, matches, gene_sets, detail, image and cells
    }
  };
}

/** Clears the error message once the same action succeeds. @param {import("./state.js").Store} store
 * @param {Reply} reply */
function forgetError(store, reply) {
  const { error } = store.get();
  if (error && MENDED[reply.kind]?.includes(error.of.split(" ")[0]) && !isShown(store, reply))
    store.set({ error: null });
}

/** True if the reply repeats the displayed state, which the kernel sends again after a failure.
 * @param {import("./state.js").Store} store @param {Reply} reply */
function isShown(store, reply) {
  const { points, color } = store.get();
  if (reply.kind === "points")
    return reply.embedding === points?.embedding && String(reply.axes) === String(points.axes);
  return reply.kind === "color" && reply.spec === color?.spec && reply.detail === color.detail;
}

/** Fields of a message except its arrays, with names in camel case. @param {Record<string, any>} reply
 * @returns {any} */
function fieldsOf({ arrays: _, ...fields }) {
  const named = Object.entries(fields).map(([name, value]) => [
    name.replace(/_./g, (one) => one[1].toUpperCase()),
    value,
  ]);
  return Object.fromEntries(named);
}

/** @param {import("../wire/protocol.js").DatasetInfo} reply @returns {import("./state.js").Dataset} */
function toDataset(reply) {
  const noun = (/** @type {string[]} */ [one, many]) => ({ one, many });
  const { obs_noun, var_noun, set_noun } = reply;
  const nouns = { obs: noun(obs_noun), var: noun(var_noun), set: set_noun.length === 0 ? null : noun(set_noun) };
  return { ...fieldsOf(reply), nouns };
}

/** @param {import("./scene.js").Scene} scene @param {import("./state.js").Store} store @param {import("../wire/protocol.js").Points} reply */
function takePoints(scene, store, reply) {
  const { points: shown } = store.get();
  if (shown !== null && reply.seq < shown.seq) return;
  const areOther = shown !== null && (reply.n_points !== shown.nPoints || reply.aggregated !== shown.aggregated);
  if (areOther) forgetOtherPoints(scene, store);
  const isNew = scene.points === null || reply.seq !== shown?.seq;
  const positions = isNew
    ? createPositions(reply.n_points)
    : /** @type {import("./scene.js").Positions} */ (scene.points);
  // A repeat: the kernel sends the first points unrequested, and again on request.
  if (!isNew && reply.start < positions.loaded) return;
  if (isNew)
    Object.assign(scene, { former: areOther ? null : scene.points, points: positions, detail: null, cells: null });
  if (areOther) putBits(scene, { selected: null, passing: passingOf(scene, positions.n) }, positions.n);
  putPositions(positions, reply);
  if (!isNew)
    store.set({ points: { .../** @type {import("./state.js").Points} */ (shown), loaded: positions.loaded } });
  else store.set({ points: { ...fieldsOf(reply), loaded: positions.loaded }, cell: null });
  // Only after `set`: its listeners animate the points from their former positions.
  scene.former = null;
  promote(scene, store);
}

/** Bits of the filters for new points, which the kernel sends before the points.
 * @param {import("./scene.js").Scene} scene @param {number} n points */
function passingOf({ bits: { passing } }, n) {
  return passing?.length === Math.ceil(n / 8) ? passing : null;
}

/** Drops colors and flags of the displayed points, which do not apply to the new points.
 * @param {import("./scene.js").Scene} scene @param {import("./state.js").Store} store */
function forgetOtherPoints(scene, store) {
  const { color, nextColor } = store.get();
  Object.assign(scene, { flags: null, brush: null });
  store.set({ brush: null });
  if (nextColor === null && color?.scale === "none") return;
  Object.assign(scene, { color: scene.nextColor, nextColor: null });
  store.set({ color: nextColor, nextColor: null });
}

/** @param {import("./scene.js").Scene} scene @param {import("./state.js").Store} store @param {import("../wire/protocol.js").Color} reply */
function takeColor(scene, store, reply) {
  const { color, nextColor } = store.get();
  // The kernel may have sent this coloring before it received a newer request.
  if (reply.seq <= (nextColor ?? color ?? { seq: -1 }).seq) return;
  const values = createValues(reply);
  const { histogram, quantiles, log_histogram: logHistogram } = reply.arrays;
  /** @type {Coloring} */
  const coloring = { ...fieldsOf(reply), loaded: values.loaded, limits: null, histogram, logHistogram, quantiles };
  if (color === null) {
    scene.color = values;
    store.set({ color: coloring });
  } else {
    scene.nextColor = values;
    store.set({ nextColor: coloring });
    promote(scene, store);
  }
}

/** @param {import("./scene.js").Scene} scene @param {import("./state.js").Store} store
 * @param {import("../wire/protocol.js").CodesOfPoints | import("../wire/protocol.js").ValuesOfPoints | import("../wire/protocol.js").Nonzeros} reply */
function takeValues(scene, store, reply) {
  // Chunks of the displayed coloring may still arrive together with those of the next one.
  for (const slot of /** @type {const} */ (["color", "nextColor"])) {
    const [values, coloring] = [scene[slot], store.get()[slot]];
    if (values === null || coloring === null || values.seq !== reply.seq || reply.start < values.loaded) continue;
    putValues(values, reply);
    store.set({ [slot]: { ...coloring, loaded: values.loaded } });
  }
  promote(scene, store);
}

/** @param {import("./scene.js").Scene} scene @param {import("./state.js").Store} store @param {import("../wire/protocol.js").Recoded} reply */
function takeRecoded(scene, store, reply) {
  const { color: before, nextColor: values } = scene;
  const { nextColor } = store.get();
  // Applied to another coloring, the change would give wrong codes. A page that starts gets all codes (decision 46).
  if (before?.seq !== reply.of || before.codes === null || values?.seq !== reply.seq || nextColor === null) return;
  putRecoded(values, before.codes, reply.arrays);
  store.set({ nextColor: { ...nextColor, loaded: values.loaded } });
  promote(scene, store);
}

/** Shows the new coloring once it covers all points that the old one draws, so that the picture never loses points.
 * @param {import("./scene.js").Scene} scene @param {import("./state.js").Store} store */
function promote(scene, store) {
  const { color, nextColor } = scene;
  if (nextColor === null || color === null) return;
  const isReady = nextColor.loaded === nextColor.n || (color.loaded < color.n && nextColor.loaded >= drawable(scene));
  if (!isReady) return;
  Object.assign(scene, { color: nextColor, nextColor: null });
  store.set({ color: store.get().nextColor, nextColor: null, highlighted: -1 });
}

/** @param {import("./state.js").Store} store @param {import("../wire/protocol.js").Progress} reply */
function takeProgress(store, reply) {
  if (reply.done < 1) store.set({ building: reply });
  else if (store.get().building?.of === reply.of) store.set({ building: null });
}

/** @param {import("./state.js").Store} store @param {import("../wire/protocol.js").Palette} reply */
function takePalette(store, { seq, colors }) {
  for (const slot of /** @type {const} */ (["color", "nextColor"])) {
    const coloring = store.get()[slot];
    if (coloring?.seq === seq) store.set({ [slot]: { ...coloring, colors } });
  }
}

/** @param {import("./scene.js").Scene} scene @param {import("./state.js").Store} store @param {import("../wire/protocol.js").Selection} reply */
function takeSelection(scene, store, { seq, n_selected: n, n_points, arrays }) {
  if (seq < store.get().selection.seq) return;
  putBits(scene, { selected: n === 0 ? null : arrays.bits }, n_points);
  store.set({ selection: { seq, n } });
}

/** @param {import("../state/scene.js").Scene} scene @param {import("./state.js").Store} store @param {import("../wire/protocol.js").Filter} reply */
function takeFilter(scene, store, { seq, n_passing, n_shown, n_points, arrays }) {
  const { filter } = store.get();
  if (seq < filter.seq) return;
  // The resulting filter replaces the brush: it is exact, while the brush uses whole bins (decision 34).
  const hasBits = arrays.bits.length > 0;
  scene.brush = null;
  putBits(scene, { passing: hasBits ? arrays.bits : null }, n_points);
  store.set({ filter: { seq, n: hasBits ? n_passing : null, nShown: hasBits ? n_shown : null }, brush: null });
}

/** @param {import("./scene.js").Scene} scene @param {import("./state.js").Store} store @param {string} of */
function dropUnfinished(scene, store, of) {
  if (of !== "color" && of !== "layer") return;
  scene.nextColor = null;
  store.set({ nextColor: null });
}
