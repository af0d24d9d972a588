/** Rules in words, as the forms in cxg_widget/rules/forms write them. Pure. */
// Changes with cxg_widget/rules/description.py: rules in words.
import { MISSING_LABEL } from "../wire/protocol.js";
import { inALine, shortNumber } from "./format.js";

/** @typedef {Record<string, any>} Rule as cxg_widget/rules/forms has its forms */

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

/** What each form keeps. @type {Record<import("../wire/constants.js").RuleForm, (rule: Rule) => string>} */
const WORDS = {
  query: ({ query }) => query,
  set: ({ set }) => `in ${inALine(set)}`,
  polygon: () => "a polygon",
  rows: () => "picked rows",
  and: ({ and }) => and.map(describePart).join(" and ") || "all",
  or: ({ or }) => or.map(describePart).join(" or ") || "none",
  minus: ({ minus }) => minus.map(describePart).join(" but not "),
  not: (rule) => describeFilters([rule]),
  range({ range }) {
    const [low, high] = range.map((/** @type {number | null} */ end) => (end === null ? "" : shortNumber(end)));
    return low === "" ? `up to ${high}` : high === "" ? `from ${low}` : `${low} to ${high}`;
  },
  in({ in: values }) {
    const first = values.slice(0, 2).map((/** @type {any} */ one) => inALine(labelOf(one)) || "(empty)");
    const more = values.length - first.length;
    return `${first.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  },
};

/** Does a rule have parts? @param {Rule} rule */
const isCombined = (rule) => [rule.and, rule.or, rule.minus, rule.not].some((parts) => parts !== undefined);

/** A rule within another, in brackets where it has parts itself. @param {Rule} rule @returns {string} */
const describePart = (rule) =>
  isCombined(rule) && !("not" in rule) ? `(${describeFilters([rule])})` : describeFilters([rule]);

/** The column or gene of a rule; "query" of a query, "" of all else. @param {Rule} rule @returns {string} */
export function nameOf(rule) {
  const inner = innerOf(rule);
  return "query" in inner ? "query" : (inner.obs ?? inner.var ?? "");
}

/** What a rule keeps, in a line. @param {Rule} rule @returns {string} */
export function describeRule(rule) {
  const inner = innerOf(rule);
  const form = /** @type {(keyof typeof WORDS)[]} */ (Object.keys(WORDS)).find((word) => word in inner);
  const kept = form ? WORDS[form](inner) : "";
  return !("not" in rule) ? kept : isCombined(inner) ? `not (${kept})` : `not ${kept}`;
}

/** Filters as a sentence of the description of the plot. @param {Rule[]} rules @returns {string} */
export const describeFilters = (rules) => rules.map((one) => `${nameOf(one)} ${describeRule(one)}`.trim()).join("; ");
