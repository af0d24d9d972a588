/** Filters in words, as cxg_widget/rules/description.py writes them. Pure. */
import { MISSING_LABEL } from "../wire/protocol.js";
import { inALine, shortNumber } from "./format.js";

/** @typedef {Record<string, any>} Rule {obs, in}, {obs, range}, {var, range}, {not: {obs, in}}, {set}, {not: {set}} or {query} */

/** What a value of a rule is called, as cxg_widget/text/names.py writes it. @param {any} value @returns {string} */
export function labelOf(value) {
  if (value === null) return MISSING_LABEL;
  if (value === MISSING_LABEL) return `"${value}"`;
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Number.isInteger(value)) return String(BigInt(value));
  const isTiny = typeof value === "number" && Math.abs(value) < 1e-4;
  return isTiny ? value.toExponential().replace(/-(\d)$/, "-0$1") : String(value);
}

/** The rule that names a column, or what it negates. @param {Rule} rule @returns {Rule} */
export const innerOf = (rule) => rule.not ?? rule;

/** The column or gene of a filter; "query" of a query. @param {Rule} rule @returns {string} */
export function nameOf(rule) {
  const inner = innerOf(rule);
  return "query" in inner ? "query" : "set" in inner ? "" : (inner.obs ?? inner.var);
}

/** What a filter keeps, in a line. @param {Rule} rule @returns {string} */
export function told(rule) {
  const inner = innerOf(rule);
  if ("query" in inner) return inner.query;
  if ("set" in inner) return `${"not" in rule ? "not in" : "in"} ${inALine(inner.set)}`;
  if ("range" in inner) {
    const [low, high] = inner.range.map((/** @type {number | null} */ end) => (end === null ? "" : shortNumber(end)));
    return low === "" ? `up to ${high}` : high === "" ? `from ${low}` : `${low} to ${high}`;
  }
  const first = inner.in.slice(0, 2).map((/** @type {any} */ one) => inALine(labelOf(one)) || "(empty)");
  const more = inner.in.length - first.length;
  return `${"not" in rule ? "not " : ""}${first.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** Filters as a sentence of the description of the plot. @param {Rule[]} rules @returns {string} */
export const filtersTold = (rules) => rules.map((one) => `${nameOf(one)} ${told(one)}`).join("; ");
