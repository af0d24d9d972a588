/** A text with what matches a query marked in it. */
import { html } from "lit-html";

/** @param {string} text @param {string} query */
export function marked(text, query) {
  return splitMatch(text, query).map((part) => (part.hit ? html`<mark>${part.text}</mark>` : part.text));
}

/** Cut a text into parts, those that match the query marked; case is ignored. @param {string} text @param {string} query
 * @returns {{text: string, hit: boolean}[]} */
export function splitMatch(text, query) {
  const wanted = query.trim().toLowerCase();
  const lower = text.toLowerCase();
  // Lower case can be longer than the text ("İ"); then places do not carry over.
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
