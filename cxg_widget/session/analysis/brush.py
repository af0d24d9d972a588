"""Answers the start of a brush: everything that its moves can do to counts and points, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cxg_widget.cells.loader import Loader
from cxg_widget.counts.brush import Brush
from cxg_widget.counts.counter import Column, GroupCodes
from cxg_widget.display.settings import Settings
from cxg_widget.errors import CxgWidgetError, InvalidValue
from cxg_widget.rules.filters import check_filters, is_of_values
from cxg_widget.session.analysis.column_counts import Columns, check_number
from cxg_widget.session.display_state import DisplayState
from cxg_widget.session.exchange import Newest
from cxg_widget.wire import protocol as p
from cxg_widget.wire.frames import Frame, spans

SUMS_BYTES = 4 << 20
"""Limit of the sums of one answer; above it, a step advances the brush by several bins."""
MOST_CATEGORIES = 64
"""Most counted categories of a column; fewer are visible in a list."""


class BrushAnswer:
    """Answers a started brush; nothing more is requested until it is released."""

    def __init__(self, loader: Loader, display: DisplayState, columns: Columns) -> None:
        self._loader, self._display, self._columns = loader, display, columns
        self._newest = Newest("another brush was started.")

    def frames(self, request: p.AskBrush) -> Iterator[Frame]:
        """Yield the sums of each column, empty for one that cannot be counted, and then the bins of the points.

        Raises `Overtaken` if another brush is started meanwhile, `InvalidValue` if the filters are invalid, the brush
        is over categories, or too much is requested, `CxgWidgetError` if the column of the brush cannot be read.
        """
        check = self._newest.begin()
        for frame in self._frames(request):
            check()
            yield frame

    def _frames(self, request: p.AskBrush) -> Iterator[Frame]:
        _check(request)
        settings, loader = self._display.settings, self._loader
        rules = check_filters(request.filters, loader.dataset, settings.layer) if request.filters else []
        held, column = loader.of(settings), self._columns.resolved(request.column, settings)
        brush = Brush(held.counter, loader.crossfilter, column, rules)
        legend_groups = self._columns.groups(settings)
        width = self._width(brush, request, settings, legend_groups[1])
        point_rows = held.point_rows
        chunks = list(spans(point_rows.size, 1))
        parts = len(request.columns) + len(chunks)
        for part, (name, rows) in enumerate(zip(request.columns, request.rows, strict=True)):
            yield self._sums_frame(brush, name, rows, (part, parts, width), settings, legend_groups=legend_groups)
        legend = loader.legend_column(settings) if brush.other_rules else None
        others = [rule for rule in brush.other_rules if not is_of_values(rule, legend)]
        for part, (start, stop) in enumerate(chunks, len(request.columns)):
            bins = brush.bins(point_rows[start:stop], others)
            yield Frame(p.BrushBins(part, parts, start, stop, point_rows.size), {"bins": bins})

    def _sums_frame(
        self, brush: Brush, name: str, rows: list[int], about: tuple[int, int, int], settings: Settings,
        *, legend_groups: tuple[list[int], GroupCodes | None],
    ) -> Frame:  # fmt: skip
        part, parts, width = about
        legend, groups = legend_groups
        try:
            column = self._columns.resolved(name, settings)
            sums = brush.sums(column, rows, lambda: groups, width)
            is_grouped = groups is not None and self._loader.of(settings).counter.coded(column).is_grouped
        except CxgWidgetError:  # its row reports it, and keeps its counts
            sums, is_grouped = np.empty((0, 0, 0), dtype=np.uint32), False
        message = p.BrushSums(part, parts, name, rows, legend if is_grouped else [], width)
        return Frame(message, {"sums": sums})

    def _width(self, brush: Brush, request: p.AskBrush, settings: Settings, groups: GroupCodes | None) -> int:
        """Return by how many bins a step advances the brush, so that all sums fit the limit."""
        entries = 0
        for name, rows in zip(request.columns, request.rows, strict=True):
            column = self._columns.tried(name, settings)
            entries += 0 if isinstance(column, Exception) else self._entries(column, rows, groups, settings)
        width = 1
        while width < brush.n_bins and brush.n_steps(width) * entries * 4 > SUMS_BYTES:
            width *= 2
        return width

    def _entries(self, column: Column, rows: list[int], groups: GroupCodes | None, settings: Settings) -> int:
        """Return how many numbers a step has for a column."""
        n_groups = groups.n if groups else 1
        try:
            coded = self._loader.of(settings).counter.coded(column, is_kept=True)
        except CxgWidgetError:
            return 0
        return coded.n_codes if coded.categories is None else len(rows) * (n_groups if coded.is_grouped else 1)


def _check(request: p.AskBrush) -> None:
    check_number(request.columns)
    if len(request.rows) != len(request.columns):
        raise InvalidValue(
            f"a brush needs the rows of each column; found {len(request.rows)} of {len(request.columns)}"
        )
    if max(map(len, request.rows), default=0) > MOST_CATEGORIES:
        raise InvalidValue(f"a brush counts at most {MOST_CATEGORIES} categories of a column")
