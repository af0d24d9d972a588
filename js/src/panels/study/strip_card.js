/** Draws one card: a strip per condition with a point per sample, lines between pairs, quartiles, scale and test. */
import { html, nothing, svg } from "lit-html";
import { ticksBetween } from "../../screen/ticks.js";
import { HIGHEST_LANE_PX, LANE_PX, placesOf, radiusOf } from "./strip_places.js";
import { effectText, pText } from "./study_cards.js";

/** @typedef {import("./study_cards.js").Card} Card */
/** @typedef {import("./study_cards.js").Sample} Sample */
/** @typedef {import("./strip_places.js").Places} Places */
/** @typedef {import("./strip_places.js").Item} Item */

/** Heights of the heading above the lanes and of the scale below them, CSS px; must match style.css. */
export const HEAD_PX = 22;
const SCALE_PX = 18;
/** Space between two cards. */
const GAP_PX = 8;
/** Least width of the labels of lanes, and their greatest share of a card. */
const LABEL_PX = 64;
const MOST_LABEL = 0.36;
/** Width of a dot and its space, and of a letter, in a label. */
const DOT_PX = 22;
const LETTER_PX = 6.2;
const MARGIN_PX = 8;
const DIGIT_PX = 6;
/** A step with room for fewer letters has no name: the tooltip has it. */
const LEAST_LETTERS = 4;
/** Highest adjusted p of a test in bold. */
const ALPHA = 0.05;

/** @param {number} nLanes @param {number} lanePx @returns {number} height of a card with the space below it, CSS px */
export const cardPx = (nLanes, lanePx) => HEAD_PX + nLanes * lanePx + SCALE_PX + GAP_PX;

/** Height of a lane with which some rows of cards fill a height. @param {number} nLanes @param {number} nRows
 * @param {number} height CSS px */
export function lanePxOf(nLanes, nRows, height) {
  const room = (height / nRows - cardPx(0, 0)) / nLanes;
  return Math.floor(Math.max(LANE_PX, Math.min(HIGHEST_LANE_PX, room)));
}

/** Width of the labels of lanes: that of the longest, if it leaves room. @param {string[]} conditions
 * @param {number} width of a card, CSS px */
export function labelPxOf(conditions, width) {
  const longest = Math.max(...conditions.map(({ length }) => length));
  return Math.round(Math.max(LABEL_PX, Math.min(MOST_LABEL * width, DOT_PX + LETTER_PX * longest)));
}

/** @param {Card} card @param {Sample[]} samples @param {number} nLanes @param {number} width CSS px of the lanes
 * @param {number} lanePx @returns {Places} */
export function placesOfCard({ values, domain: [lo, hi], steps }, samples, nLanes, width, lanePx) {
  const perUnit = (width - 2 * MARGIN_PX) / (hi - lo);
  const toX = (/** @type {number} */ value) => MARGIN_PX + (value - lo) * perUnit;
  const lane = samples.map(({ condition }) => condition);
  const places = placesOf(values, lane, nLanes, toX, (i) => !samples[i].excluded, lanePx);
  if (steps.length === 0) return places;
  // Samples of a category are side by side on their step.
  for (const one of places.lanes) {
    for (let k = 0; k < steps.length; k++) {
      const here = one.filter((i) => values[i] === k);
      const apart = Math.min(2.4 * radiusOf(one.length), (0.9 * perUnit) / here.length);
      here.forEach((i, m) => {
        places.x[i] += (m - (here.length - 1) / 2) * apart;
        places.y[i] = (lane[i] + 0.5) * lanePx;
      });
    }
  }
  return { ...places, quarters: places.lanes.map(() => []) };
}

/**
 * @param {Card} card @param {number} i its number @param {import("./strip_list.js").Shown} shown
 * @param {{labelPx: number, width: number, lanePx: number, places: Places, describedTest: string, tabbed: Item | null}} about
 *   width: of the lanes; tabbed: the item that Tab reaches, if it is in this card
 * @param {string} pointName description of the active point; "" = none
 */
