/** What a user can do, as one type: the panels call these, `model.js` implements them. */

/**
 * @typedef {object} Actions
 * @property {<K extends keyof import("./state.js").Traits>(name: K, value: import("./state.js").Traits[K]) => void} setTrait
 *   change a synced trait (saved to the kernel)
 * @property {(name: "vmin" | "vmax", value: number, done: boolean) => void} dragLimit move a limit; only `done` saves the trait
 * @property {(query: string) => void} search ask for matches; newest wins; the answer lands in `state.found`
 * @property {(index: number) => void} toggleCategory show or hide one category; after the last one come the cells without any
 * @property {(index: number) => void} onlyCategory show just one category; again: all
 * @property {(index: number, mode: import("../wire/protocol.js").Mode) => void} selectCategory select all cells of one category
 * @property {() => void} showAll show all categories
 * @property {(index: number) => void} highlight category under the pointer; -1 = none
 * @property {() => void} clearSelection
 * @property {() => void} resetView
 * @property {() => void} dismissError
 */

export {};
