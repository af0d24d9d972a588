/** Singular and plural nouns for the store's observations, variables and sets. Pure. */
// Changes with cxg_widget/text/nouns.py: nouns of a store.

/** @typedef {import("../state/state.js").Nouns} Nouns */

/** Defaults until the dataset is known. @type {Nouns} */
const USUAL = {
  obs: { one: "cell", many: "cells" },
  var: { one: "gene", many: "genes" },
  set: { one: "gene set", many: "gene sets" },
};

/** @param {{dataset: {nouns: Nouns} | null}} state @returns {Nouns} */
export function nounsOf({ dataset }) {
  return dataset?.nouns ?? USUAL;
}

/** Capitalizes the first word of a heading; a symbol such as "m/z" stays unchanged. @param {string} words
 * @returns {string} */
export function capitalized(words) {
  return /^\p{Ll}{2}/u.test(words) ? words[0].toUpperCase() + words.slice(1) : words;
}

/** Noun for sets of variables, even if the store has none. @param {Nouns} nouns
 * @returns {import("../state/state.js").Noun} */
export function setNounOf({ var: measured, set }) {
  return set ?? { one: `${measured.one} set`, many: `${measured.one} sets` };
}

/** A noun with its article by pronunciation: "an m/z window". @param {string} one @returns {string} */
export function withArticle(one) {
  return `${/^([aeio]|[fhlmnrsx]\W)/.test(one) ? "an" : "a"} ${one}`;
}

/** Things that cells can be colored by: "column, gene or gene set"; without vars, as of a plain table, "column".
 * @param {{dataset: {nouns: Nouns, nVar: number} | null}} state @returns {string} */
export function colorable({ dataset }) {
  const { var: measured, set } = dataset?.nouns ?? USUAL;
  if (dataset?.nVar === 0) return "column";
  return set === null ? `column or ${measured.one}` : `column, ${measured.one} or ${set.one}`;
}
