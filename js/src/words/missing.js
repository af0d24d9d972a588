/** The label of cells without a category, as in cxg_widget/text/names.py. Pure. */
// Changes with cxg_widget/text/names.py: cells without a value, in words.
import { IN_NO_SET_LABEL, MISSING_LABEL, NOT_IN_SET_LABEL } from "../wire/protocol.js";

/** @param {{spec?: string}} color the coloring */
export function missingLabel({ spec = "" }) {
  if (!spec.startsWith("sets:")) return MISSING_LABEL;
  return spec === "sets:" ? IN_NO_SET_LABEL : NOT_IN_SET_LABEL;
}
