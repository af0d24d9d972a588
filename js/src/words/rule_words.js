/** Rules in words. Pure. */
// Changes with cxg_widget/rules/forms/__init__.py: rules in words.
import { formOf, innerOf } from "./rule_forms.js";

/** @typedef {import("./rule_forms.js").Rule} Rule */

/** The column or gene of a rule, "query" of a query, "" of all else; and what it keeps. @param {Rule} rule @returns {[subject: string, kept: string]} */
export function wordsOf(rule) {
  const { inner, isNegated } = innerOf(rule);
  const form = formOf(inner);
  const [subject, kept] = form.words(inner, describePart);
  return [subject, !isNegated ? kept : form.holdsRules ? `not (${kept})` : `not ${kept}`];
}

/** @param {Rule} rule @returns {string} */
const describeRule = (rule) => wordsOf(rule).join(" ").trim();

/** A rule within another, in brackets where it has parts itself. @param {Rule} rule @returns {string} */
const describePart = (rule) =>
  formOf(rule).holdsRules && !innerOf(rule).isNegated ? `(${describeRule(rule)})` : describeRule(rule);

/** Filters as a sentence of the description of the plot. @param {Rule[]} rules @returns {string} */
export const describeFilters = (rules) => rules.map(describeRule).join("; ");
