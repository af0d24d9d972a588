"""The layout of `Xr` and `Xc`: two sparse arrays of one dimension, the entries by row and by column."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from cxg_widget.datasets.base.plan import Grain, Positions
from cxg_widget.datasets.cxg.layouts import ENTRY_BYTES, Axis, Cells, Entries, SparseLayout, Stored
from cxg_widget.datasets.tiledb_access.arrays import Arrays
from cxg_widget.datasets.tiledb_access.results import ranges_of
from cxg_widget.errors import InvalidStore


class ByColumn(SparseLayout):
    """`Xc`: sparse, one dimension, var; the rows are an attribute. `Xr` is its twin by row, of which rows are read."""

    path = "Xc"
    has_rows = False

    def __init__(self, arrays: Arrays, children: Mapping[str, str], n_obs: int, note: Callable[[str], None]) -> None:
        self.twin = "Xr" if children.get("Xr") == "array" else None
        super().__init__(arrays, children, n_obs, note)

    def column(self, position: int, rows: tuple[int, int] | None) -> Cells:  # noqa: ARG002 - it has no rows
        """Read one column."""
        value = self._value()
        array = self._arrays.array("Xc", value, "obs", self.stored.dims[0])
        query = partial(array.query, order="U", attrs=[value, "obs"], dims=False)
        found = self._column([position], lambda: query().multi_index[[position]])
        return found[value], found["obs"].astype(np.int64)

    def lines(self, start: int, stop: int) -> Entries:
        """Read the entries of neighbouring columns."""
        value, line = self._value(), self.stored.dims[0]
        query = partial(self._arrays.array("Xc").query, order="U", attrs=[value, "obs"], dims=[line])
        found = self._lines(start, stop, lambda: query().multi_index[start : stop - 1])
        return found[line].astype(np.int64), found["obs"].astype(np.int64), np.asarray(found[value], np.float32)

    def grain(self) -> Grain:
        """Say in which portions it is read: tiles hold `capacity` entries of neighbouring rows, or columns."""
        n_obs, n_var = self.shape
        rows = self._lines_in_tile(Stored.of(self._arrays.schema("Xr")), "obs") if self._has_twin() else None
        columns = self._lines_in_tile(self.stored, "var")
        return Grain((n_obs, n_var), self._n_entries("Xc"), ENTRY_BYTES, rows, columns, both_ways=rows is not None)

    def cells_of_rows(self, rows: Positions) -> Entries:
        """Read the entries of some rows, out of `Xr`."""
        return self._cells("Xr", "var", ranges_of(rows, self.largest_gap("obs")), f"{len(rows):,} rows")

    def cells_of_columns(self, positions: Positions, rows: Positions | None) -> Entries:  # noqa: ARG002 - no rows
        """Read the entries of some columns."""
        return self._cells("Xc", "obs", ranges_of(positions, self.largest_gap("var")), f"{len(positions):,} columns")

    def _cells(self, path: str, across: str, lines: list[slice], what: str) -> Entries:
        array = self._arrays.array(path)
        names = [array.schema.attr(number).name for number in range(array.schema.nattr)]
        if across not in names or len(names) < 2:
            raise InvalidStore(f"{self._arrays.uri}: {path} has the attributes {names}; it needs '' and {across!r}.")
        value, line = next(name for name in names if name != across), array.schema.domain.dim(0).name
        query = partial(array.query, order="U", attrs=[value, across], dims=[line])
        found = self._arrays.read(array, f"expression, {what} of {path}", lambda: query().multi_index[lines])
        return found[line], found[across], np.asarray(found[value], np.float32)

    def _has_twin(self) -> bool:
        """Say whether `Xr` holds what `Xc` does: where it has lost its files, TileDB would read zeros."""
        if self.twin is None:
            return False
        if self._n_entries("Xr") == self._n_entries("Xc") and self._arrays.schema("Xr").shape == self.shape[:1]:
            return True
        self._note(
            "Xr and Xc hold different cells, so rows are read by column; the files of Xr are missing or damaged."
        )
        return False

    def describe(self) -> dict[str, Any]:
        """Describe the layout, fit for JSON."""
        both = "Xr and Xc" if "Xr" in self._children else "Xc without Xr"
        return {"layout": f"{both}: sparse, by rows and by columns", "capacity": self.stored.capacity}

    def _value(self) -> str:
        names: list[str] = list(self.stored.types)
        if "obs" not in names or len(names) < 2:
            raise InvalidStore(f"{self._arrays.uri}: Xc has the attributes {names}; it needs '' and 'obs'.")
        return next(name for name in names if name != "obs")

    def _find_shape(self, n_obs: int) -> tuple[int, ...]:
        is_known = self.twin is not None and not self._arrays.is_remote
        return (self._arrays.schema("Xr").shape[0] if is_known else n_obs, self.stored.shape[0])

    def _quick_axis(self) -> Axis:
        return "var"
