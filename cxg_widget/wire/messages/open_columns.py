"""Columns that are open, and a brush over one of them."""
# Changes with cxg_widget/compare/composition.py: numbers of an enrichment.

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from cxg_widget.wire.messages.message import Array, OfPanel, Scale


@dataclass(frozen=True)
class AskColumns(OfPanel, kind="columns", is_of_each=False):
    """Count the columns that are open, all others are closed. Answered by one `column` for each, in their order.

    columns : as the trait `color` has them, "obs:NAME" or "var:NAME"
    known : those of which the front-end has categories or edges, which then are not sent again, but for those of `rows`
    filters : as the trait, which hosts hold back while the kernel is busy
    rows : of each of these, where it is long, the categories that are on the screen, as indices, missing ones last;
        [] = all, the first ones where it is not known
    """

    columns: list[str]
    known: list[str] = field(default_factory=list)
    filters: list[dict[str, Any]] = field(default_factory=list)
    rows: list[list[int]] = field(default_factory=list)


@dataclass(frozen=True)
class FindValues(OfPanel, kind="find", is_of_each=False):
    """Find the categories of a column that contain a text. Answered by `found`.

    column : as the trait `color` has it; query : whose case does not count
    labels : whether the names of those found are sent too
    """

    column: str
    query: str
    labels: bool = False


@dataclass(frozen=True)
class AskBrush(OfPanel, kind="brush", is_of_each=False):
    """A hand takes a brush: ask for all that its moves can do. Answered by one `sums` for each column, then by `bins`.

    column : of numbers, the one under the hand; columns : the others that are open, as the trait `color` has them
    rows : of each of these the categories that are on the screen, as indices, missing ones last; of numbers none
    filters : as in `columns`
    """

    column: str
    columns: list[str]
    rows: list[list[int]]
    filters: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class ColumnCounts(OfPanel, kind="column"):
    """How many cells have each value of a column, those without one last; part of parts.

    scale "categorical": categories in their order. "continuous": edges of the bins, each of which holds its left edge
    and not its right one, but for the last, which holds both. Neither is listed where it is known.
    groups : indices into the categories of the legend on show, the largest; [] where cells are not counted by it
    rows : of a long list, the categories listed and counted in the arrays; [] = all; where the list was not
        known, `all` is of all categories nevertheless, by which they can be sorted
    error : one sentence where the column cannot be counted; the rest then is empty
    layer : that a gene was read from, "" = X
    n_zeros : how many of all cells have the number 0
    about : what var says of a gene, or the unit of an obs column, [name, value] each; not listed where edges are known
    n_chosen, n_held : how many there are in all
    enriched : of a long list, the categories that are most enriched among the chosen, the first of all
    """

    arrays: ClassVar[Mapping[str, Array]] = {
        "all": Array(("uint32",), ("n_all",), "all cells"),
        "filtered": Array(("uint32",), ("n",), "those that pass all filters but that of the column itself"),
        "selected": Array(("uint32",), ("n",), "selected cells"),
        "grouped": Array(
            ("uint32",),
            ("n", "n_groups"),
            "those filtered of each of groups, of the others, of those the legend calls missing; or none",
        ),
        "chosen": Array(("uint32",), ("n or 0",), "selected cells that pass all filters; none where none is selected"),
        "held": Array(("uint32",), ("n or 0",), "all cells that pass all filters; none where none is selected"),
        "odds": Array(("float32",), ("k or 0",), "of categories, their odds among the chosen over those in the rest"),
        "log10_p": Array(
            ("float32",), ("k or 0",), "log10 of the chance of as many or more, adjusted over the categories"
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
    """Which categories of a column contain a text.

    labels : names of the first of them, without the missing ones; [] where they were not requested
    """

    arrays: ClassVar[Mapping[str, Array]] = {
        "rows": Array(("uint32",), ("n",), "indices into the categories, in their order; missing ones last")
    }
    labels: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class BrushSums(OfPanel, kind="sums"):
    """How many cells of a column pass under a brush over another, by all filters but those of the two; part of parts.

    The sums run: those at step k are of the cells in the first k * width bins of the brush, so that a brush over whole
    steps is the difference of two of them. The last step but one holds all bins, the last cells without a value too.
    rows : the categories that are counted; of numbers all bins are, and then the missing ones
    groups : as in `column`, of which each row has one part each; [] = one part
    """

    arrays: ClassVar[Mapping[str, Array]] = {
        "sums": Array(("uint32",), ("n_steps", "n_rows", "n_parts"), "cells; none where the column cannot be counted")
    }
    part: int
    parts: int
    column: str
    rows: list[int]
    groups: list[int]
    # Several bins a step, where the sums of all columns would take more than 4 MiB (decision 34).
    width: int


@dataclass(frozen=True)
class BrushBins(OfPanel, kind="bins"):
    """The bin of a brush for the points start..stop of n_points in display order; part of parts, after the `sums`.

    One more than the last bin = without a value; 255 = it fails another filter, that of the legend left out.
    """

    # A byte a point, once: the brush then moves without the kernel (decision 34).
    arrays: ClassVar[Mapping[str, Array]] = {"bins": Array(("uint8",), ("stop-start",), "bin of the brush")}
    part: int
    parts: int
    start: int
    stop: int
    n_points: int
