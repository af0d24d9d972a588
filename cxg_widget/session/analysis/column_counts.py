"""Counts of columns: of those open in the front-end, and for `w.counts`."""
# Changes with cxg_widget/widget/analysing.py and cxg_widget/session/session.py: options of counts.
# Changes with cxg_widget/session/analysis/blend_fields.py: options of counts.

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.cells.loader import Loader
from cxg_widget.counts.coded import Countable
from cxg_widget.counts.counter import Column, GroupCodes, Tally, frame_of
from cxg_widget.datasets.base.column_values import as_scalar
from cxg_widget.display.hover import text_of
from cxg_widget.display.settings import Settings
from cxg_widget.errors import CxgWidgetError, InvalidValue
from cxg_widget.rules.column_names import resolved
from cxg_widget.rules.filters import check_filters
from cxg_widget.rules.forms import Rule
from cxg_widget.session.analysis.composition import NOTHING, Chosen, chosen_of
from cxg_widget.session.analysis.meant import EVERYTHING, Population
from cxg_widget.session.display_state import DisplayState
from cxg_widget.session.exchange import Newest, error_frame
from cxg_widget.text.names import label_of, shortened, shown
from cxg_widget.wire import protocol as p
from cxg_widget.wire.frames import Frame

if TYPE_CHECKING:
    import pandas as pd


MOST_OPEN = 1_000
_MOST_NAMED = 2_000
"""Up to this many categories, all names are sent at once."""
MOST_COUNTED = 1_024
"""Most categories of a long list that may be requested at once."""
_FIRST_ROWS = 128
"""Categories of a long list that are sent first: those on the screen, and some below."""
_MOST_GROUPS = 12
_VAR = "var"
"""Slot of the table of var, kept as long as columns are open."""


class Columns:
    """Answers requests about columns; each is read when it is opened, and dropped when it is closed.

    open : columns open in a front-end, as the trait `color` has them
    """

    def __init__(self, loader: Loader, display: DisplayState) -> None:
        self._loader, self._display = loader, display
        self._dataset = loader.dataset
        self._newest = Newest("other columns were requested.")
        self.open: tuple[str, ...] = ()

    def frame(self, name: Any, population: Population = EVERYTHING) -> pd.DataFrame:
        """Return the counts of a column; as `CxgWidget.counts`."""
        settings, mask, _ = self._display.now()
        if not isinstance(name, str):
            raise InvalidValue(f"counts() takes the name of a column; found {shown(name)}")
        column = self.resolved(name, settings)
        counter, own = self._loader.of(settings).counter, population.rules
        tally = counter.count(column, [*settings.filters, *own], mask)
        if own:
            of_all = counter.count(column, own, mask, except_own=False)
            tally = replace(tally, everything=of_all.filtered, selected=of_all.chosen)
        return frame_of(column[1], tally)

    def frames(self, request: p.AskColumns | p.FindValues) -> Iterator[Frame]:
        """Answer requests about columns; raises as their parts do."""
        if isinstance(request, p.FindValues):
            yield self._found(request)
        else:
            yield from self._counts(request)

    def _counts(self, request: p.AskColumns) -> Iterator[Frame]:
        """Yield the counts of the open columns; a column that cannot be counted has an error, and the others go on.

        Raises `Overtaken` if others are requested meanwhile, `InvalidValue` if the filters are invalid or there are too
        many columns.
        """
        check_number(request.columns)
        self.open, wanted = tuple(request.columns), _wanted(request)
        known = {*request.known}
        check, settings = self._newest.begin(), self._display.settings
        rules = check_filters(request.filters, self._dataset, settings.layer)
        self._loader.crossfilter.keep([*rules, *settings.filters])
        resolved = {name: self.tried(name, settings) for name in request.columns}
        if not resolved:
            self._loader.memo.drop(_VAR)
        self._loader.of(settings).counter.keep([one for one in resolved.values() if not isinstance(one, Exception)])
        parts = len(resolved)
        for part, (name, column) in enumerate(resolved.items()):
            check()
            try:
                if isinstance(column, Exception):
                    raise column
                frame = self._frame(name, column, rules, (part, parts), wanted[name], is_known=name in known)
            except CxgWidgetError as error:
                frame = _failed(name, error, part, parts, self._dataset.uri)
            yield frame

    def _found(self, request: p.FindValues) -> Frame:
        """Return the categories of a column that contain a text; raises `UnknownName`."""
        settings, wanted = self._display.settings, request.query.strip().casefold()
        coded = self._loader.of(settings).counter.coded(self.resolved(request.column, settings))
        labels = [] if coded.categories is None else [*map(label_of, coded.categories), p.MISSING_LABEL]
        rows = [row for row, label in enumerate(labels) if wanted in label.casefold()]
        named = [labels[row] for row in rows[:_MOST_NAMED] if row < len(labels) - 1] if request.labels else []
        return Frame(p.FoundValues(labels=named), {"rows": np.array(rows, dtype=np.uint32)})

    def tried(self, name: str, settings: Settings) -> Column | CxgWidgetError:
        """Return the column of a name, or the reason why there is none."""
        try:
            return self.resolved(name, settings)
        except CxgWidgetError as error:
            return error

    def resolved(self, name: str, settings: Settings) -> Column:
        """Return the column of a name; raises `UnknownName`."""
        source, found = resolved({name: name}, self._dataset, settings.layer)[name]
        return source, found, settings.layer if source == "var" else None

    def _frame(
        self, name: str, column: Column, rules: list[Rule], part: tuple[int, int], wanted: list[int], *, is_known: bool
    ) -> Frame:
        settings, mask, _ = self._display.now()
        legend, groups = self.groups(settings)
        counter = self._loader.of(settings).counter
        tally = counter.count(column, rules, mask, lambda: groups, is_kept=True)
        coded = tally.coded
        rows = _rows_to_send(coded, wanted, is_known=is_known)
        labels = [] if is_known and not rows else _labels(coded, rows)
        edges = [] if is_known or coded.categories is not None else coded.edges.tolist()
        scale: p.Scale = "continuous" if coded.categories is None else "categorical"
        is_grouped = tally.grouped.shape[1] > 0
        chosen = chosen_of(counter, column, rules, mask, tally)
        about = [] if is_known else self._about(*column[:2])
        message = p.ColumnCounts(
            *part, name, scale, labels, edges, legend if is_grouped else [], layer=column[2] or "",
            n_zeros=coded.n_zeros, about=about, rows=rows, n_held=chosen.n_held, n_chosen=chosen.n_chosen,
            enriched=chosen.enriched[:_FIRST_ROWS].tolist() if rows else [],
        )  # fmt: skip
        return Frame(message, _arrays(tally, chosen, rows, is_known=is_known))

    def _about(self, source: str, name: str) -> list[list[str]]:
        """Return what var states about a gene of X, or the unit of an obs column."""
        if source != "var":
            column = self._dataset.obs_columns.get(name)
            return [["Unit", column.unit]] if column is not None and column.unit else []
        names = self._dataset.names_in(None)
        position = names.find_var(name) if names.has_var(name) else self._dataset.n_var
        if position >= self._dataset.n_var:
            return []
        try:
            return var_record(self._loader.memo.keep(_VAR, None, self._dataset.var), position, name)
        except CxgWidgetError:  # the counts do without it
            return []

    def groups(self, settings: Settings) -> tuple[list[int], GroupCodes | None]:
        """Return the largest categories of the legend, and the group of each cell: one of them, others or none."""
        column = self._loader.legend_column(settings)
        if column is None:
            return [], None

        held = self._loader.of(settings)

        def make() -> tuple[list[int], GroupCodes]:
            _, counts = held.category_counts(column, None)
            largest = sorted(range(len(counts)), key=lambda code: -counts[code])[:_MOST_GROUPS]
            coded = held.counter.coded(("obs", column, None))
            if coded.ordered:
                largest.sort()
            group = np.full(len(counts) + 1, len(largest), dtype=np.uint8)
            group[largest] = np.arange(len(largest))
            group[-1] = len(largest) + 1
            return largest, GroupCodes(coded.look_up(group), len(largest) + 2)

        try:
            return self._loader.memo.keep("groups", column, make)
        except CxgWidgetError:  # the coloring reports it; the counts do without it
            return [], None


