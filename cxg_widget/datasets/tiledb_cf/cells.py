"""Observations from the cells of a sparse array: its dimensions are coordinates that other arrays are joined on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.tiledb_cf.dataspace import Dataspace
from cxg_widget.datasets.tiledb_cf.grid import At, DenseGrid
from cxg_widget.datasets.tiledb_cf.reads import Reads
from cxg_widget.datasets.tiledb_cf.variables import Variable
from cxg_widget.errors import InvalidStore

_MISSING = {"float": np.nan, "categorical": -1, "string": "", "int": 0, "boolean": False}
Cached = Callable[[tuple[Any, ...], Callable[[], Any]], Any]


class SparseCells:
    """Variables on the dimensions of a sparse array; each is read whole and cached.

    TileDB cannot seek to the n-th cell.
    """

    def __init__(self, reads: Reads, space: Dataspace, path: str, cached: Cached) -> None:
        self._reads = reads
        self._space = space
        self._cached = cached
        self.path = path
        self.coordinates = {variable.name: variable for variable in space.sparse[path]}
        self.dims = tuple(self.coordinates)
        self.n = reads.count(path)

    def positions(self, dim: str) -> Variable:
        """Return the coordinates of the cells along a dimension."""
        return self.coordinates[dim]

    def reaches(self, variable: Variable) -> bool:
        """Return whether a variable has values for these cells."""
        if not set(variable.dims) <= set(self.dims):
            return False
        return variable.sparse or all(self._counts(dim) or self._label(dim) is not None for dim in variable.dims)

    def block(self, variable: Variable, start: int, stop: int, at: At) -> NDArray[Any]:  # noqa: ARG002
        """Return the decoded values of rows start <= row < stop."""
        return self._whole(variable)[start:stop]

    def take(self, variable: Variable, rows: NDArray[np.int64], at: At) -> NDArray[Any]:  # noqa: ARG002
        """Return the decoded values of the given rows, in the order of `rows`."""
        return np.asarray(self._whole(variable)[rows])

    def _whole(self, variable: Variable) -> NDArray[Any]:
        def load() -> NDArray[Any]:
            if variable.path == self.path:
                return self._stored(variable)
            return self._joined(variable)

        key = ("cells", variable.path, variable.attr, variable.is_dim)
        values: NDArray[Any] = self._cached(key, load)
        if len(values) != self.n:
            raise InvalidStore(
                f"{self._reads.uri}: {variable.path} has {len(values):,} cells now, "
                f"but had {self.n:,} when it was opened; open it again."
            )
        return values

    def _stored(self, variable: Variable) -> NDArray[Any]:
        assert variable.attr is not None
        return variable.encoding.decode(self._reads.cells(variable.path, variable.attr, dim=variable.is_dim))

    def _joined(self, variable: Variable) -> NDArray[Any]:
        if variable.sparse:
            known = self._space.sparse[variable.path]
            values = self._stored(variable)
            place = self._places(tuple(one.name for one in known), [self._stored(one) for one in known])
        else:
            grid = DenseGrid(self._reads, self._space.dimensions, variable.dims)
            values = grid.block(variable, 0, grid.n, {})
            place = self._places_on(variable.dims)
        return self._picked(variable, values, place)

    def _places(self, dims: Sequence[str], known: Sequence[NDArray[Any]]) -> NDArray[np.int64]:
        return find_cells([self._whole(self.coordinates[dim]) for dim in dims], known)

    def _places_on(self, dims: Sequence[str]) -> NDArray[np.int64]:
        """Return the row of each cell on a grid of these dimensions; -1 if the cell lies outside."""
        place = np.zeros(self.n, dtype=np.int64)
        outside = np.zeros(self.n, dtype=np.bool_)
        for dim in dims:
            at = self._position(dim)
            size = self._space.dimensions[dim].size
            outside |= (at < 0) | (at >= size)
            place = place * size + at
        return np.where(outside, -1, place)

    def _position(self, dim: str) -> NDArray[np.int64]:
        coordinate = self._whole(self.coordinates[dim])
        label = self._label(dim)
        if self._counts(dim):
            return np.asarray(coordinate.astype(np.int64) - self._space.dimensions[dim].low)
        assert label is not None
        grid = DenseGrid(self._reads, self._space.dimensions, (dim,))
        return find_cells([coordinate], [grid.block(label, 0, grid.n, {})])

    def _counts(self, dim: str) -> bool:
        """Return whether the coordinates along a dimension are positions.

        They are if they are integers, and the domain starts where the shared dimension of that name starts.
        """
        if dim not in self._space.dimensions or self.coordinates[dim].encoding.kind != "int":
            return False
        low = self._reads.schema(self.path).domain.dim(self.dims.index(dim)).domain[0]
        return int(low) == self._space.dimensions[dim].low

    def _label(self, dim: str) -> Variable | None:
        """Return the dense variable that maps positions along a dimension to coordinates."""
        found = self._space.variables.get(dim)
        return found if found is not None and found.dims == (dim,) and not found.sparse else None

    def _picked(self, variable: Variable, values: NDArray[Any], place: NDArray[np.int64]) -> NDArray[Any]:
        """Return the values at `place`, and the missing value where `place` is -1."""
        n_missing = int(np.count_nonzero(place < 0))
        kind = variable.encoding.kind
        if n_missing and kind in ("int", "boolean"):
            raise InvalidStore(
                f"{self._reads.uri}: {variable.name} has no value for {n_missing:,} of the {self.n:,} cells of "
                f"{self.path}, and its type cannot hold missing values."
            )
        missing = np.array([_MISSING[str(kind)]], dtype=values.dtype)
        return np.asarray(np.append(values, missing)[place])


Observations = DenseGrid | SparseCells
"""Rows of a dataset: positions on a grid, or cells of a sparse array."""


def find_cells(wanted: Sequence[NDArray[Any]], known: Sequence[NDArray[Any]]) -> NDArray[np.int64]:
    """Return the positions, int64 (k,), of the cells `wanted` among the cells `known`; -1 for a cell not among them.

    wanted : one array (k,) of coordinates per dimension
    known : one array (m,) of coordinates per dimension, in the same order; of duplicate cells, the first counts
    """
    of_wanted = np.zeros(len(wanted[0]), dtype=np.int64)
    of_known = np.zeros(len(known[0]), dtype=np.int64)
    for one, other in zip(wanted, known, strict=True):
        # Each step renumbers the distinct cells so far, so keys stay below the square of the number of cells.
        values, place = np.unique(other, return_inverse=True)
        keys, numbered = np.unique(of_known * len(values) + place.reshape(-1), return_inverse=True)
        at = np.searchsorted(values, one).clip(0, max(len(values) - 1, 0))
        there = (of_wanted >= 0) & (values[at] == one) if len(values) else np.zeros(len(one), dtype=np.bool_)
        of_wanted = _look_up(np.where(there, of_wanted * len(values) + at, -1), keys)
        of_known = numbered.reshape(-1)
    first = np.full(int(of_known.max(initial=-1)) + 2, -1, dtype=np.int64)
    first[of_known[::-1]] = np.arange(len(of_known))[::-1]
    return np.asarray(first[of_wanted])


def _look_up(numbers: NDArray[np.int64], keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the position of each number among ascending keys; -1 for a number that is not a key."""
    if not len(keys):
        return np.full(len(numbers), -1, dtype=np.int64)
    at = np.searchsorted(keys, numbers).clip(0, len(keys) - 1)
    return np.where(keys[at] == numbers, at, -1)
