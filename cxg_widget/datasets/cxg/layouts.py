"""The parts of a CXG by name, and the layouts of its matrix: all that tells one layout from another is here."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.tiledb_access.arrays import Arrays
from cxg_widget.datasets.tiledb_access.results import select, values_of
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
    """What an array's schema says; a schema itself would keep the context of TileDB, and its threads, after closing.

    Attributes
    ----------
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


class Layout(ABC):
    """One layout, and how it is read.

    Parameters
    ----------
    arrays : the open store
    children : names below its root and their types
    n_obs : rows of obs

    Attributes
    ----------
    path : the array that is read
    twin : the name of the array that holds the same along the other axis, None where there is none
    has_rows : whether rows of a column can be read without the others
    """

    path = "X"
    twin: str | None = None
    has_rows = True

    def __init__(self, arrays: Arrays, children: Mapping[str, str], n_obs: int) -> None:
        self._arrays, self._children = arrays, children
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
        """Read one column, or its rows start <= row < stop; a layout without rows is asked for all."""

    def columns(self, positions: Sequence[int], start: int, stop: int) -> list[Cells]:
        """Read rows of distinct columns at once; asked for where `is_by_row`."""
        raise NotImplementedError

    @abstractmethod
    def lines(self, start: int, stop: int) -> Entries | NDArray[np.float32]:
        """Read the lines start <= line < stop along `axis`: their entries, or all values (n_lines, length)."""

    def describe(self) -> dict[str, Any]:
        """Say what it is, fit for JSON."""
        kind = "sparse" if self.stored.is_sparse else "dense"
        return {"layout": f"X: {kind}", "tiles": list(self.stored.tiles)}

    def _find_shape(self, n_obs: int) -> tuple[int, ...]:  # noqa: ARG002 - of layouts that do not say it
        return self.stored.shape

    def _quick_axis(self) -> Axis:
        """TileDB reads whole tiles: a band of rows is as high as a tile, a band of columns as wide."""
        shape = self.stored.shape
        rows, columns = (tile or edge for tile, edge in zip(self.stored.tiles, shape, strict=True))
        return "obs" if rows * shape[1] < columns * shape[0] else "var"

    def _column(self, positions: Sequence[int], query: Callable[[], Any]) -> Any:
        return self._read(f"column {', '.join(map(str, positions[:4]))}", query)

    def _lines(self, start: int, stop: int, query: Callable[[], Any]) -> Any:
        return self._read(f"{self.axis} {start} to {stop}", query)

    def _read(self, what: str, query: Callable[[], Any]) -> Any:
        return self._arrays.read(self._arrays.array(self.path), f"expression {what} of {self.path}", query)


class ByColumn(Layout):
    """`Xc`: sparse, one dimension, var; the rows are an attribute. `Xr` is its twin by row, which is never read."""

    path = "Xc"
    has_rows = False

    def __init__(self, arrays: Arrays, children: Mapping[str, str], n_obs: int) -> None:
        self.twin = "Xr" if children.get("Xr") == "array" else None
        super().__init__(arrays, children, n_obs)

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

    def describe(self) -> dict[str, Any]:
        """Say what it is."""
        both = "Xr and Xc" if "Xr" in self._children else "Xc without Xr"
        return {"layout": f"{both}: sparse, by rows and by columns", "capacity": self.stored.capacity}

    def _value(self) -> str:
        names: list[str] = list(self.stored.types)
        if "obs" not in names or len(names) < 2:
            raise InvalidStore(f"{self._arrays.uri}: Xc has the attributes {names}; it needs '' and 'obs'.")
        return next(name for name in names if name != "obs")

    def _find_shape(self, n_obs: int) -> tuple[int, ...]:
        is_told = self.twin is not None and not self._arrays.is_remote
        return (self._arrays.schema("Xr").shape[0] if is_told else n_obs, self.stored.shape[0])

    def _quick_axis(self) -> Axis:
        return "var"


class Sparse(Layout):
    """`X` (obs, var), sparse."""

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
        """Read the entries of neighbouring lines."""
        span = slice(start, stop - 1)
        if self.axis == "obs":
            found: Entries = self._lines(start, stop, lambda: self._cells(span, slice(None)))
            return found
        row, column, values = self._lines(start, stop, lambda: self._cells(slice(None), span))
        return column, row, values

    def _cells(self, rows: Any, columns: Any) -> Entries:
        array, value = self._arrays.array("X"), self.stored.value
        names = list(self.stored.dims)
        found = array.query(order="U", attrs=select(array, value), dims=names).multi_index[rows, columns]
        values = next(found[name] for name in found if name not in names)
        return found[names[0]].astype(np.int64), found[names[1]].astype(np.int64), np.asarray(values, np.float32)


class Dense(Layout):
    """`X` (obs, var), dense."""

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
        """Read all values of neighbouring lines."""
        query, span = self._query(), slice(start, stop)
        if self.axis == "obs":
            values = values_of(self._lines(start, stop, lambda: query()[span, :]))
        else:
            values = values_of(self._lines(start, stop, lambda: query()[:, span])).T
        return np.ascontiguousarray(values, dtype=np.float32)

    def _query(self) -> Callable[[], Any]:
        name = self.stored.value
        array = self._arrays.array("X", name)
        return partial(array.query, attrs=select(array, name))


def find_layout(arrays: Arrays, children: Mapping[str, str], n_obs: int) -> Layout:
    """Return the layout by which columns are read.

    Raises
    ------
    InvalidStore
        If there is none.
    DamagedStore
        If its schema cannot be read.
    """
    if children.get("Xc") == "array":
        return ByColumn(arrays, children, n_obs)
    if children.get("X") == "array":
        return (Sparse if arrays.schema("X").sparse else Dense)(arrays, children, n_obs)
    found = "has Xr without Xc" if "Xr" in children else "no expression matrix (need X, or Xr and Xc)"
    raise InvalidStore(f"{arrays.uri}: {found}; values cannot be read.")
