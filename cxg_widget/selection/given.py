"""The rule of what `select()` is given, where it has one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from cxg_widget.errors import CxgWidgetError
from cxg_widget.rules.filters import listed_values
from cxg_widget.rules.forms import Rule, check_rule, is_form
from cxg_widget.selection.selection import SelectedCells

if TYPE_CHECKING:
    from cxg_widget.datasets.base.dataset import Dataset


def looked_at(what: Any, dataset: Dataset) -> Any:
    """Return what may be looked at more than once, and means cells of a dataset.

    Lists take the place of what can be gone through once, and what their rule finds here that of cells of another
    dataset, errors as `SelectedCells.found_in`; all else is as it is.
    """
    if isinstance(what, SelectedCells):
        return what.found_in(dataset)
    if not isinstance(what, Mapping):
        return what
    return {name: list(values) if isinstance(values, Iterator) else values for name, values in what.items()}


def is_rule(what: Any, dataset: Dataset) -> bool:
    """Say whether something is meant as a rule, and not as {column: values}."""
    return isinstance(what, Mapping) and any(map(is_form, what)) and not any(key in dataset.obs_columns for key in what)


def rule_of(what: Any, dataset: Dataset) -> Rule | None:
    """Return the rule of {column: values} or of its own cells that have one; None for masks, rows and labels."""
    if isinstance(what, SelectedCells):
        return what._rule if what.is_of(dataset) else None
    if not isinstance(what, Mapping):
        return None
    rules: list[Rule] = []
    for name, values in what.items():
        column = name if name in dataset.obs_columns else str(name).removeprefix("obs:")
        if column not in dataset.obs_columns:  # the obs index
            return None
        rules.append({"obs": column, "in": listed_values(values)})
    return _checked(rules[0] if len(rules) == 1 else {"and": rules})


def rule_of_query(query: str, layer: str | None) -> Rule | None:
    """Return a query as a rule, whatever cells it then means; None where it is one for pandas alone."""
    return _checked({"query": query, "layer": layer} if layer else {"query": query})


def _checked(rule: Rule) -> Rule | None:
    try:
        return check_rule(rule)
    except CxgWidgetError:
        return None
