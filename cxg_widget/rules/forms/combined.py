"""Forms that combine rules: and, or, not, minus; and the name of a set."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cxg_widget.rules.form import Cells, FilterPart, Form, Mask, Rule, Words
from cxg_widget.text.names import in_a_line


def _check_list(form: str, n: int | None = None) -> Callable[[Rule], None]:
    def check(rule: Rule) -> None:
        if not isinstance(rule[form], list) or (n is not None and len(rule[form]) != n):
            raise _FORM_OF[form].wrong(rule)

    return check


def _mask_of_and(cells: Cells, rule: Rule) -> Mask:
    mask = np.ones(cells.dataset.n_obs, dtype=np.bool_)
    for one in rule["and"]:
        mask &= cells.of(one)
    return mask


def _mask_of_or(cells: Cells, rule: Rule) -> Mask:
    mask = np.zeros(cells.dataset.n_obs, dtype=np.bool_)
    for one in rule["or"]:
        mask |= cells.of(one)
    return mask


def _mask_of_minus(cells: Cells, rule: Rule) -> Mask:
    first, second = rule["minus"]
    return cells.of(first) & ~cells.of(second)


def _check_set(rule: Rule) -> None:
    if not isinstance(rule["set"], str) or not isinstance(rule.get("of"), str | None):
        raise SET.wrong(rule)


# Forms of nested rules evaluate these, and know whether they can be evaluated on some rows.
_OF_RULES: dict[str, Any] = {
    "takes": (), "holds_rules": True, "find_missing": lambda *_: None, "columns": lambda _: (),
    "is_row_wise": lambda *_: True, "as_filter": None,
}  # fmt: skip

AND = Form(
    needs=("and",), spelling="{and: [...]}", check=_check_list("and"), mask=_mask_of_and, twin="and",
    words=lambda rule, describe: Words("", " and ".join(map(describe, rule["and"])) or "all"), **_OF_RULES,
)  # fmt: skip
OR = Form(
    needs=("or",), spelling="{or: [...]}", check=_check_list("or"), mask=_mask_of_or, twin="or",
    words=lambda rule, describe: Words("", " or ".join(map(describe, rule["or"])) or "none"), **_OF_RULES,
)  # fmt: skip
NOT = Form(
    needs=("not",), spelling="{not: rule}", check=lambda _: None, mask=lambda cells, rule: ~cells.of(rule["not"]),
    twin="not", words=lambda rule, describe: Words("", describe(rule)), **_OF_RULES,
)  # fmt: skip
MINUS = Form(
    needs=("minus",), spelling="{minus: [rule, rule]}", check=_check_list("minus", 2), mask=_mask_of_minus,
    twin="minus", words=lambda rule, describe: Words("", " but not ".join(map(describe, rule["minus"]))), **_OF_RULES,
)  # fmt: skip
_FORM_OF = {"and": AND, "or": OR, "minus": MINUS}

SET = Form(
    needs=("set",),
    takes=("of",),
    spelling="{set}",
    holds_rules=False,
    check=_check_set,
    find_missing=lambda rule, missing: missing.add_set(rule["set"]),
    columns=lambda _: (),
    mask=lambda cells, rule: cells.of_set(rule["set"]),
    is_row_wise=lambda *_: False,
    words=lambda rule, _: Words("", f"in {in_a_line(rule['set'])}"),
    twin="set",
    as_filter=FilterPart(
        key=lambda rule: f"set:{rule['set']}",
        can_be_negated=True,
        kept=lambda _, is_negated, __: not is_negated,
    ),
)
