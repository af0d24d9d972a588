/** Finds the word of a query at the caret, and quotes names and values. Pure. */

const WORD = /[\p{L}\p{N}_.:-]*$/u;
const PLAIN = /^[\p{L}_][\p{L}\p{N}_]*$/u;
/** Text before a value: `name ==`, `name !=` or `name in ['a',`. */
const BEFORE_VALUE =
  /(?:`([^`]+)`|([\p{L}_][\p{L}\p{N}_]*))\s*(?:[!=]=|(?<=[\s`])(?:not\s+)?in\s*[[(](?:[^\])]*,)?)\s*$/u;
/** The end of an operand: an operator must follow, not a name. */
const OPERAND = /[\p{L}\p{N}_)\]'"`.]\s*$/u;
const OPERATOR = /(?:^|\s)(?:and|or|not|in)\s*$/;
/** Keywords of Python, whose grammar queries use. */
const RESERVED =
  /^(False|None|True|and|as|assert|async|await|break|class|continue|def|del|elif|else|except|finally|for|from|global|if|import|in|is|lambda|nonlocal|not|or|pass|raise|return|try|while|with|yield)$/;

/**
 * @typedef {object} Word
 * @property {number} start index of its first character or quote
 * @property {string} text the typed part
 * @property {string} column the column if the word is a value; "" = it is a name
 */

/** The word that ends at the caret; null if no name or value is possible there.
 * @param {string} query @param {number} caret @returns {Word | null} */
export function wordAt(query, caret) {
  const before = query.slice(0, caret);
  const open = openQuote(before);
  const start = open ?? before.length - (WORD.exec(before)?.[0].length ?? 0);
  const isText = open !== null && before[open] !== "`";
  const text = before.slice(open === null ? start : open + 1);
  const left = before.slice(0, start);
  const [, quoted, plain] = BEFORE_VALUE.exec(left) ?? [];
  const column = quoted ?? plain ?? "";
  if (column === "" && (isText || /^[\d.]/.test(text) || (OPERAND.test(left) && !OPERATOR.test(left)))) return null;
  return { start, text, column: open === null || isText ? column : "" };
}

/** Index of an unclosed quote; null = none. @param {string} text @returns {number | null} */
function openQuote(text) {
  let at = null;
  for (let i = 0; i < text.length; i++) {
    if (at !== null && text[i] === "\\" && text[at] !== "`") i++;
    else if (at !== null ? text[i] === text[at] : "'\"`".includes(text[i])) at = at === null ? i : null;
  }
  return at;
}

/** Quote a name for a query; "" = impossible. @param {string} name @returns {string} */
export function nameIn(name) {
  if (PLAIN.test(name) && !RESERVED.test(name)) return name;
  return /[`\n]/.test(name) || name === "" ? "" : `\`${name}\``;
}

/** Quote a category for a query. @param {string} label @returns {string} */
export function valueIn(label) {
  return /['\\\p{C}]/u.test(label) ? JSON.stringify(label) : `'${label}'`; // Python reads it as JSON does
}
