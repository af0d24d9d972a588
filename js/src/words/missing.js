/** What cells without a category are called, as cxg_widget/text/names.py has it. Pure. */
// Changes with cxg_widget/text/names.py: cells without a value, in words.
import { IN_NO_SET_LABEL, MISSING_LABEL, NOT_IN_SET_LABEL } from "../wire/protocol.js";

/** @param {{spec?: string}} color what colors them */
export function missingLabel({ spec = "" }) {
  if (!spec.startsWith("sets:")) return MISSING_LABEL;
  return spec === "sets:" ? IN_NO_SET_LABEL : NOT_IN_SET_LABEL;
}
