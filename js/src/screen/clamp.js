/** A number, or the end of a range that it lies beyond. Pure. @param {number} value @param {number} low @param {number} high */
export const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
