"""What `w.compare` and `w.markers` are given: cells by any way to name them, and what they are then called."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from cxg_widget.compare.question import METHODS, Question
from cxg_widget.errors import InvalidOption, InvalidValue
from cxg_widget.text.names import not_found, shown

if TYPE_CHECKING:
    from cxg_widget.compare.markers import Markers
    from cxg_widget.compare.result import Comparison
    from cxg_widget.widget.widget import CxgWidget

AGAINST = ("rest", "neighborhood")


def compared(widget: CxgWidget, a: Any, b: Any, question: Question, within: Any) -> Comparison:
    """Compare cells of a widget; as `CxgWidget.compare`."""
    population = widget._session.population(within)
    mask_a, _, name_a = widget._session.cells(a)
    name_a = name_a or "a"
    if isinstance(b, str) and b == "rest" and b not in list(widget.sets):
        return widget._session.comparisons.with_rest(mask_a, name_a, question, population)
    mask_b, _, name_b = widget._session.cells(b)
    return widget._session.comparisons.between((mask_a, mask_b), (name_a, name_b or "b"), question, population)


def markers_of_set(widget: CxgWidget, a: Any, against: Any, question: Question, within: Any) -> Comparison:
    """Compare cells with all others, or with those around them in the embedding on show; as `CxgWidget.markers`."""
    if against not in AGAINST:
        raise InvalidValue(
            f"{not_found('background', against, AGAINST, 'markers(against=...)')} compare(a, b) takes any two sets."
        )
    if question.method in METHODS and METHODS[question.method].by_donor:
        raise InvalidOption(
            f"method={question.method!r} needs donors, and by= of markers() names groups: "
            f"compare(a, method={question.method!r}, by=...) takes them."
        )
    question.check(widget.dataset)
    population = widget._session.population(within)
    mask, _, name = widget._session.cells(a)
    made = widget._session.comparisons
    compare = made.with_rest if against == "rest" else made.with_neighborhood
    return compare(mask, name or "the set", question, population)


def markers_by(widget: CxgWidget, column: Any, question: Question, within: Any) -> Markers:
    """Compare the cells of each value of a column with all others; as `CxgWidget.markers`."""
    name = column
    if isinstance(name, str) and name not in widget.dataset.obs_columns:
        name = name.removeprefix("obs:")
    return widget._session.comparisons.of_groups(name, question, widget._session.population(within))


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
