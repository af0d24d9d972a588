"""Forms about one column: values of an obs column, and ranges of an obs column or a gene."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from cxg_widget.errors import InvalidValue, SelectionError
from cxg_widget.rules.by_value import mask_of_values
from cxg_widget.rules.column_names import read_column
from cxg_widget.rules.form import Cells, FilterPart, Form, Mask, Rule, Words
from cxg_widget.text.names import EMPTY_LABEL, in_a_line, label_of, shown
from cxg_widget.text.numbers import short_number
from cxg_widget.wire.protocol import MISSING_LABEL

if TYPE_CHECKING:
    from cxg_widget.datasets.base.dataset import Dataset

_MOST_VALUES = 2
QUERY = "query"
"""Key of the query among filters; a column has its own name, a gene "var:NAME", a set "set:NAME"."""
_TAKEN = ("obs:", "set:", "var:")
"""Columns whose names start so, or are "query", have the key "obs:NAME"."""


def _key_of_obs(rule: Rule) -> str:
    name = str(rule["obs"])
    return f"obs:{name}" if name == QUERY or name.startswith(_TAKEN) else name


# Values of an obs column.


def _check_values(rule: Rule) -> None:
    if not isinstance(rule["obs"], str) or not isinstance(rule["in"], list):
        raise VALUES.wrong(rule)
    if not all(one is None or isinstance(one, str | bool | int | float) for one in rule["in"]):
        raise InvalidValue(f"{{obs, in}} lists values, null for missing ones; found {shown(rule['in'])}")


def _mask_of_values(cells: Cells, rule: Rule) -> Mask:
    try:
        return mask_of_values({rule["obs"]: rule["in"]}, cells.dataset)
    except SelectionError as error:
        cells.add_unknown(str(error))
        return np.zeros(cells.dataset.n_obs, dtype=np.bool_)


def _are_known_categories(rule: Rule, dataset: Dataset) -> bool:
    """Return whether the values are stated categories; values of text and numbers are only known from the rows."""
    column = dataset.obs_columns.get(rule["obs"])
    is_coded = column is not None and column.kind in ("categorical", "boolean")
    return is_coded and rule["obs"] not in dataset.own_columns


def _words_of_values(rule: Rule, _: object) -> Words:
    first = [
        MISSING_LABEL if one is None else in_a_line(label_of(one)) or EMPTY_LABEL for one in rule["in"][:_MOST_VALUES]
    ]
    n_more = len(rule["in"]) - len(first)
    more = f" and {n_more} more" if n_more else ""
    return Words(rule["obs"], f"{', '.join(first)}{more}")


def _kept_values(rule: Rule, is_negated: bool, dataset: Dataset) -> list[Any]:
    if not is_negated:
        return list(rule["in"])
    left_out = {MISSING_LABEL if one is None else label_of(one) for one in rule["in"]}
    labels = dataset.codes_block(rule["obs"], 0, 0).categories
    kept = [label for label in labels if label_of(label) not in left_out]
    return kept if MISSING_LABEL in left_out else [*kept, None]


VALUES = Form(
    needs=("obs", "in"),
    takes=(),
    spelling="{obs, in}",
    holds_rules=False,
    check=_check_values,
    find_missing=lambda rule, missing: missing.add_obs(rule["obs"]),
    columns=lambda rule: (rule["obs"],),
    mask=_mask_of_values,
    is_row_wise=_are_known_categories,
    words=_words_of_values,
    twin="in",
    as_filter=FilterPart(key=_key_of_obs, can_be_negated=True, kept=_kept_values),
)


# Ranges of numbers.


def _check_ends(ends: Any) -> None:
    is_pair = isinstance(ends, list) and len(ends) == 2
    if not is_pair or not all(one is None or _is_number(one) for one in ends) or ends == [None, None]:
        raise InvalidValue(f"a range is [lowest, highest], both included, null for no end; found {shown(ends)}")
    if None not in ends and ends[0] > ends[1]:
        raise InvalidValue(f"a range goes from the lowest to the highest; found {shown(ends)}")


def _is_number(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and (abs(value) < 2**64 if isinstance(value, int) else math.isfinite(value))


def _check_range_of_obs(rule: Rule) -> None:
    if not isinstance(rule["obs"], str):
        raise RANGE_OF_OBS.wrong(rule)
    _check_ends(rule["range"])


def _check_range_of_var(rule: Rule) -> None:
    if not isinstance(rule["var"], str) or not isinstance(rule.get("layer"), str | None):
        raise RANGE_OF_VAR.wrong(rule)
    _check_ends(rule["range"])


def _mask_of_range(cells: Cells, column: tuple[str, str], rule: Rule) -> Mask:
    numbers = read_column(column, cells.dataset, rule.get("layer"))
    if not isinstance(numbers, np.ndarray) or numbers.dtype.kind not in "iuf":
        raise SelectionError(f"obs column {column[1]!r} holds no numbers, so it has no range; list its values.")
    low, high = rule["range"]
    with np.errstate(over="ignore"):
        mask = numbers >= low if low is not None else numbers <= high
        if low is not None and high is not None:
            mask &= numbers <= high
    return np.asarray(mask)


def _words_of_range(name: str, rule: Rule) -> Words:
    low, high = ("" if end is None else short_number(end) for end in rule["range"])
    return Words(name, f"up to {high}" if not low else f"from {low}" if not high else f"{low} to {high}")


def _kept_range(rule: Rule, *_: Any) -> tuple[Any, Any]:
    low, high = rule["range"]
    return low, high


RANGE_OF_OBS = Form(
    needs=("obs", "range"),
    takes=(),
    spelling="{obs, range}",
    holds_rules=False,
    check=_check_range_of_obs,
    find_missing=lambda rule, missing: missing.add_obs(rule["obs"]),
    columns=lambda rule: (rule["obs"],),
    mask=lambda cells, rule: _mask_of_range(cells, ("obs", rule["obs"]), rule),
    is_row_wise=lambda *_: True,
    words=lambda rule, _: _words_of_range(rule["obs"], rule),
    twin="range",
    as_filter=FilterPart(key=_key_of_obs, can_be_negated=False, kept=_kept_range),
)
RANGE_OF_VAR = Form(
    needs=("var", "range"),
    takes=("layer",),
    spelling="{var, layer, range}",
    holds_rules=False,
    check=_check_range_of_var,
    find_missing=lambda rule, missing: missing.add_var(rule["var"], rule.get("layer")),
    columns=lambda _: (),
    mask=lambda cells, rule: _mask_of_range(cells, ("var", rule["var"]), rule),
    is_row_wise=lambda *_: True,
    words=lambda rule, _: _words_of_range(rule["var"], rule),
    twin="range",
    as_filter=FilterPart(key=lambda rule: f"var:{rule['var']}", can_be_negated=False, kept=_kept_range),
)
