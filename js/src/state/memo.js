/** Caches one computed value and recomputes it only when one of its inputs changes.
 * @template T @returns {(from: unknown[], make: () => T) => T} */
export function memo() {
  /** @type {{from: unknown[], made: T} | null} */
  let last = null;
  return (from, make) => {
    if (last === null || last.from.length !== from.length || last.from.some((one, i) => one !== from[i]))
      last = { from, made: make() };
    return last.made;
  };
}
