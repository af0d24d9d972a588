/** Filters as the front-end changes them: rules of small JSON, one for each column, and a query. Pure. */
import { labelsOf } from "../../state/hidden.js";
import { MISSING_LABEL } from "../../wire/protocol.js";
import { innerOf, labelOf } from "../../words/rule_words.js";

/** @typedef {import("../../words/rule_words.js").Rule} Rule */

/** What a filter is about: "obs:NAME", "var:NAME" or "query". @param {Rule} rule @returns {string} */
export function columnOf(rule) {
  const inner = innerOf(rule);
  if ("set" in inner) return `set:${inner.set}`;
  return "query" in inner ? "query" : "obs" in inner ? `obs:${inner.obs}` : `var:${inner.var}`;
}

/** @param {Rule[]} rules @param {string} column @returns {Rule | undefined} */
export function ruleOf(rules, column) {
  return rules.find((rule) => columnOf(rule) === column);
}

/** The rules with another one for a column, in its place; null takes it away. @param {Rule[]} rules @param {string} column @param {Rule | null} rule @returns {Rule[]} */
export function withRule(rules, column, rule) {
  const at = rules.findIndex((one) => columnOf(one) === column);
  if (at < 0) return rule === null ? rules : [...rules, rule];
  return [...rules.slice(0, at), ...(rule === null ? [] : [rule]), ...rules.slice(at + 1)];
}

/** Which labels pass, those of missing values too. @param {Rule | undefined} rule @returns {(label: string) => boolean} */
export function passesOf(rule) {
  const listed = innerOf(rule ?? {}).in;
  if (listed === undefined) return () => true;
  const labels = new Set(listed.map(labelOf));
  return "not" in /** @type {Rule} */ (rule) ? (label) => !labels.has(label) : (label) => labels.has(label);
}

/** The filter of a column that leaves out some labels; null = none. @param {string} column @param {string[]} labels all @param {(label: string) => boolean} passes
 * @returns {Rule | null} */
export function keeping(column, labels, passes) {
  const [kept, left] = [labels.filter(passes), labels.filter((label) => !passes(label))];
  if (left.length === 0) return null;
  const obs = column.slice(4);
  return kept.length > 0 && kept.length < left.length
    ? { obs, in: kept.map(valueFor) }
    : { not: { obs, in: left.map(valueFor) } };
}

/** The same filter by what it keeps, where the legend lists the labels of its column and that is shorter.
 * @param {Rule} rule @param {import("../../state/state.js").Coloring | null} color @returns {Rule} */
export function shortest(rule, color) {
  const column = columnOf(rule);
  const isHiding = innerOf(rule).in !== undefined && "not" in rule;
  return (isHiding && color?.spec === column && keeping(column, labelsOf(color), passesOf(rule))) || rule;
}

/** The filter of a column that leaves out one label more, or takes it in again; where the list is long, not all labels are known.
 * @param {string} column @param {Rule | undefined} rule @param {string} label @param {number} n labels in all @returns {Rule | null} */
export function toggled(column, rule, label, n) {
  const isNot = rule === undefined || "not" in rule;
  const now = /** @type {any[]} */ (innerOf(rule ?? {}).in ?? []);
  const others = now.filter((value) => labelOf(value) !== label);
  const listed = others.length < now.length ? others : [...now, valueFor(label)];
  if (listed.length === (isNot ? 0 : n)) return null;
  const inner = { obs: column.slice(4), in: listed };
  return isNot ? { not: inner } : inner;
}

/** The filter of a column that keeps one label alone; null where it does so already. @param {string} column @param {Rule | undefined} rule @param {string} label
 * @returns {Rule | null} */
export function onlyOne(column, rule, label) {
  const isOnly = rule !== undefined && rule.in?.length === 1 && labelOf(rule.in[0]) === label;
  return isOnly ? null : onlyThese(column, [label]);
}

/** The filter of a column that keeps some labels. @param {string} column @param {string[]} labels @returns {Rule} */
export const onlyThese = (column, labels) => ({ obs: column.slice(4), in: labels.map(valueFor) });

/** @param {string} label */
function valueFor(label) {
  return label === MISSING_LABEL ? null : label;
}

/** The ends of a filter of numbers, null = open. @param {Rule | undefined} rule @returns {[number | null, number | null]} */
export function endsOf(rule) {
  return rule?.range ?? [null, null];
}

/** @param {string} column @param {[number | null, number | null]} ends @param {string | null} layer of genes @returns {Rule | null} */
export function within(column, ends, layer) {
  if (ends[0] === null && ends[1] === null) return null;
  const name = column.slice(4);
  if (column.startsWith("obs:")) return { obs: name, range: ends };
  return { var: name, ...(layer === null ? {} : { layer }), range: ends };
}