def check_number(columns: list[str]) -> None:
    """Refuse to count more columns than anybody could open."""
    if len(columns) > MOST_OPEN:
        raise InvalidValue(f"at most {MOST_OPEN:,} columns can be open; found {len(columns):,}")


def _wanted(request: p.AskColumns) -> dict[str, list[int]]:
    """Return the requested rows of each column, [] = all."""
    rows = request.rows or [[] for _ in request.columns]
    if len(rows) != len(request.columns):
        raise InvalidValue(f"columns need the rows of each or of none; found {len(rows)} of {len(request.columns)}")
    if max(map(len, rows), default=0) > MOST_COUNTED:
        raise InvalidValue(f"at most {MOST_COUNTED:,} rows of a column are counted apart from all")
    return dict(zip(request.columns, rows, strict=True))


def _rows_to_send(coded: Countable, wanted: list[int], *, is_known: bool) -> list[int]:
    """Return the rows of a long list to send, the first ones if none were requested; [] = all."""
    if coded.categories is None or coded.is_grouped:
        return []
    rows = [row for row in wanted if 0 <= row < coded.n_codes]
    return rows if rows or is_known else list(range(_FIRST_ROWS))


def _labels(coded: Countable, rows: list[int]) -> list[str]:
    labels = coded.categories or ()
    if not rows:
        return [label_of(one) for one in labels]
    return [label_of(labels[row]) if row < len(labels) else p.MISSING_LABEL for row in rows]


def _arrays(tally: Tally, chosen: Chosen, rows: list[int], *, is_known: bool) -> dict[str, NDArray[Any]]:
    some = rows or slice(None)
    found = {"all": tally.everything if rows and not is_known else tally.everything[some]}
    found |= {"filtered": tally.filtered[some], "selected": tally.selected[some], "grouped": tally.grouped[some]}
    return {name: counts.astype(np.uint32) for name, counts in found.items()} | chosen.arrays(rows)


def _failed(name: str, error: CxgWidgetError, part: int, parts: int, uri: str) -> Frame:
    failure = error_frame("columns", error, uri).message
    assert isinstance(failure, p.Error)
    nothing = np.empty(0, dtype=np.uint32)
    arrays = {"all": nothing, "filtered": nothing, "selected": nothing, "grouped": nothing.reshape(0, 0)}
    arrays |= NOTHING.arrays([])
    return Frame(p.ColumnCounts(part, parts, name, "none", [], [], [], failure.message), arrays)


_MOST_FIELDS = 40
"""Most fields shown."""
_LONGEST_FIELD = 400
"""Longest value, in characters."""


def var_record(var: pd.DataFrame, position: int, name: str) -> list[list[str]]:
    """Return [column, value] of a gene: its identifier and the first columns of var; missing values by name."""
    row = var.iloc[[position], :_MOST_FIELDS]
    index = (var.index.name or "identifier", var.index[position], False)
    values = ((column, row[column].iloc[0], bool(row[column].isna().iloc[0])) for column in row)
    described = (
        [str(column), shortened(text_of(None if is_missing else as_scalar(value)), _LONGEST_FIELD)]
        for column, value, is_missing in (index, *values)
    )
    return [[column, value] for column, value in described if value != name]
