"""Layouts of a two-dimensional `X` over obs and var, sparse or dense."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.matrix_contract import Grain, Positions
from cxg_widget.datasets.cxg.layouts import ENTRY_BYTES, Cells, Entries, Layout, SparseLayout
from cxg_widget.datasets.tiledb_access.arrays import ranges_of, select, values_of

_BOX_BYTES = 2**24
"""Bytes to read from a dense matrix at a time, so that TileDB decodes few tiles in parallel."""


class Sparse(SparseLayout):
    """`X` (obs, var), sparse."""

    def prepare(self) -> None:
        """Open the array, with the locations of its tiles."""
        self._arrays.array("X", self.stored.value, self.stored.dims[0])

    def column(self, position: int, rows: tuple[int, int] | None) -> Cells:
        """Read one column."""
        row, value = self.stored.dims[0], self.stored.value
        array = self._arrays.array("X", value, row)
        query = partial(array.query, order="U", attrs=select(array, value), dims=[row])
        span = slice(rows[0], rows[1] - 1) if rows else slice(None)
        found = self._column([position], lambda: query().multi_index[span, [position]])
        return values_of(found, row), found[row].astype(np.int64)

    def columns(self, positions: Sequence[int], start: int, stop: int) -> list[Cells]:
        """Read rows of distinct columns."""
        rows = slice(start, stop - 1)
        row, column, values = self._column(positions, lambda: self._cells(rows, sorted(positions)))
        order = np.argsort(column, kind="stable")
        cuts = [np.searchsorted(column[order], (position, position + 1)).tolist() for position in positions]
        return [(values[order[first:last]], row[order[first:last]]) for first, last in cuts]

    def lines(self, start: int, stop: int) -> Entries:
        """Read the entries of neighboring lines."""
        span = slice(start, stop - 1)
        if self.axis == "obs":
            found: Entries = self._lines(start, stop, lambda: self._cells(span, slice(None)))
            return found
        row, column, values = self._lines(start, stop, lambda: self._cells(slice(None), span))
        return column, row, values

    def grain(self) -> Grain:
        """Return the portions in which the matrix is read."""
        rows, columns = self._portion()
        n_obs, n_var = self.shape
        return Grain((n_obs, n_var), self._n_entries("X"), ENTRY_BYTES, rows, columns, cuts=True)

    def cells_of_rows(self, rows: Positions) -> Entries:
        """Read the entries of some rows."""
        wanted = ranges_of(rows, self.largest_gap("obs"))
        found: Entries = self._read(f"{len(rows):,} rows", lambda: self._cells(wanted, slice(None)))
        return found

    def cells_of_columns(self, positions: Positions, rows: Positions | None) -> Entries:
        """Read the entries of some columns, from the first to the last of some rows."""
        wanted = ranges_of(positions, self.largest_gap("var"))
        span = slice(int(rows[0]), int(rows[-1])) if rows is not None and len(rows) else slice(None)
        row, column, values = self._read(f"{len(positions):,} columns", lambda: self._cells(span, wanted))
        return column, row, values

    def _cells(self, rows: Any, columns: Any) -> Entries:
        array, value = self._arrays.array("X"), self.stored.value
        names = list(self.stored.dims)
        found = array.query(order="U", attrs=select(array, value), dims=names).multi_index[rows, columns]
        values = next(found[name] for name in found if name not in names)
        return found[names[0]].astype(np.int64), found[names[1]].astype(np.int64), np.asarray(values, np.float32)


class Dense(Layout):
    """`X` (obs, var), dense."""

    def prepare(self) -> None:
        """Open the array, with the locations of its tiles."""
        self._query()

    def column(self, position: int, rows: tuple[int, int] | None) -> Cells:
        """Read one column."""
        query, span = self._query(), slice(*rows) if rows else slice(None)
        return values_of(self._column([position], lambda: query()[span, position])), None

    def columns(self, positions: Sequence[int], start: int, stop: int) -> list[Cells]:
        """Read rows of distinct columns."""
        query, listed = self._query(), sorted(positions)
        found = self._column(positions, lambda: query().multi_index[start : stop - 1, listed])
        values = values_of(found).reshape(-1, len(listed))
        return [(values[:, listed.index(position)].copy(), None) for position in positions]

    def lines(self, start: int, stop: int) -> NDArray[np.float32]:
        """Read all values of neighboring lines."""
        query, span = self._query(), slice(start, stop)
        if self.axis == "obs":
            values = values_of(self._lines(start, stop, lambda: query()[span, :]))
        else:
            values = values_of(self._lines(start, stop, lambda: query()[:, span])).T
        return np.ascontiguousarray(values, dtype=np.float32)

    def grain(self) -> Grain:
        """Return the portions in which the matrix is read."""
        rows, columns = self._portion()
        itemsize = self.stored.types[self.stored.value].itemsize
        n_obs, n_var = self.shape
        return Grain((n_obs, n_var), n_obs * n_var, itemsize, rows, columns, cuts=True, is_dense=True)

    def cells_of_rows(self, rows: Positions) -> NDArray[np.float32]:
        """Read all values of some rows, tile by tile."""
        height, width = self._portion()
        wanted = ranges_of(rows, 1)
        if self._band_lines(width, height) >= self.shape[1]:
            whole = self._box(wanted, slice(0, self.shape[1] - 1), (len(rows), self.shape[1]))
            return np.ascontiguousarray(whole, dtype=np.float32)
        found = np.empty((len(rows), self.shape[1]), dtype=np.float32)
        for first in range(0, self.shape[1], self._band_lines(width, height)):
            last = min(first + self._band_lines(width, height), self.shape[1])
            found[:, first:last] = self._box(wanted, slice(first, last - 1), (len(rows), last - first))
        return found

    def cells_of_columns(self, positions: Positions, rows: Positions | None) -> NDArray[np.float32]:
        """Read all values of some columns, restricted to some rows."""
        n_rows = self.shape[0] if rows is None else len(rows)
        found = np.empty((len(positions), n_rows), dtype=np.float32)
        height, width = self._portion()
        every = np.arange(self.shape[0]) if rows is None else rows
        wanted = ranges_of(positions, 1)
        start = 0
        while start < n_rows:
            end = (int(every[start]) // height) * height + self._band_lines(height, width)
            stop = int(np.searchsorted(every, end))
            box = self._box(ranges_of(every[start:stop], 1), wanted, (stop - start, len(positions)))
            found[:, start:stop] = box.T
            start = stop
        return found

    def _box(self, rows: Any, columns: Any, shape: tuple[int, int]) -> NDArray[Any]:
        query = self._query()
        found = self._read(f"{shape[0]:,} rows of {shape[1]:,} columns", lambda: query().multi_index[rows, columns])
        return values_of(found).reshape(shape)

    def _band_lines(self, portion: int, across: int) -> int:
        """Return how many lines of a band `across` wide to read at a time, in whole tiles."""
        itemsize = self.stored.types[self.stored.value].itemsize
        return max(_BOX_BYTES // (across * itemsize) // portion, 1) * portion

    def _query(self) -> Callable[[], Any]:
        name = self.stored.value
        array = self._arrays.array("X", name)
        return partial(array.query, attrs=select(array, name))
