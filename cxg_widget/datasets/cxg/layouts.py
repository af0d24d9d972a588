"""Names of the parts of a CXG, the base classes of its matrix layouts, and the layout of `Xr` and `Xc`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compute.cache import ByteCache
from cxg_widget.datasets.base.matrix_contract import Grain, Positions
from cxg_widget.datasets.cxg.near import Near
from cxg_widget.datasets.tiledb_access.arrays import Arrays, ranges_of
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
    """Return the TileDB type that a CXG has at this path; "unknown" if CXGs have nothing there."""
    if path in PARTS or path.startswith("emb/"):
        return "array"
    return "group" if path == "emb" else "unknown"


@dataclass(frozen=True)
class Stored:
    """Facts of an array's schema; the schema itself would keep TileDB's context and threads alive after closing.

    dims, tiles : name and tile extent of each dimension; 0 = no tile extent
    types : {attribute name: NumPy dtype}
    """

    shape: tuple[int, ...]
    dims: tuple[str, ...]
    tiles: tuple[int, ...]
    types: dict[str, np.dtype[Any]]
    is_sparse: bool
    capacity: int

    @classmethod
    def of(cls, schema: Any) -> Stored:
        """Copy the facts of a `tiledb.ArraySchema`."""
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
        """Name of the first attribute."""
        return next(iter(self.types))


ENTRY_BYTES = 12
"""Bytes of an entry with both of its positions."""
_NEAR_ENTRIES = 1 << 12
_MOST_ENTRIES = 1 << 20


class Layout(ABC):
    """A layout of the matrix, and how to read it.

    Parameters
    ----------
    children : {name below the root: TileDB type}
    note : called with a sentence for the user

    Attributes
    ----------
    path : name of the array to read
    twin : name of the array with the same values along the other axis, None if there is none
    has_rows : whether some rows of a column can be read without the rest
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
        """Whether one column requires reading almost the whole matrix, so that several are read together."""
        return self._quick_axis() == "obs"

    @property
    def axis(self) -> Axis:
        """Axis whose lines require reading less of the matrix; always "var" in remote storage."""
        return "var" if self._arrays.is_remote else self._quick_axis()

    @abstractmethod
    def column(self, position: int, rows: tuple[int, int] | None) -> Cells:
        """Read one column, or its rows start <= row < stop; a layout without `has_rows` always reads all rows."""

    def columns(self, positions: Sequence[int], start: int, stop: int) -> list[Cells]:
        """Read rows of distinct columns together; called only if `is_by_row`."""
        raise NotImplementedError

    @abstractmethod
    def prepare(self) -> None:
        """Open the array ahead, so that a column takes as few requests as possible."""

    @abstractmethod
    def lines(self, start: int, stop: int) -> Entries | NDArray[np.float32]:
        """Read the lines start <= line < stop along `axis`: their entries, or all values (n_lines, length)."""

    @abstractmethod
    def grain(self) -> Grain:
        """Return the portions in which the matrix is read."""

    @abstractmethod
    def cells_of_rows(self, rows: Positions) -> Entries | NDArray[np.float32]:
        """Read some rows, ascending: rows, columns and values of entries, or all values.

        Called only if the grain has rows. The result may include entries of other rows.
        """

    @abstractmethod
    def cells_of_columns(self, positions: Positions, rows: Positions | None) -> Entries | NDArray[np.float32]:
        """Read some columns, ascending, restricted to some rows.

        Returns columns, rows and values of entries, or all values (n_columns, n_rows). The result may include entries
        of other columns and rows.
        """

    def describe(self) -> dict[str, Any]:
        """Describe the layout, as values for JSON."""
        kind = "sparse" if self.stored.is_sparse else "dense"
        return {"layout": f"X: {kind}", "tiles": list(self.stored.tiles)}

    def largest_gap(self, axis: Axis) -> int:  # noqa: ARG002 - for layouts that read tile by tile
        """Return the largest gap between lines along an axis that one range bridges by reading the lines between."""
        return 1

    def most_lines(self, axis: Axis) -> int:  # noqa: ARG002
        """Return the maximum number of lines along an axis to read at a time, including the lines in gaps."""
        return 2**62

    def _n_entries(self, path: str) -> int:
        """Return the number of entries of a sparse array, from the metadata of its fragments, read once."""
        if path not in self._counted:
            self._counted[path] = sum(fragment.n_cells for fragment in self._arrays.fragments(path))
        return self._counted[path]

    def _find_shape(self, n_obs: int) -> tuple[int, ...]:  # noqa: ARG002 - for layouts without it in their schema
        return self.stored.shape

    def _quick_axis(self) -> Axis:
        """Return the axis whose lines are cheaper: TileDB reads whole tiles, so a line costs a band of tiles."""
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
    """A layout that stores entries; neighboring entries share a tile."""

    def largest_gap(self, axis: Axis) -> int:
        """Return the largest gap whose entries take no longer to read than a new range takes to start."""
        return max(_NEAR_ENTRIES // self._mean(axis), 1)

    def most_lines(self, axis: Axis) -> int:
        """Return the maximum number of lines to read at a time."""
        return max(_MOST_ENTRIES // self._mean(axis), 1)

    def _mean(self, axis: Axis) -> int:
        """Return the mean number of entries per line."""
        return max(self._n_entries(self.path) // max(self.shape[axis == "var"], 1), 1)

    def _lines_in_tile(self, stored: Stored, axis: Axis) -> int:
        return max(stored.capacity // self._mean(axis), 1)


class ByColumn(SparseLayout):
    """`Xc`: sparse, with var as its dimension and rows as an attribute; reads of rows use its twin `Xr`."""

    path = "Xc"
    has_rows = False

    def __init__(
        self,
        arrays: Arrays,
        children: Mapping[str, str],
        n_obs: int,
        note: Callable[[str], None],
        cache: ByteCache,
    ) -> None:
        self.twin = "Xr" if children.get("Xr") == "array" else None
        self._tiles: NDArray[np.int64] | None = None
        self._cache = cache
        super().__init__(arrays, children, n_obs, note)

    def prepare(self) -> None:
        """Open the array, and learn which columns share its tiles."""
        self._array()
        fragments = self._arrays.fragments("Xc", with_tiles=True)
        self._counted["Xc"] = sum(fragment.n_cells for fragment in fragments)
        tiles = fragments[0].tiles if len(fragments) == 1 else None  # those of several fragments are in no common order
        # Hilbert order does not keep columns together, and damaged bounds may have any order.
        if tiles is not None and (tiles[1:] >= tiles[:-1]).all():
            self._tiles = tiles

    def column(self, position: int, rows: tuple[int, int] | None) -> Cells:  # noqa: ARG002 - it has no rows
        """Read one column, and keep its neighbors that came along; the next column is often next to it."""
        near: Near | None = self._cache.get(Near)
        if near is None or position not in near.columns:
            array, value, columns = self._array(), self._value(), self._beside(position)
            column, is_alone = self.stored.dims[0], len(columns) == 1
            query = partial(array.query, order="U", attrs=[value, "obs"], dims=False if is_alone else [column])
            what = f"expression, column {position} of Xc"
            found = self._arrays.read(array, what, lambda: query().multi_index[columns[0] : columns[-1]])
            if is_alone:
                return found[value], found["obs"].astype(np.int64)
            near = Near.of(columns, found[column], found["obs"].astype(np.int64), found[value])
            self._cache.put(Near, near)
        return near.column(position)

    def _array(self) -> Any:
        return self._arrays.array("Xc", self._value(), "obs", self.stored.dims[0])

    def _beside(self, position: int) -> range:
        """Return the columns whose tiles are all read for one column, so that they cost no further byte."""
        if self._tiles is None:
            return range(position, position + 1)
        firsts, lasts = self._tiles.T
        begin, end = np.searchsorted(lasts, position), np.searchsorted(firsts, position, side="right")
        if begin >= end:  # no tile has it
            return range(position, position + 1)
        # Neighboring tiles contain a part of the column at a common edge.
        low = lasts[begin - 1] + 1 if begin else 0
        high = firsts[end] if end < len(firsts) else self.stored.shape[0]
        return range(min(int(low), position), max(int(high), position + 1))

    def lines(self, start: int, stop: int) -> Entries:
        """Read the entries of neighboring columns."""
        value, line = self._value(), self.stored.dims[0]
        query = partial(self._arrays.array("Xc").query, order="U", attrs=[value, "obs"], dims=[line])
        found = self._lines(start, stop, lambda: query().multi_index[start : stop - 1])
        return found[line].astype(np.int64), found["obs"].astype(np.int64), np.asarray(found[value], np.float32)

    def grain(self) -> Grain:
        """Return the portions; a tile has `capacity` entries of neighboring rows or columns."""
        n_obs, n_var = self.shape
        rows = self._lines_in_tile(Stored.of(self._arrays.schema("Xr")), "obs") if self._has_twin() else None
        columns = self._lines_in_tile(self.stored, "var")
        return Grain((n_obs, n_var), self._n_entries("Xc"), ENTRY_BYTES, rows, columns, both_ways=rows is not None)

    def cells_of_rows(self, rows: Positions) -> Entries:
        """Read the entries of some rows, from `Xr`."""
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
        """Return whether `Xr` has as many entries as `Xc`; TileDB reads zeros from an `Xr` that lost its files."""
        if self.twin is None:
            return False
        if self._n_entries("Xr") == self._n_entries("Xc") and self._arrays.schema("Xr").shape == self.shape[:1]:
            return True
        self._note(
            "Xr and Xc hold different cells, so rows are read by column; the files of Xr are missing or damaged."
        )
        return False

    def describe(self) -> dict[str, Any]:
        """Describe the layout, as values for JSON."""
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