export function stripCard(card, i, { samples, conditions, inks, hasBoxes }, about, pointName) {
  const { labelPx, width, lanePx, places, describedTest, tabbed } = about;
  const height = conditions.length * lanePx;
  const { test } = card;
  const isFirm = test[3] <= ALPHA;
  const heading = `${card.name}${card.detail === "" ? "" : `, ${card.detail}`}`;
  const tabOf = (/** @type {number} */ lane) => (tabbed !== null && tabbed.lane === lane && tabbed.place < 0 ? 0 : -1);
  const point = tabbed !== null && tabbed.place >= 0 ? places.lanes[tabbed.lane]?.[tabbed.place] : undefined;
  return html`<div class="strip-card" role="group" aria-label=${heading} data-card=${i}>
    <div class="strip-head">
      <button type="button" class="label" data-lane="-1" tabindex=${tabOf(-1)} title=${heading} aria-disabled=${card.category === "" ? "true" : nothing}>${card.name === "" ? html`<em>(empty)</em>` : card.name}${card.detail === "" ? nothing : html` <small>${card.detail}</small>`}</button>
      ${test.length === 0 ? nothing : html`<span class="tested ${isFirm ? "firm" : ""}" title=${describedTest}><span>${card.effect} ${effectText(test[0])}</span><span>p_adj ${pText(test[3])}</span></span>`}</div>
    <div class="lanes" style="height:${height}px">${conditions.map(
      (name, lane) =>
        html`<button type="button" class="lane" data-lane=${lane} tabindex=${tabOf(lane)} style="top:${lane * lanePx}px;height:${lanePx}px;--c:${inks[lane]}" title=${name} aria-label="${heading}: ${name}"><i></i><span class="label">${name === "" ? "(empty)" : name}</span></button>`,
    )}</div>
    <svg class="strips" width=${width} height=${height + SCALE_PX} aria-hidden="true">${places.lanes.some(({ length }) => length > 0) ? scaleOf(card, width, height) : svg`<text class="none" x="8" y=${height / 2 + 4}>no values</text>`}${hasBoxes ? nothing : pairLines(samples, places)}
      ${conditions.map((_, lane) => laneOf(samples, places, lane, lanePx, inks[lane], hasBoxes))}</svg>
    ${point === undefined ? nothing : html`<button type="button" class="at" tabindex="0" aria-label=${pointName} style="left:${labelPx + places.x[point]}px;top:${HEAD_PX + places.y[point]}px"></button>`}
  </div>`;
}

/** Lines and numbers of the scale. @param {Card} card @param {number} width @param {number} height of the lanes */
function scaleOf({ domain: [lo, hi], steps, unit }, width, height) {
  const perUnit = (width - 2 * MARGIN_PX) / (hi - lo);
  const room = (/** @type {string} */ text) => text.length * DIGIT_PX + 24;
  const most = Math.floor(perUnit / DIGIT_PX) - 1;
  const named = (/** @type {string} */ text) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
  const ticks =
    steps.length > 0
      ? steps.map((text, value) => ({ value, text: most < LEAST_LETTERS ? "" : named(text) }))
      : ticksBetween(lo, hi, width - 2 * MARGIN_PX, room).map(({ value, text }) => ({ value, text: text + unit }));
  return ticks.map(({ value, text }) => {
    const x = MARGIN_PX + (value - lo) * perUnit;
    return svg`<path class="rule" d="M${x.toFixed(1)} 0V${height + 3}"/><text x=${x.toFixed(1)} y=${height + 14}>${text}</text>`;
  });
}

/** @param {Sample[]} samples @param {Places} places */
function pairLines(samples, { x, y }) {
  /** @type {Map<string, number[]>} */
  const pairs = new Map();
  samples.forEach(({ pair, excluded }, i) => {
    if (pair !== "" && !excluded && !Number.isNaN(x[i])) pairs.set(pair, [...(pairs.get(pair) ?? []), i]);
  });
  const lines = [...pairs.values()].map((some) =>
    some
      .sort((a, b) => samples[a].condition - samples[b].condition)
      .map((i, k) => `${k === 0 ? "M" : "L"}${x[i].toFixed(1)} ${y[i].toFixed(1)}`)
      .join(""),
  );
  return lines.length === 0 ? nothing : svg`<path class="pairs" d=${lines.join("")}/>`;
}

/** The points of a lane as two lines of round dots: a path for each would be slow for many samples.
 * @param {Sample[]} samples @param {Places} places @param {number} lane @param {number} lanePx @param {string} ink @param {boolean} hasBoxes */
function laneOf(samples, { x, y, lanes, quarters }, lane, lanePx, ink, hasBoxes) {
  const dots = (/** @type {number[]} */ some) => some.map((i) => `M${x[i].toFixed(1)} ${y[i].toFixed(1)}h0`).join("");
  const radius = radiusOf(lanes[lane].length);
  const [q1, median, q3] = quarters[lane];
  const top = lane * lanePx;
  const nCounted = lanes[lane].filter((i) => !samples[i].excluded).length; // one value is its own median
  return svg`<g style="color:${ink}">
    ${hasBoxes && median !== undefined ? svg`<rect class="box-of" x=${q1} y=${top + 3} width=${Math.max(1, q3 - q1)} height=${lanePx - 6}/>` : nothing}
    <path class="dots" stroke-width=${2 * radius} d=${dots(lanes[lane].filter((i) => !samples[i].excluded))}/>
    <path class="dots hollow" stroke-width=${2 * radius} d=${dots(lanes[lane].filter((i) => samples[i].excluded))}/>
    <path class="dots hole" stroke-width=${2 * radius - 2.5} d=${dots(lanes[lane].filter((i) => samples[i].excluded))}/>
    ${median === undefined || nCounted < 2 ? nothing : svg`<path class="median" d="M${median.toFixed(1)} ${top + 1}v${lanePx - 2}"/>`}
  </g>`;
}
