/** Describes rules in words. Pure. */
// Changes with cxg_widget/rules/forms/__init__.py: rules in words.
import { formOf, innerOf } from "./rule_forms.js";

/** @typedef {import("./rule_forms.js").Rule} Rule */

/** The column or gene of a rule ("query" for a query, "" for all others) and a description of the cells that match.
 * @param {Rule} rule @returns {[subject: string, kept: string]} */
export function wordsOf(rule) {
  const { inner, isNegated } = innerOf(rule);
  const form = formOf(inner);
  const [subject, kept] = form.words(inner, describePart);
  return [subject, !isNegated ? kept : form.holdsRules ? `not (${kept})` : `not ${kept}`];
}

/** @param {Rule} rule @returns {string} */
const describeRule = (rule) => wordsOf(rule).join(" ").trim();

/** A rule within another rule, in parentheses if it combines rules itself. @param {Rule} rule @returns {string} */
const describePart = (rule) =>
  formOf(rule).holdsRules && !innerOf(rule).isNegated ? `(${describeRule(rule)})` : describeRule(rule);

/** Filters as a sentence for the description of the plot. @param {Rule[]} rules @returns {string} */
export const describeFilters = (rules) => rules.map(describeRule).join("; ");
