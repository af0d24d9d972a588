/** A text with what matches a query marked in it. */
import { html } from "lit-html";
import { splitMatch } from "./rows.js";

/** @param {string} text @param {string} query */
export function marked(text, query) {
  return splitMatch(text, query).map((part) => (part.hit ? html`<mark>${part.text}</mark>` : part.text));
}
