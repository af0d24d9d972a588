"""Filters: one rule per obs column or gene, and one query; turns the user's values into rules."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cxg_widget.errors import InvalidValue, SelectionError, UnknownName
from cxg_widget.rules.advice import advised
from cxg_widget.rules.by_value import listed_values
from cxg_widget.rules.column_names import missing_names, resolved
from cxg_widget.rules.forms import Rule, check_rule, form_of, inner_of
from cxg_widget.rules.forms.column_forms import QUERY, VALUES
from cxg_widget.rules.named import filter_by
from cxg_widget.text.names import label_of, shown
from cxg_widget.wire.protocol import MISSING_LABEL

if TYPE_CHECKING:
    from cxg_widget.datasets.base.dataset import Dataset


def key_of(rule: Rule) -> str:
    """Return the key of a filter."""
    inner, is_negated = inner_of(rule)
    part = form_of(inner).as_filter
    if part is not None and (part.can_be_negated or not is_negated):
        return part.key(inner)
    raise InvalidValue(f"a filter is a rule of one obs column, gene or set, or a query; found {shown(rule)}")


def check_filters(value: Any, dataset: Dataset, layer: str | None = None, sets: Sequence[Rule] = ()) -> list[Rule]:
    """Return filters as rules, one per key, in order.

    value : {name: kept values, as `filter_of` takes them}, rules as in a widget's state, an object with `rules`, or
        None
    layer : of genes; None = X
    sets : {"name", "rule"} each, which "set:NAME" refers to
    """
    value = getattr(value, "rules", value)
    if value is None:
        return []
    if isinstance(value, Mapping):
        rules = [filter_of(name, kept, dataset, layer, sets) for name, kept in value.items()]
    elif isinstance(value, Iterable) and not isinstance(value, str | bytes):
        rules = [_checked(one, dataset) for one in value]
    else:
        raise InvalidValue(f"filters must be {{column: values or range to keep}}; found {shown(value)}")
    return list({key_of(rule): rule for rule in rules}.values())


def filter_of(name: Any, kept: Any, dataset: Dataset, layer: str | None = None, sets: Sequence[Rule] = ()) -> Rule:
    """Return the rule that keeps some values of an obs column or gene.

    name : as `color` takes it, or "set:NAME" of a set of cells, which takes precedence over a column of that name
    kept : a value or a list of values; for numbers a tuple (lowest, highest), both included, None = no limit; for a set
        True, or False for all other cells; or a rule
    """
    if name == QUERY and QUERY not in dataset.obs_columns:
        return query_filter(kept, dataset, layer)
    if not isinstance(name, str):
        raise UnknownName(missing_names([shown(name)], dataset))
    is_set = any(name == f"set:{one['name']}" for one in sets)
    if is_set or (name.startswith("set:") and name not in dataset.obs_columns):
        return filter_by(name.removeprefix("set:"), sets, kept)
    source, found = resolved({name: name}, dataset, layer)[name]
    if source == "obs" and found not in dataset.obs_columns:
        raise UnknownName(f"{name!r} is the obs index; filter by it with a query: w.filter(\"index in ['...']\")")
    if isinstance(kept, Mapping):
        rule = check_rule(kept)
        if key_of(rule).removeprefix("obs:") not in (found, f"var:{found}"):
            raise InvalidValue(f"the filter of {name!r} must be a rule of that column; found {shown(kept)}")
        return rule
    is_number = source == "var" or dataset.obs_columns[found].kind in ("int", "float")
    if isinstance(kept, tuple) and kept == (None, None):
        how = f"w.filters[{name!r}] = (0, None) keeps 0 and more, del w.filters[{name!r}] removes the filter"
        raise InvalidValue(f"a range needs at least one end: {how}; found (None, None)")
    if isinstance(kept, tuple) and len(kept) == 2 and is_number and all(map(_is_end, kept)):
        ends = [None if one is None else np.asarray(one).item() for one in kept]
        ends = [None if isinstance(one, float) and math.isinf(one) else one for one in ends]
        rule = {"range": ends}
    elif source == "var":
        example = f"w.filters[{name!r}] = (0.5, None)"
        raise InvalidValue(f"the filter of {dataset.var_noun.a} is a range: {example}; found {shown(kept)}")
    else:
        rule = {"in": listed_values(kept)}
    return check_rule({source: found, **({"layer": layer} if source == "var" and layer else {}), **rule})


def query_filter(query: Any, dataset: Dataset, layer: str | None = None) -> Rule:
    """Return the filter of a query; raises `SelectionError` if it is invalid."""
    return _checked({"query": query, "layer": layer} if layer else {"query": query}, dataset)


def _checked(rule: Any, dataset: Dataset) -> Rule:
    try:
        return check_rule(rule)
    except SelectionError as error:
        if not isinstance(rule, Mapping) or "query" not in rule:
            raise
        raise advised(error, rule["query"], dataset) from None


def _is_end(value: Any) -> bool:
    return value is None or (isinstance(value, int | float | np.number) and not isinstance(value, bool))


# Categories hidden in the legend are the filter of its column.


def hiding(column: str, labels: Iterable[str]) -> Rule:
    """Return the filter of a column that excludes some labels; "(missing)" means cells without one."""
    return {"not": {"obs": column, "in": [None if one == MISSING_LABEL else one for one in labels]}}


def hidden_by(rule: Rule, labels: Iterable[str]) -> list[str]:
    """Return the labels of a column that its filter excludes; `labels` are all, without the missing ones."""
    inner, is_negated = inner_of(rule)
    listed = [MISSING_LABEL if one is None else label_of(one) for one in inner["in"]]
    if is_negated:
        return listed
    kept = set(listed)
    return [label for label in (*labels, MISSING_LABEL) if label not in kept]


def is_of_values(rule: Rule, column: str | None) -> bool:
    """Return whether a filter lists values of an obs column, so that a legend can show or hide them one by one."""
    inner, _ = inner_of(rule)
    return lists_values(rule) and inner["obs"] == column


def lists_values(rule: Rule) -> bool:
    """Return whether a filter lists values of any obs column."""
    return form_of(inner_of(rule)[0]) is VALUES
