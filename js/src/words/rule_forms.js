/** The registry of rule forms, the counterpart of cxg_widget/rules/forms: everything that the page knows about each
 * form. Pure. */
// Changes with cxg_widget/rules/form.py: forms of a rule.

import { EMPTY_LABEL } from "../wire/constants.js";
import { MISSING_LABEL } from "../wire/protocol.js";
import { inALine, shortNumber } from "./format.js";

/**
 * @typedef {import("../wire/constants.js").RuleForm} RuleForm
 * @typedef {import("../wire/constants.js").FilterForm} FilterForm
 * @typedef {Record<string, any>} Rule plain JSON; the forms below say which keys
 * @typedef {[number | null, number | null]} Ends null = open
 *
 * @typedef {object} Form No part has a default, so `tsc` refuses a form that lacks one.
 * @property {(rule: Rule, describe: (inner: Rule) => string) => [subject: string, kept: string]} words the column or
 *   gene ("" for none) and a description of the cells that match
 * @property {boolean} holdsRules whether it combines other rules
 * @property {((rule: Rule) => any[]) | null} values values of a column that it lists, with null for missing values;
 *   null if it lists no values
 * @property {((rule: Rule) => Ends) | null} ends range of the numbers that match; null if it has no range
 *
 * @typedef {Form & {spec: (rule: Rule) => string}} FilterOfForm spec: "obs:NAME", "var:NAME", "set:NAME" or "query";
 *   each spec has at most one filter
 */

const NO_NUMBERS = { holdsRules: false, values: null, ends: null };
const COMBINED = { holdsRules: true, values: null, ends: null };

/** @param {Rule} rule */
const specOf = ({ obs, var: gene }) => (obs === undefined ? `var:${gene}` : `obs:${obs}`);

/** @type {{[Name in RuleForm]: Name extends FilterForm ? FilterOfForm : Form}} */
export const FORMS = {
  in: {
    words: ({ obs, in: values }) => [obs, describeValues(values)],
    holdsRules: false,
    values: (rule) => rule.in,
    ends: null,
    spec: specOf,
  },
  range: {
    words: ({ obs, var: gene, range }) => [obs ?? gene, describeEnds(range)],
    holdsRules: false,
    values: null,
    ends: (rule) => rule.range,
    spec: specOf,
  },
  query: { words: ({ query }) => ["query", query], ...NO_NUMBERS, spec: () => "query" },
  set: { words: ({ set }) => ["", `in ${inALine(set)}`], ...NO_NUMBERS, spec: ({ set }) => `set:${set}` },
  polygon: { words: () => ["", "a polygon"], ...NO_NUMBERS },
  rows: { words: () => ["", "picked rows"], ...NO_NUMBERS },
  and: { words: ({ and }, describe) => ["", and.map(describe).join(" and ") || "all"], ...COMBINED },
  or: { words: ({ or }, describe) => ["", or.map(describe).join(" or ") || "none"], ...COMBINED },
  minus: { words: ({ minus }, describe) => ["", minus.map(describe).join(" but not ")], ...COMBINED },
  not: { words: (rule, describe) => ["", describe(rule)], ...COMBINED },
};
const NAMES = /** @type {RuleForm[]} */ (Object.keys(FORMS));

/** @param {Rule} rule @returns {FilterOfForm | Form} @throws {Error} if the rule has no known form */
export function formOf(rule) {
  const name = NAMES.find((one) => one in rule);
  if (name === undefined) throw new Error(`no form of a rule: ${Object.keys(rule).join(", ")}`);
  return FORMS[name];
}

/** The negated rule, or the rule itself. @param {Rule} rule @returns {{inner: Rule, isNegated: boolean}} */
export const innerOf = (rule) =>
  "not" in rule ? { inner: rule.not, isNegated: true } : { inner: rule, isNegated: false };

/** Label of a value in a rule, as in cxg_widget/text/names.py. @param {any} value @returns {string} */
export function labelOf(value) {
  if (value === null) return MISSING_LABEL;
  if (value === MISSING_LABEL) return `"${value}"`;
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Number.isInteger(value)) return String(BigInt(value));
  const isTiny = typeof value === "number" && Math.abs(value) < 1e-4;
  return isTiny ? value.toExponential().replace(/-(\d)$/, "-0$1") : String(value);
}

/** @param {any[]} values */
function describeValues(values) {
  const first = values.slice(0, 2).map((one) => inALine(labelOf(one)) || EMPTY_LABEL);
  const more = values.length - first.length;
  return `${first.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** @param {Ends} ends */
function describeEnds(ends) {
  const [low, high] = ends.map((end) => (end === null ? "" : shortNumber(end)));
  return low === "" ? `up to ${high}` : high === "" ? `from ${low}` : `${low} to ${high}`;
}
