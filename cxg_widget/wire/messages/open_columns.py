"""Messages about open columns, and the brush on a histogram."""
# Changes with cxg_widget/compare/composition.py: numbers of an enrichment.

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from cxg_widget.wire.messages.message import Array, OfPanel, Scale


@dataclass(frozen=True)
class AskColumns(OfPanel, kind="columns", is_of_each=False):
    """Ask for the counts of the open columns; all others are closed. Answered by a `column` for each, in order.

    columns : as the trait `color` has them, "obs:NAME" or "var:NAME"
    known : columns whose categories or edges the front-end has, which are not sent again, except those of `rows`
    filters : as the trait, which hosts hold back while the kernel is busy
    rows : for each column with a long list, the visible categories, as indices, missing last; [] = all, or the first
        ones if it is not known yet
    """

    columns: list[str]
    known: list[str] = field(default_factory=list)
    filters: list[dict[str, Any]] = field(default_factory=list)
    rows: list[list[int]] = field(default_factory=list)


@dataclass(frozen=True)
class FindValues(OfPanel, kind="find", is_of_each=False):
    """Search the categories of a column. Answered by `found`.

    column : as the trait `color` has it; query : text, ignoring case
    labels : whether to send the names of matches too
    """

    column: str
    query: str
    labels: bool = False


@dataclass(frozen=True)
class AskBrush(OfPanel, kind="brush", is_of_each=False):
    """A brush was started: ask for everything that its moves need. Answered by a `sums` per column, then by `bins`.

    column : numeric column of the brush; columns : the other open ones, as the trait `color` has them
    rows : for each of these the visible categories, as indices, missing last; for numbers none
    filters : as in `columns`
    """

    column: str
    columns: list[str]
    rows: list[list[int]]
    filters: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class ColumnCounts(OfPanel, kind="column"):
    """Number of cells per value of a column, with those without a value last; one of `parts` messages.

    scale "categorical": categories in their order. "continuous": edges of the bins, which include their left edge; the
    last one also includes its right edge. Neither is listed if it is known.
    groups : indices of the largest categories of the current legend; [] if cells are not counted by it
    rows : for a long list, the categories in the arrays; [] = all. If the list was not known, `all` has all categories
        nevertheless, to sort by them
    error : one sentence if the column cannot be counted; everything else is then empty
    layer : of a gene, "" = X
    n_zeros : number of all cells with the value 0
    about : what var states about a gene, or the unit of an obs column, [name, value] each; not listed if edges are
        known
    n_chosen, n_held : their totals
    enriched : for a long list, the most enriched categories of the selection, the strongest first
    """

    arrays: ClassVar[Mapping[str, Array]] = {
        "all": Array(("uint32",), ("n_all",), "all cells"),
        "filtered": Array(("uint32",), ("n",), "those that pass all filters except that of the column itself"),
        "selected": Array(("uint32",), ("n",), "selected cells"),
        "grouped": Array(
            ("uint32",),
            ("n", "n_groups"),
            "filtered cells by group, of other groups, and missing in the legend; or empty",
        ),
        "chosen": Array(("uint32",), ("n or 0",), "selected cells that pass all filters; empty without a selection"),
        "held": Array(("uint32",), ("n or 0",), "all cells that pass all filters; empty without a selection"),
        "odds": Array(("float32",), ("k or 0",), "odds of each category in the selection over those in the rest"),
        "log10_p": Array(
            ("float32",), ("k or 0",), "log10 of the p-value of as many or more, adjusted over the categories"
        ),
    }
    part: int
    parts: int
    column: str
    scale: Scale
    categories: list[str]
    edges: list[float]
    groups: list[int]
    error: str = ""
    layer: str = ""
    n_zeros: int = 0
    about: list[list[str]] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    n_chosen: int = 0
    n_held: int = 0
    enriched: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class FoundValues(OfPanel, kind="found"):
    """Categories of a column that contain a text.

    labels : names of the first of them, without the missing ones; [] if not requested
    """

    arrays: ClassVar[Mapping[str, Array]] = {
        "rows": Array(("uint32",), ("n",), "indices into the categories, in their order; missing ones last")
    }
    labels: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class BrushSums(OfPanel, kind="sums"):
    """Cells of a column that pass a brush on another one and all filters except those of both; one of `parts` messages.

    The sums are cumulative: those at step k count the cells in the first k * width bins of the brush, so that a brush
    over whole steps is the difference of two of them. The last step but one has all bins, the last also cells without a
    value.
    rows : the counted categories; for numbers all bins are counted, and then the missing ones
    groups : as in `column`, each row has one part per group; [] = one part
    """

    arrays: ClassVar[Mapping[str, Array]] = {
        "sums": Array(("uint32",), ("n_steps", "n_rows", "n_parts"), "cells; empty if the column cannot be counted")
    }
    part: int
    parts: int
    column: str
    rows: list[int]
    groups: list[int]
    # Several bins per step if the sums of all columns would take more than 4 MiB (decision 34).
    width: int


@dataclass(frozen=True)
class BrushBins(OfPanel, kind="bins"):
    """The bin of a brush for the points start..stop of n_points in draw order; one of `parts` messages, after `sums`.

    One more than the last bin = without a value; 255 = fails another filter, except that of the legend.
    """

    # A byte per point, once: the brush then moves without the kernel (decision 34).
    arrays: ClassVar[Mapping[str, Array]] = {"bins": Array(("uint8",), ("stop-start",), "bin of the brush")}
    part: int
    parts: int
    start: int
    stop: int
    n_points: int
