/** Reads and changes filters: lists of rules, at most one per column and one query. Pure. */
import { labelsOf } from "../../state/hidden.js";
import { MISSING_LABEL } from "../../wire/protocol.js";
import { formOf, innerOf, labelOf } from "../../words/rule_forms.js";

/** @typedef {import("../../words/rule_forms.js").Rule} Rule */

/** The spec of a filter: "obs:NAME", "var:NAME", "set:NAME" or "query". @param {Rule} rule @returns {string} */
export function columnOf(rule) {
  const { inner } = innerOf(rule);
  const form = formOf(inner);
  if (!("spec" in form)) throw new Error(`no filter: ${Object.keys(inner).join(", ")}`);
  return form.spec(inner);
}

/** The values that a filter lists, and whether it excludes them; null = it lists none. @param {Rule | undefined} rule
 * @returns {{values: any[], isNegated: boolean} | null} */
export function listedBy(rule) {
  if (rule === undefined) return null;
  const { inner, isNegated } = innerOf(rule);
  const values = formOf(inner).values?.(inner) ?? null;
  return values && { values, isNegated };
}

/** @param {Rule[]} rules @param {string} column @returns {Rule | undefined} */
export function ruleOf(rules, column) {
  return rules.find((rule) => columnOf(rule) === column);
}

/** Whether a filter keeps the cells of a set.
 * @param {Rule[]} rules @param {string} column "set:NAME" @returns {boolean} */
export function isKeeping(rules, column) {
  const rule = ruleOf(rules, column);
  return rule !== undefined && !innerOf(rule).isNegated;
}

/** Replace the rule of a column in its place; null removes it.
 * @param {Rule[]} rules @param {string} column @param {Rule | null} rule @returns {Rule[]} */
export function withRule(rules, column, rule) {
  const at = rules.findIndex((one) => columnOf(one) === column);
  if (at < 0) return rule === null ? rules : [...rules, rule];
  return [...rules.slice(0, at), ...(rule === null ? [] : [rule]), ...rules.slice(at + 1)];
}

/** A predicate: does a label pass? Missing values have MISSING_LABEL.
 * @param {Rule | undefined} rule @returns {(label: string) => boolean} */
export function passesOf(rule) {
  const listed = listedBy(rule);
  if (listed === null) return () => true;
  const labels = new Set(listed.values.map(labelOf));
  return (label) => labels.has(label) !== listed.isNegated;
}

/** The filter that keeps the labels that pass, in its shorter form; null = all pass.
 * @param {string} column @param {string[]} labels all @param {(label: string) => boolean} passes
 * @returns {Rule | null} */
export function keeping(column, labels, passes) {
  const [kept, left] = [labels.filter(passes), labels.filter((label) => !passes(label))];
  if (left.length === 0) return null;
  return kept.length > 0 && kept.length < left.length ? onlyThese(column, kept) : { not: onlyThese(column, left) };
}

/** Rewrite an excluding filter as a keeping one if that is shorter and the legend has all labels of its column.
 * @param {Rule} rule @param {import("../../state/state.js").Coloring | null} color @returns {Rule} */
export function shortest(rule, color) {
  const column = columnOf(rule);
  return (
    (listedBy(rule)?.isNegated && color?.spec === column && keeping(column, labelsOf(color), passesOf(rule))) || rule
  );
}

/** Exclude one more label, or include it again. For long lists, of which not all labels are known.
 * @param {string} column @param {Rule | undefined} rule @param {string} label @param {number} n number of labels
 * @returns {Rule | null} */
export function toggled(column, rule, label, n) {
  const { values, isNegated } = listedBy(rule) ?? { values: [], isNegated: true };
  const others = values.filter((value) => labelOf(value) !== label);
  const listed = others.length < values.length ? others : [...values, valueFor(label)];
  if (listed.length === (isNegated ? 0 : n)) return null;
  const inner = { obs: column.slice(4), in: listed };
  return isNegated ? { not: inner } : inner;
}

/** The values that a filter keeps; [] if it excludes some instead. @param {Rule | undefined} rule @returns {any[]} */
function keptBy(rule) {
  const listed = listedBy(rule);
  return listed === null || listed.isNegated ? [] : listed.values;
}

/** The filter that keeps one label only; null if the current rule does so already.
 * @param {string} column @param {Rule | undefined} rule @param {string} label
 * @returns {Rule | null} */
export function onlyOne(column, rule, label) {
  const [one, ...more] = keptBy(rule);
  return one !== undefined && labelOf(one) === label && more.length === 0 ? null : onlyThese(column, [label]);
}

/** The filter that keeps these labels. @param {string} column @param {string[]} labels @returns {Rule} */
export const onlyThese = (column, labels) => ({ obs: column.slice(4), in: labels.map(valueFor) });

/** @param {string} label */
function valueFor(label) {
  return label === MISSING_LABEL ? null : label;
}

/** The limits of a filter of numbers; null = open.
 * @param {Rule | undefined} rule @returns {[number | null, number | null]} */
export function endsOf(rule) {
  return (rule && formOf(rule).ends?.(rule)) ?? [null, null];
}

/** The filter of a range; null = no limits.
 * @param {string} column @param {[number | null, number | null]} ends @param {string | null} layer of genes
 * @returns {Rule | null} */
export function within(column, ends, layer) {
  if (ends[0] === null && ends[1] === null) return null;
  const name = column.slice(4);
  if (column.startsWith("obs:")) return { obs: name, range: ends };
  return { var: name, ...(layer === null ? {} : { layer }), range: ends };
}

/** Whether a filter keeps the cells of one value only.
 * @param {Rule | undefined} rule @param {any} value null = missing */
export const isOnlyOf = (rule, value) => {
  const kept = keptBy(rule);
  return kept.length === 1 && kept[0] === value;
};

/** Whether a filter excludes a value by name. @param {Rule | undefined} rule @param {any} value */
export function leavesOut(rule, value) {
  const listed = listedBy(rule);
  return listed?.isNegated === true && listed.values.includes(value);
}

/** Exclude one more value, or include it again; null = no filter.
 * @param {Rule | undefined} rule @param {string} column @param {any} value
 * @returns {Rule | null} */
export function without(rule, column, value) {
  const listed = listedBy(rule);
  const left = listed?.isNegated ? listed.values : [];
  const values = left.includes(value) ? left.filter((one) => one !== value) : [...left, value];
  return values.length === 0 ? null : { not: { obs: column.slice(4), in: values } };
}
