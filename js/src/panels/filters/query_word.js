/** The word of a query at the caret, and how names and values are quoted in one. Pure. */

const WORD = /[\p{L}\p{N}_.:-]*$/u;
const PLAIN = /^[\p{L}_][\p{L}\p{N}_]*$/u;
/** `name ==`, `name !=`, and `name in ['a',`. */
const BEFORE_VALUE =
  /(?:`([^`]+)`|([\p{L}_][\p{L}\p{N}_]*))\s*(?:[!=]=|(?<=[\s`])(?:not\s+)?in\s*[[(](?:[^\])]*,)?)\s*$/u;
/** After one of these comes an operator, not a name. */
const OPERAND = /[\p{L}\p{N}_)\]'"`.]\s*$/u;
const OPERATOR = /(?:^|\s)(?:and|or|not|in)\s*$/;
/** Words of Python, whose grammar a query has. */
const RESERVED =
  /^(False|None|True|and|as|assert|async|await|break|class|continue|def|del|elif|else|except|finally|for|from|global|if|import|in|is|lambda|nonlocal|not|or|pass|raise|return|try|while|with|yield)$/;

/**
 * @typedef {object} Word
 * @property {number} start where it begins, its quote included
 * @property {string} text what is typed of it
 * @property {string} column of which it is a value; "" = it is a name
 */

/** The word that ends at the caret; null where no name or value can stand. @param {string} query @param {number} caret @returns {Word | null} */
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

/** Where a quote begins that is not closed; null if there is none. @param {string} text @returns {number | null} */
function openQuote(text) {
  let at = null;
  for (let i = 0; i < text.length; i++) {
    if (at !== null && text[i] === "\\" && text[at] !== "`") i++;
    else if (at !== null ? text[i] === text[at] : "'\"`".includes(text[i])) at = at === null ? i : null;
  }
  return at;
}

/** A name as a query has it; "" if none can. @param {string} name @returns {string} */
export function nameIn(name) {
  if (PLAIN.test(name) && !RESERVED.test(name)) return name;
  return /[`\n]/.test(name) || name === "" ? "" : `\`${name}\``;
}

/** A category as a query has it. @param {string} label @returns {string} */
export function valueIn(label) {
  return /['\\\p{C}]/u.test(label) ? JSON.stringify(label) : `'${label}'`; // which Python reads as JSON does
}
