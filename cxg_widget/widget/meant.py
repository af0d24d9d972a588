"""Cells that a user means: one order of guesses for `select`, `compare`, `composition`, sets and labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cxg_widget.errors import SelectionError
from cxg_widget.rules.description import describe_rule
from cxg_widget.rules.forms import Rule
from cxg_widget.selection.given import is_rule, looked_at, rule_of, rule_of_query
from cxg_widget.selection.query import mask_of_query
from cxg_widget.selection.selection import SelectedCells, is_table, mask_of
from cxg_widget.session.gestures import polygon_rule
from cxg_widget.text.names import nearest, shown

if TYPE_CHECKING:
    from cxg_widget.widget.widget import CxgWidget

_SIGNS = ("==", "!=", "<", ">", " = ", " in ", " in(", ".isna(", ".notna(", ".isin(", ".str.", "isna(", "notna(")


class MeantCells(NamedTuple):
    """Cells, and how they were named.

    Attributes
    ----------
    mask : bool (n_obs,)
    rule : what finds them again; None for masks, rows and labels
    name : in words; None where nothing names them
    """

    mask: NDArray[np.bool_]
    rule: Rule | None
    name: str | None


def cells_meant(widget: CxgWidget, what: Any, *, level: int) -> MeantCells:
    """Return the cells that a user means.

    Parameters
    ----------
    what : None or "selection" = the selection; the name of a set; a query; a rule as `w.sets.apply` takes it; a polygon
        (k, 2) in data units; {obs column: values}; a mask (n_obs,), rows or obs index labels; a set or selection, of
        which that of another dataset is found by its rule. A set comes before a query, and a query before a label.
    level : how many calls up from the caller the variables are that a query names with @, 1 = in the caller

    Raises
    ------
    SelectionError, UnknownName, InvalidValue
        If no cells are meant.
    """
    dataset = widget.dataset
    if what is None or (isinstance(what, str) and what == "selection" and what not in list(widget.sets)):
        chosen = widget.selection
        return MeantCells(np.array(chosen.mask), rule_of(chosen, dataset), "the selection")
    if isinstance(what, str):
        return _by_text(widget, what, level + 1)
    if is_rule(what, dataset):
        found = widget.sets.apply(what)
        return MeantCells(np.array(found.mask), rule_of(found, dataset), None)
    if not isinstance(what, SelectedCells | Mapping) and not hasattr(what, "columns") and is_table(what):
        return MeantCells(widget._session.polygon_mask(what), polygon_rule(what, widget._session.settings), None)
    given = looked_at(what, dataset)
    rule = rule_of(given, dataset)
    is_named = isinstance(given, Mapping) and rule is not None
    name = " and ".join(map(describe_rule, rule.get("and", [rule]))) if is_named and rule is not None else None
    return MeantCells(mask_of(given, dataset), rule, name)


def _by_text(widget: CxgWidget, text: str, level: int) -> MeantCells:
    dataset = widget.dataset
    if text in list(widget.sets):
        found = widget.sets[text]
        return MeantCells(np.array(found.mask), rule_of(found, dataset), text)
    if any(sign in text for sign in _SIGNS):
        mask = mask_of_query(text, dataset, widget.layer, level=level + 1)
        return MeantCells(mask, rule_of_query(text, widget.layer), f"query {text}")
    try:
        return MeantCells(mask_of(text, dataset), None, text)
    except SelectionError:
        close = nearest(text, list(widget.sets), 1)
        if not close:
            raise
        raise SelectionError(
            f"{shown(text)} is no set, query or {dataset.obs_noun.one}. Did you mean the set {shown(close[0])}?"
        ) from None
