"""What `w.compare` and `w.markers` are given: cells by any way to name them, and what they are then called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compare.question import BY_DONOR, Question
from cxg_widget.errors import InvalidOption, InvalidValue
from cxg_widget.rules.told import told
from cxg_widget.selection.given import is_rule, looked_at, rule_of
from cxg_widget.selection.query import mask_of_query
from cxg_widget.selection.selection import SelectedCells, is_table, mask_of
from cxg_widget.text.names import not_found, shown

if TYPE_CHECKING:
    from cxg_widget.compare.markers import Markers
    from cxg_widget.compare.result import Comparison
    from cxg_widget.widget.widget import CxgWidget

Mask = NDArray[np.bool_]
AGAINST = ("rest", "neighborhood")
_SIGNS = ("==", "!=", "<", ">", " in ", ".isna(", ".notna(")


def compared(widget: CxgWidget, a: Any, b: Any, question: Question, within: Any, *, level: int) -> Comparison:
    """Compare cells of a widget; as `CxgWidget.compare`.

    Parameters
    ----------
    level : how many calls up from here the variables are that a query names with @
    """
    population = widget._session.population(within)
    mask_a, told_a = cells_meant(widget, a, "a", level=level + 1)
    if isinstance(b, str) and b == "rest" and b not in list(widget.sets):
        return widget._session.comparisons.with_rest(mask_a, told_a, question, population)
    mask_b, told_b = cells_meant(widget, b, "b", level=level + 1)
    return widget._session.comparisons.between((mask_a, mask_b), (told_a, told_b), question, population)


def markers_of_set(
    widget: CxgWidget, a: Any, against: Any, question: Question, within: Any, *, level: int
) -> Comparison:
    """Compare cells with all others, or with those around them in the embedding on show; as `CxgWidget.markers`."""
    if against not in AGAINST:
        raise InvalidValue(
            f"{not_found('background', against, AGAINST, 'markers(against=...)')} compare(a, b) takes any two sets."
        )
    if question.method in BY_DONOR:
        raise InvalidOption(
            f"method={question.method!r} needs donors, and by= of markers() names groups: "
            f"compare(a, method={question.method!r}, by=...) takes them."
        )
    question.check(widget.dataset)
    population = widget._session.population(within)
    mask, told_a = cells_meant(widget, a, "the set", level=level + 1)
    made = widget._session.comparisons
    return (made.with_rest if against == "rest" else made.with_neighborhood)(mask, told_a, question, population)


def markers_by(widget: CxgWidget, column: Any, question: Question, within: Any) -> Markers:
    """Compare the cells of each value of a column with all others; as `CxgWidget.markers`."""
    name = column
    if isinstance(name, str) and name not in widget.dataset.obs_columns:
        name = name.removeprefix("obs:")
    return widget._session.comparisons.of_groups(name, question, widget._session.population(within))


def cells_meant(widget: CxgWidget, what: Any, name: str, *, level: int) -> tuple[Mask, str]:
    """Return which cells are meant, bool (n_obs,), and what they are called.

    Parameters
    ----------
    what : None or "selection" = the selection; the name of a set; a query; a rule as `w.sets.apply` takes it; a
        polygon (k, 2) in data units; else as `w.select` takes it. A set comes before a query, and that before a label.
    name : what they are called where nothing tells
    level : as of `compared`

    Raises
    ------
    SelectionError, UnknownName, InvalidValue
        If no cells are meant.
    """
    dataset = widget.dataset
    if what is None or (isinstance(what, str) and what == "selection" and what not in list(widget.sets)):
        return np.array(widget.selection.mask), "the selection"
    if isinstance(what, str):
        return _by_text(widget, what, level + 1)
    if is_rule(what, dataset):
        return np.array(widget.sets.apply(what).mask), name
    if not isinstance(what, SelectedCells | Mapping) and not hasattr(what, "columns") and is_table(what):
        return widget._session.polygon_mask(what), name
    given = looked_at(what, dataset)
    rule = rule_of(given, dataset) if isinstance(given, Mapping) else None
    return mask_of(given, dataset), name if rule is None else " and ".join(map(told, rule.get("and", [rule])))


def genes_meant(widget: CxgWidget, genes: Any) -> Sequence[str] | None:
    """Return names of genes: of a gene set by its name, of one gene, or as they were given."""
    if genes is None:
        return None
    if not isinstance(genes, str) and isinstance(genes, Iterable):
        return list(genes)
    if not isinstance(genes, str):
        raise InvalidValue(f"genes= takes a list of names, or the name of a gene set; found {shown(genes)}")
    own = widget._session.settings.own_gene_sets
    return list({**widget.dataset.gene_sets, **own}.get(genes, (genes,)))


def _by_text(widget: CxgWidget, text: str, level: int) -> tuple[Mask, str]:
    if text in list(widget.sets):
        return np.array(widget.sets[text].mask), text
    if any(sign in text for sign in _SIGNS):
        return mask_of_query(text, widget.dataset, widget.layer, level=level + 1), f"query {text}"
    return mask_of(text, widget.dataset), text
