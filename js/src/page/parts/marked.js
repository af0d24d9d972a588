/** Marks the match of a query in a text. */
import { html } from "lit-html";

/** @param {string} text @param {string} query */
export function marked(text, query) {
  return splitMatch(text, query).map((part) => (part.hit ? html`<mark>${part.text}</mark>` : part.text));
}

/** Splits a text into parts that match a query or not, ignoring case. @param {string} text @param {string} query
 * @returns {{text: string, hit: boolean}[]} */
export function splitMatch(text, query) {
  const wanted = query.trim().toLowerCase();
  const lower = text.toLowerCase();
  // Lower case can be longer than the text ("İ"), and then indices differ.
  const at = wanted === "" || lower.length !== text.length ? -1 : lower.indexOf(wanted);
  if (at < 0) return [{ text, hit: false }];
  const end = at + wanted.length;
  const parts = [
    { text: text.slice(0, at), hit: false },
    { text: text.slice(at, end), hit: true },
    { text: text.slice(end), hit: false },
  ];
  return parts.filter((part) => part.text !== "");
}
