"""The parts of a CXG by name, the interface of the layouts of its matrix, and the layout of `Xr` and `Xc`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.matrix_contract import Grain, Positions
from cxg_widget.datasets.tiledb_access.arrays import Arrays
from cxg_widget.errors import InvalidStore

Axis = Literal["obs", "var"]
Cells = tuple[NDArray[Any], NDArray[np.int64] | None]
"""Values of a column and their rows; None = all rows."""
Entries = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]
"""Lines, positions along them, and values."""

SHIFT = "X_col_shift"
MATRIX = ("X", "Xr", "Xc")
PARTS = ("obs", "var", *MATRIX, SHIFT, "cxg_group_metadata")


def kind_of(path: str) -> str:
    """Return the TileDB type that what has this path has in a CXG, "unknown" where CXGs have nothing there."""
    if path in PARTS or path.startswith("emb/"):
        return "array"
    return "group" if path == "emb" else "unknown"


@dataclass(frozen=True)
class Stored:
    """Facts of an array's schema; a schema itself would keep the context of TileDB, and its threads, after closing.

    dims, tiles : name and extent of a tile of each dimension; 0 = it has none
    types : attributes by name and NumPy type
    """

    shape: tuple[int, ...]
    dims: tuple[str, ...]
    tiles: tuple[int, ...]
    types: dict[str, np.dtype[Any]]
    is_sparse: bool
    capacity: int

    @classmethod
    def of(cls, schema: Any) -> Stored:
        """Take it from a `tiledb.ArraySchema`."""
        dims = [schema.domain.dim(number) for number in range(schema.domain.ndim)]
        attrs = [schema.attr(number) for number in range(schema.nattr)]
        return cls(
            shape=tuple(map(int, schema.shape)),
            dims=tuple(dim.name for dim in dims),
            tiles=tuple(int(dim.tile or 0) for dim in dims),
            types={attr.name: attr.dtype for attr in attrs},
            is_sparse=bool(schema.sparse),
            capacity=int(schema.capacity),
        )

    @property
    def value(self) -> str:
        """The first attribute."""
        return next(iter(self.types))


ENTRY_BYTES = 12
"""What an entry takes where it comes with both of its places."""
_NEAR_ENTRIES = 1 << 12
_MOST_ENTRIES = 1 << 20


class Layout(ABC):
    """One layout, and how it is read.

    Parameters
    ----------
    children : names below its root and their types
    note : takes a sentence for the user

    Attributes
    ----------
    path : the array that is read
    twin : the name of the array that holds the same along the other axis, None where there is none
    has_rows : whether rows of a column can be read without the others
    """

    path = "X"
    twin: str | None = None
    has_rows = True

    def __init__(self, arrays: Arrays, children: Mapping[str, str], n_obs: int, note: Callable[[str], None]) -> None:
        self._arrays, self._children, self._note = arrays, children, note
        self._counted: dict[str, int] = {}
        self.stored = Stored.of(arrays.schema(self.path))
        self.shape = self._find_shape(n_obs)

    @property
    def is_by_row(self) -> bool:
        """Whether a column takes a look at about all of the matrix, so that several are read together."""
        return self._quick_axis() == "obs"

    @property
    def axis(self) -> Axis:
        """Along which lines are read with less of the matrix than along the other; far away always "var"."""
        return "var" if self._arrays.is_remote else self._quick_axis()

    @abstractmethod
    def column(self, position: int, rows: tuple[int, int] | None) -> Cells:
        """Read one column, or its rows start <= row < stop; of a layout without rows always all."""

    def columns(self, positions: Sequence[int], start: int, stop: int) -> list[Cells]:
        """Read rows of distinct columns at once; called where `is_by_row`."""
        raise NotImplementedError

    @abstractmethod
    def lines(self, start: int, stop: int) -> Entries | NDArray[np.float32]:
        """Read the lines start <= line < stop along `axis`: their entries, or all values (n_lines, length)."""

    @abstractmethod
    def grain(self) -> Grain:
        """Say in which portions it is read."""

    @abstractmethod
    def cells_of_rows(self, rows: Positions) -> Entries | NDArray[np.float32]:
        """Read some rows, ascending, of a layout whose grain has rows: rows, columns and values, or all values.

        Entries of other rows may be among them.
        """

    @abstractmethod
    def cells_of_columns(self, positions: Positions, rows: Positions | None) -> Entries | NDArray[np.float32]:
        """Read some columns, ascending, cut to some rows: columns, rows and values, or all values (n_columns, n_rows).

        Entries of other columns and rows may be among them.
        """

    def describe(self) -> dict[str, Any]:
        """Describe the layout, fit for JSON."""
        kind = "sparse" if self.stored.is_sparse else "dense"
        return {"layout": f"X: {kind}", "tiles": list(self.stored.tiles)}

    def largest_gap(self, axis: Axis) -> int:  # noqa: ARG002 - of layouts whose tiles are read one by one
        """Return the largest gap between lines along an axis that one range reads, together with the lines between."""
        return 1

    def most_lines(self, axis: Axis) -> int:  # noqa: ARG002
        """Return the most lines along an axis to read at a time, including those between others."""
        return 2**62

    def _n_entries(self, path: str) -> int:
        """Return the number of entries of a sparse array, by the metadata of its fragments, read once."""
        if path not in self._counted:
            self._counted[path] = sum(fragment.n_cells for fragment in self._arrays.fragments(path))
        return self._counted[path]

    def _find_shape(self, n_obs: int) -> tuple[int, ...]:  # noqa: ARG002 - of layouts that do not say it
        return self.stored.shape

    def _quick_axis(self) -> Axis:
        """TileDB reads whole tiles: a band of rows is as high as a tile, a band of columns as wide."""
        shape, (rows, columns) = self.stored.shape, self._portion()
        return "obs" if rows * shape[1] < columns * shape[0] else "var"

    def _portion(self) -> tuple[int, int]:
        rows, columns = (tile or edge for tile, edge in zip(self.stored.tiles, self.stored.shape, strict=True))
        return rows, columns

    def _column(self, positions: Sequence[int], query: Callable[[], Any]) -> Any:
        return self._read(f"column {', '.join(map(str, positions[:4]))}", query)

    def _lines(self, start: int, stop: int, query: Callable[[], Any]) -> Any:
        return self._read(f"{self.axis} {start} to {stop}", query)

    def _read(self, what: str, query: Callable[[], Any]) -> Any:
        return self._arrays.read(self._arrays.array(self.path), f"expression, {what} of {self.path}", query)


class SparseLayout(Layout):
    """A layout that keeps entries, of which neighbours lie in one tile."""

    def largest_gap(self, axis: Axis) -> int:
        """Return the largest gap between lines: beginning a range takes as long as reading so many entries."""
        return max(_NEAR_ENTRIES // self._mean(axis), 1)

    def most_lines(self, axis: Axis) -> int:
        """Return the most lines to read at a time."""
        return max(_MOST_ENTRIES // self._mean(axis), 1)

    def _mean(self, axis: Axis) -> int:
        """Return the mean number of entries of a line."""
        return max(self._n_entries(self.path) // max(self.shape[axis == "var"], 1), 1)

    def _lines_in_tile(self, stored: Stored, axis: Axis) -> int:
        return max(stored.capacity // self._mean(axis), 1)


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


def ranges_of(lines: NDArray[np.int64], largest_gap: int) -> list[slice]:
    """Return lines, ascending, as ranges of `multi_index`, ends included; gaps up to `largest_gap` lie within one."""
    breaks = np.flatnonzero(np.diff(lines) > largest_gap)
    firsts, lasts = lines[np.append(0, breaks + 1)], lines[np.append(breaks, len(lines) - 1)]
    return [slice(*one) for one in zip(firsts.tolist(), lasts.tolist(), strict=True)]
