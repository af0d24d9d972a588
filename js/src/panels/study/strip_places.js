/** Places of the points of a strip: one lane per condition, one point per sample, points that would overlap side by
 * side. Pure. */

/** Least and greatest height of one lane, CSS px: few cards use the room that they have. */
export const LANE_PX = 18;
export const HIGHEST_LANE_PX = 40;
const NEAR_PX = 9;
/** Points of a lane that are looked at for an overlap: more than fit side by side. */
const MOST_NEAR = 12;
/** Points closer than their diameter are moved up or down by one of these, if the place is free. Shares of a lane. */
const OFFSETS = [0, 0.2, -0.2, 0.3, -0.3, 0.1, -0.1];

/** @param {number} n points of a lane @returns {number} radius of each, CSS px */
export const radiusOf = (n) => (n > 60 ? 2 : n > 20 ? 2.75 : 3.5);

/**
 * @typedef {object} Places
 * @property {Float32Array} x CSS px from the left of the lanes, by sample; NaN = no value
 * @property {Float32Array} y CSS px from their top
 * @property {number[][]} lanes samples of each lane, from the lowest to the highest value
 * @property {number[][]} quarters of each lane: px of the first quartile, the median and the third quartile; [] = empty
 */

/**
 * @param {ArrayLike<number>} values by sample; NaN = none
 * @param {number[]} lane of each sample @param {number} nLanes
 * @param {(value: number) => number} toX CSS px
 * @param {(sample: number) => boolean} isCounted whether a sample counts for quartiles
 * @param {number} lanePx height of a lane
 * @returns {Places}
 */
export function placesOf(values, lane, nLanes, toX, isCounted = () => true, lanePx = LANE_PX) {
  const n = lane.length;
  const [x, y] = [new Float32Array(n).fill(NaN), new Float32Array(n).fill(NaN)];
  /** @type {number[][]} */
  const lanes = Array.from({ length: nLanes }, () => []);
  for (let i = 0; i < n; i++) if (!Number.isNaN(values[i])) lanes[lane[i]]?.push(i);
  lanes.forEach((samples, k) => {
    samples.sort((a, b) => values[a] - values[b] || a - b);
    const apart = 2 * radiusOf(samples.length);
    const middle = (k + 0.5) * lanePx;
    samples.forEach((i, m) => {
      x[i] = toX(values[i]);
      const before = samples.slice(Math.max(0, m - MOST_NEAR), m);
      const isFree = (/** @type {number} */ at) =>
        before.every((j) => (x[i] - x[j]) ** 2 + (at - y[j]) ** 2 >= apart ** 2 - 1);
      y[i] = OFFSETS.map((off) => middle + off * lanePx).find(isFree) ?? middle + OFFSETS[m % OFFSETS.length] * lanePx;
    });
  });
  const quarters = lanes.map((samples) => {
    const sorted = samples.filter(isCounted).map((i) => values[i]);
    return sorted.length === 0 ? [] : [0.25, 0.5, 0.75].map((share) => toX(quantile(sorted, share)));
  });
  return { x, y, lanes, quarters };
}

/** The quantile of numpy's default method. @param {number[]} sorted @param {number} share 0..1 */
export function quantile(sorted, share) {
  const at = share * (sorted.length - 1);
  const below = Math.floor(at);
  const next = sorted[Math.min(below + 1, sorted.length - 1)];
  return sorted[below] + (at - below) * (next - sorted[below]);
}

/** The sample nearest to a point, -1 = none within reach. @param {Places} places @param {number} px @param {number} py */
export function nearestSample({ x, y }, px, py) {
  let [best, least] = [-1, NEAR_PX ** 2];
  for (let i = 0; i < x.length; i++) {
    const away = (x[i] - px) ** 2 + (y[i] - py) ** 2;
    if (away < least) [best, least] = [i, away];
  }
  return best;
}

/**
 * An item of a card: its heading (lane -1), the label of a lane (place -1) or a point.
 * @typedef {{card: number, lane: number, place: number}} Item place: in the order of `lanes`
 */

/**
 * The item to which an arrow key moves: left and right along a lane, up and down to the lane beside it, which may
 * belong to the next card. A point goes to the point nearest along x.
 * @param {string} key @param {Item} from @param {number} nCards
 * @param {(card: number) => Pick<Places, "x" | "lanes">} placesAt @returns {Item | null} null = not handled
 */
export function itemAfterKey(key, { card, lane, place }, nCards, placesAt) {
  const samples = lane < 0 ? [] : placesAt(card).lanes[lane];
  if (key === "Home") return { card: 0, lane: -1, place: -1 };
  if (key === "End") return { card: nCards - 1, lane: -1, place: -1 };
  if (key === "ArrowRight") return { card, lane, place: Math.min(place + 1, samples.length - 1) };
  if (key === "ArrowLeft") return { card, lane, place: Math.max(place - 1, -1) };
  if (key !== "ArrowDown" && key !== "ArrowUp") return null;
  const nLanes = placesAt(card).lanes.length;
  let to = { card, lane: lane + (key === "ArrowDown" ? 1 : -1) };
  if (to.lane >= nLanes) to = card + 1 < nCards ? { card: card + 1, lane: -1 } : { card, lane };
  if (to.lane < -1) to = card > 0 ? { card: card - 1, lane: placesAt(card - 1).lanes.length - 1 } : { card, lane };
  if (place < 0 || to.lane < 0) return { ...to, place: -1 };
  const at = placesAt(card).x[samples[place]];
  const { x, lanes } = placesAt(to.card);
  const away = lanes[to.lane].map((i) => Math.abs(x[i] - at));
  return { ...to, place: away.indexOf(Math.min(...away)) };
}
