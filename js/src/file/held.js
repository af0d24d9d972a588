/** Caches the contents of a saved page: frames of the kernel, positions, codes and names. Unpacks each at first use. */

import { createPositions, createValues, putPositions, putValues } from "../state/scene.js";
import { decode } from "../wire/decode.js";
import { bytesOf, framesOf } from "./pieces.js";

/**
 * @typedef {import("./pieces.js").Frame} Frame
 *
 * @typedef {object} KeptColor
 * @property {string} spec
 * @property {string} label
 * @property {string} detail
 * @property {string} kind
 * @property {string | string[] | null} color value of the trait
 * @property {string | null} layer
 * @property {"mean" | "colors"} blend
 * @property {boolean} is_int
 * @property {string} part id of its piece
 *
 * @typedef {object} About description of the page, written by cxg_widget/session/pictures/html_file.py
 * @property {Record<string, any>} traits
 * @property {Record<string, string>} parts ids of pieces by name
 * @property {KeptColor[]} colors the displayed color first
 * @property {Record<string, {place: number, color: number | null}>} panels by number; place: the panel whose
 *   embedding it shows; color: index of its own color
 * @property {number[]} fields indices of the colors in the tooltip
 * @property {boolean} is_chosen whether the user has chosen these fields, which are then always shown
 * @property {number} names_at_once
 * @property {string[]} notes
 * @property {string} refusal
 * @property {boolean} fills whether the widget is as high as the window
 * @property {string} hash
 *
 * @typedef {{legend: any, codes: Uint8Array | Uint16Array | null}} Values
 * @typedef {{xy: Uint16Array, extent: number[]}} Places
 */

/** @param {About} about */
export function createHeld({ parts, colors, names_at_once: atOnce }) {
  /** @type {Map<string, Promise<any>>} */
  const unpacked = new Map();

  /** @template T @param {string} key @param {() => Promise<T>} make @returns {Promise<T>} */
  function once(key, make) {
    const known = unpacked.get(key) ?? make();
    unpacked.set(key, known);
    return known;
  }

  /** @param {string} id @returns {Promise<Frame[]>} */
  const frames = (id) => once(id, async () => framesOf(await bytesOf(id)));
  const all = async (/** @type {string} */ id) =>
    (await frames(id)).map(({ content, buffers }) => /** @type {any} */ (decode(content, buffers)));

  return {
    /** Frames of a piece. @param {string} name */
    frames: (name) => frames(parts[name]),
    /** @param {number} index */
    colorFrames: (index) => frames(colors[index].part),
    /** Legend and codes of a color. @param {number} index @returns {Promise<Values>} */
    values: (index) =>
      once(`values ${index}`, async () => {
        const [legend, ...chunks] = await all(colors[index].part);
        const values = createValues(legend);
        for (const chunk of chunks) if (chunk.kind !== "counts") putValues(values, chunk);
        return { legend, codes: values.codes };
      }),
    /** Positions of the points in the embedding of a panel. @param {number} panel @returns {Promise<Places>} */
    places: (panel) =>
      once(`places ${panel}`, async () => {
        const chunks = await all(parts[`points ${panel}`]);
        const positions = createPositions(chunks[0].n_points);
        for (const chunk of chunks) putPositions(positions, chunk);
        return { xy: positions.xy, extent: chunks[0].extent };
      }),
    /** @param {number} point @returns {Promise<string>} */
    async name(point) {
      const at = Math.floor(point / atOnce);
      const names = await once(`names ${at}`, async () =>
        JSON.parse(new TextDecoder().decode(await bytesOf(parts[`names ${at}`]))),
      );
      return names[point - at * atOnce];
    },
  };
}

/** @typedef {ReturnType<typeof createHeld>} Held */
