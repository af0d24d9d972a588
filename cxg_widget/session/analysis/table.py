"""The table of cells: pages for the front-end, and whole tables for Python and files."""
# Changes with cxg_widget/display/table_setting.py: what the table shows.

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.cells.loader import Loader
from cxg_widget.display.color_target import resolve
from cxg_widget.display.hover_fields import columns_that_say_most
from cxg_widget.display.settings import Settings
from cxg_widget.display.table_setting import INDEX, TableSetting, check_table, columns_nobody_chose
from cxg_widget.errors import CxgWidgetError
from cxg_widget.rules.filters import check_filters
from cxg_widget.session.display_state import DisplayState
from cxg_widget.session.exchange import error_frame
from cxg_widget.wire import protocol as p
from cxg_widget.wire.frames import CHUNK_BYTES, Frame
from cxg_widget.wire.parsing import check_rows

if TYPE_CHECKING:
    import pandas as pd

    from cxg_widget.table.columns import TableColumn
    from cxg_widget.table.keys import Keys
    from cxg_widget.table.order import Ordered

_BLOCK = 1 << 16
"""Rows of a file written at a time."""


class CellTable:
    """Answers requests about the table; keeps the sort keys of one column."""

    def __init__(self, loader: Loader, display: DisplayState) -> None:
        self._loader, self._display = loader, display
        self._dataset = loader.dataset
        self._ordered: dict[str, Ordered] = {}

    # For Python.

    @property
    def setting(self) -> TableSetting:
        """The setting of the table."""
        return TableSetting.read(self._display.settings.table)

    def columns(self) -> list[str]:
        """Return the names of the current columns."""
        return self._columns(self.setting, self._display.settings)

    @property
    def total(self) -> int:
        """Number of rows."""
        settings, mask, _ = self._display.now()
        return self._order("python", self.setting, settings, self._mask(self.setting, settings.filters, mask)).total

    def frame(self, start: int, n: int) -> pd.DataFrame:
        """Return up to n rows as a DataFrame; as `widget.table.Table.frame`."""
        from cxg_widget.table.columns import frame_of

        settings, mask, _ = self._display.now()
        setting = self.setting
        ordered = self._order("python", setting, settings, self._mask(setting, settings.filters, mask))
        rows = ordered.rows(start, n)
        return frame_of(self._read(setting, settings, rows), self._dataset, rows)

    def csv(self) -> Iterator[str]:
        """Yield the text of a file with all rows, in parts."""
        from cxg_widget.table.columns import frame_of
        from cxg_widget.table.csv import csv_text

        settings, mask, _ = self._display.now()
        setting = self.setting
        ordered = self._order("python", setting, settings, self._mask(setting, settings.filters, mask))
        for start in range(0, max(ordered.total, 1), _BLOCK):
            rows = ordered.rows(start, _BLOCK)
            frame = frame_of(self._read(setting, settings, rows), self._dataset, rows)
            yield csv_text(frame, header=start == 0)

    # For the front-end.

    def page(self, request: p.AskTable) -> Frame:
        """Return the requested rows."""
        from cxg_widget.table.columns import names_of

        check_rows(request.start, request.n)
        if request.n == 0:
            self.close()
            nothing: dict[str, NDArray[Any]] = {
                "xy": np.empty((0, 2), dtype=np.float32),
                "selected": np.empty(0, dtype=np.uint8),
                "elsewhere": np.empty((0, 0, 2), dtype=np.float32),
            }
            return Frame(p.Table(0, 0, [], [], [], []), nothing)
        setting, settings, rules, selected, _ = self._parsed(request)
        mask = self._mask(setting, rules, selected, request.within)
        error = ""
        try:
            ordered = self._order("page", setting, settings, mask)
        except CxgWidgetError as failure:
            if setting.sort is None:
                raise
            error = self._message_of(failure)
            setting = TableSetting(setting.columns, None, False, setting.of)
            ordered = self._order("page", setting, settings, mask)
        at = ordered.place(request.find)
        start = request.start if at < 0 else max(0, min(at - request.n // 2, ordered.total - request.n))
        rows = ordered.rows(start, request.n)
        columns = self._read(setting, settings, rows)
        heads = [
            {
                "spec": one.spec, "name": one.name, "detail": one.detail, "is_number": one.is_number,
                "error": "" if one.error is None else self._message_of(one.error),
            }
            for one in columns
        ]  # fmt: skip
        names, texts = names_of(self._dataset, rows), [one.texts() for one in columns]
        panels = list(settings.places.values())
        message = p.Table(start, ordered.total, rows.tolist(), names, heads, texts, at, error, panels)
        elsewhere = [self._places(rows, settings.of_panel(panel)) for panel in panels]
        arrays: dict[str, NDArray[Any]] = {
            "xy": self._places(rows, settings),
            "selected": selected[rows].astype(np.uint8),
            "elsewhere": np.stack(elsewhere) if panels else np.empty((0, rows.size, 2), dtype=np.float32),
        }
        return Frame(message, arrays)

    def part(self, request: p.AskCsv) -> Frame:
        """Return rows as text of a file, as many of those requested as fit one message, at least one."""
        from cxg_widget.table.columns import frame_of
        from cxg_widget.table.csv import csv_text

        check_rows(request.start, request.n)
        setting, settings, rules, selected, seq = self._parsed(request)
        mask = self._mask(setting, rules, selected, request.within)
        ordered = self._order("csv", setting, settings, mask)
        rows = ordered.rows(request.start, request.n)
        frame = frame_of(self._read(setting, settings, rows), self._dataset, rows)
        while True:
            text = csv_text(frame, separator=request.separator, header=request.start == 0).encode("utf-8", "replace")
            if len(text) <= CHUNK_BYTES or len(frame) <= 1:
                break
            frame = frame.iloc[: max(1, min(len(frame) // 2, len(frame) * CHUNK_BYTES // len(text)))]
        message = p.Csv(request.start, request.start + len(frame), ordered.total, seq)
        return Frame(message, {"text": np.frombuffer(text, dtype=np.uint8)})

    def close(self) -> None:
        """Release the sort keys."""
        self._ordered.clear()
        self._loader.memo.drop("table_keys")
        self._loader.memo.drop("table_cells")

    def _parsed(
        self, request: p.AskTable | p.AskCsv
    ) -> tuple[TableSetting, Settings, list[Any], NDArray[np.bool_], int]:
        settings, selected, seqs = self._display.now()
        setting = TableSetting.read(check_table(request.table, self._dataset, settings))
        return (
            setting,
            settings,
            check_filters(request.filters, self._dataset, settings.layer),
            selected,
            seqs.selection,
        )

    def _mask(
        self, setting: TableSetting, rules: Any, selected: NDArray[np.bool_], within: str = ""
    ) -> NDArray[np.bool_] | None:
        """Return the cells of the table, bool (n_obs,), the same array while nothing changes; None = all.

        within : for a table of the selection: "filter" = only the cells that pass
        """
        is_whole = setting.of == "selection" and within != "filter"
        passing = None if is_whole else self._loader.crossfilter.passing(rules)
        if setting.of != "selection" or passing is None:
            return selected if setting.of == "selection" else passing
        key = id(selected), id(passing)  # both arrays are kept alive, so that no others can have these ids
        both = selected, passing
        return self._loader.memo.keep("table_cells", key, lambda: (both, both[0] & both[1]))[1]

    def _order(self, who: str, setting: TableSetting, settings: Settings, mask: NDArray[np.bool_] | None) -> Ordered:
        """Return the cells of the table in order; cached for the next request."""
        from cxg_widget.table.order import Ordered

        keys = self._keys(setting.sort, settings)
        held = self._ordered.get(who)
        if held is None or not held.is_of(keys, mask, descends=setting.descending):
            held = Ordered(keys, mask, self._dataset.n_obs, descends=setting.descending)
            self._ordered[who] = held
        return held

    def _keys(self, sort: str | None, settings: Settings) -> Keys | None:
        if sort is None:
            return None
        from cxg_widget.table.keys import keys_of

        layer = settings.layer
        target = None if sort == INDEX else resolve(sort, self._dataset, layer, settings.own_gene_sets)
        key = (sort,) if target is None or target.source == "obs" else (sort, layer, target.genes)
        keys: Keys = self._loader.memo.keep("table_keys", key, lambda: keys_of(target, self._dataset, layer))
        return keys

    def _columns(self, setting: TableSetting, settings: Settings) -> list[str]:
        if setting.columns is not None:
            return list(setting.columns)
        dataset, own = self._dataset, tuple(self._dataset.own_columns.values())
        key = tuple(dataset.obs_columns), tuple(map(id, own))  # `own` is kept alive, so that no others have these ids
        telling = self._loader.memo.keep("table_columns", key, lambda: (own, columns_that_say_most(dataset)))[1]
        return columns_nobody_chose(self._loader.target(settings), telling)

    def _read(self, setting: TableSetting, settings: Settings, rows: NDArray[np.int64]) -> list[TableColumn]:
        from cxg_widget.table.columns import read_columns

        return read_columns(
            self._columns(setting, settings), self._dataset, settings.layer, rows, settings.own_gene_sets
        )

    def _places(self, rows: NDArray[np.int64], settings: Settings) -> NDArray[np.float32]:
        """Return the coordinates of cells, float32 (k, 2); NaN if they cannot be read, or there is no plot yet."""
        held = self._loader.of(settings)
        try:
            if settings.embedding is not None and held.can_hover:
                return np.ascontiguousarray(held.coordinates(rows), dtype=np.float32)
        except CxgWidgetError:
            pass  # the plot reports it
        return np.full((rows.size, 2), np.nan, dtype=np.float32)

    def _message_of(self, error: CxgWidgetError) -> str:
        failure = error_frame("table", error, self._dataset.uri).message
        assert isinstance(failure, p.Error)
        return failure.message
