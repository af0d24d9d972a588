"""Observation grid: each row is a combination of positions along some dimensions, the last one fastest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base import column_values
from cxg_widget.datasets.tiledb_cf.dimensions import Dimension
from cxg_widget.datasets.tiledb_cf.encoding import Encoding
from cxg_widget.datasets.tiledb_cf.reads import Box, Reads, as_box
from cxg_widget.datasets.tiledb_cf.variables import Variable

At = Mapping[str, int]
"""Position along each dimension outside of the grid."""

_MOST_BOXES = 256
_POSITIONS = Encoding("int", np.dtype(np.int64))


class DenseGrid:
    """Variables on any of its dimensions, broadcast to all of its rows; reads only the requested ranges.

    dims : names of the dimensions; the last one varies fastest along the rows
    """

    def __init__(self, reads: Reads, dimensions: Mapping[str, Dimension], dims: Sequence[str]) -> None:
        self._reads = reads
        self._dimensions = dimensions
        self.dims = tuple(dims)
        self._shape = tuple(dimensions[dim].size for dim in dims)
        self.n = prod(self._shape)

    def positions(self, dim: str) -> Variable:
        """Return the positions along a dimension as a variable, in place of a coordinate variable."""
        return Variable(dim, (dim,), _POSITIONS)

    def block(self, variable: Variable, start: int, stop: int, at: At) -> NDArray[Any]:
        """Return the decoded values of rows start <= row < stop.

        at : position of the slice along the dimensions of `variable` outside of the grid
        """
        parts = [self._broadcast(variable, box, at) for box in boxes(start, stop, self._shape)]
        if len(parts) == 1:
            return parts[0]
        return np.concatenate(parts) if parts else self._empty(variable)

    def take(self, variable: Variable, rows: NDArray[np.int64], at: At) -> NDArray[Any]:
        """Return the decoded values of the given rows, in the order of `rows`.

        Reads one box per tile, and nothing between distant tiles; if the boxes are many or large, reads blocks of rows.
        """
        if not len(rows):
            return self._empty(variable)
        inside = [dim for dim in self._read_dims(variable) if dim in self.dims]
        index = dict(zip(self.dims, np.unravel_index(rows, self._shape), strict=True))
        places = np.array([index[dim] for dim in inside], dtype=np.int64).reshape(len(inside), len(rows))
        groups = list(_by_tile(places, self._tiles(variable, inside)))
        largest = max(prod(stop - start for start, stop in box) for box, _ in groups)
        if len(groups) > _MOST_BOXES or largest > column_values.ROWS_PER_BLOCK:
            return self._take_by_blocks(variable, rows, at)
        found: NDArray[Any] | None = None
        for box, members in groups:
            values = self._slab(variable, dict(zip(inside, box, strict=True)), at)
            corner = np.array([start for start, _ in box], dtype=np.int64).reshape(-1, 1)
            picked = values[tuple(places[:, members] - corner)]
            found = np.empty(len(rows), dtype=picked.dtype) if found is None else found
            found[members] = picked
        assert found is not None
        return found

    def _take_by_blocks(self, variable: Variable, rows: NDArray[np.int64], at: At) -> NDArray[Any]:
        found = np.empty(len(rows), dtype=variable.encoding.dtype)
        order = np.argsort(rows, kind="stable")
        for start, stop in column_values.row_blocks(self.n):
            first, last = np.searchsorted(rows[order], (start, stop))
            if first < last:
                members = order[first:last]
                low, high = int(rows[members[0]]), int(rows[members[-1]]) + 1
                found[members] = self.block(variable, low, high, at)[rows[members] - low]
        return found

    def _broadcast(self, variable: Variable, box: Box, at: At) -> NDArray[Any]:
        """Return the decoded values of a box of the grid, one for each row of it."""
        ranges = dict(zip(self.dims, box, strict=True))
        own = self._read_dims(variable)
        values = self._slab(variable, {dim: ranges[dim] for dim in own if dim in ranges}, at)
        present = [dim for dim in own if dim in ranges]
        ordered = values.transpose([present.index(dim) for dim in self.dims if dim in present])
        sides = [stop - start for start, stop in box]
        spread = ordered.reshape([side if dim in present else 1 for dim, side in zip(self.dims, sides, strict=True)])
        return np.broadcast_to(spread, sides).reshape(-1)

    def _slab(self, variable: Variable, ranges: Mapping[str, tuple[int, int]], at: At) -> NDArray[Any]:
        """Read ranges of positions along dimensions of the grid; the axes of the result are in the variable's order."""
        if variable.attr is None:
            start, stop = ranges[variable.name]
            return np.arange(start, stop, dtype=np.int64) + self._dimensions[variable.name].low
        inside = [dim for dim in self._read_dims(variable) if dim in ranges]
        shape = tuple(ranges[dim][1] - ranges[dim][0] for dim in inside)
        if 0 in shape:
            return np.empty(shape, dtype=variable.encoding.dtype)
        box = []
        for dim in variable.dims:
            low = self._dimensions[dim].low
            if variable.text and dim == variable.dims[-1]:
                start, stop = 0, self._dimensions[dim].size
            else:
                start, stop = ranges.get(dim) or (at[dim], at[dim] + 1)
            box.append((low + start, low + stop))
        raw = self._reads.slab(variable.path, variable.attr, tuple(box))
        if variable.text:
            raw = np.ascontiguousarray(raw).view(f"S{raw.shape[-1]}")
        return variable.encoding.decode(raw).reshape(shape)

    def _read_dims(self, variable: Variable) -> tuple[str, ...]:
        return variable.dims[:-1] if variable.text else variable.dims

    def _tiles(self, variable: Variable, dims: Sequence[str]) -> NDArray[np.int64]:
        """Return the tile extents of the variable's array along `dims`, int64 (k, 1)."""
        if variable.attr is None:
            return np.array([[self._dimensions[dim].size] for dim in dims], dtype=np.int64)
        domain = self._reads.schema(variable.path).domain
        tiles = [int(domain.dim(variable.dims.index(dim)).tile or self._dimensions[dim].size) for dim in dims]
        return np.array(tiles, dtype=np.int64).reshape(-1, 1)

    def _empty(self, variable: Variable) -> NDArray[Any]:
        return np.empty(0, dtype=variable.encoding.dtype)


def boxes(start: int, stop: int, shape: Sequence[int]) -> Iterator[Box]:
    """Split the rows start <= row < stop of a grid into few boxes, in row order."""
    if start >= stop:
        return
    if len(shape) <= 1:
        yield ((start, stop),) if shape else ()
        return
    below = prod(shape[1:])
    first, last = -(-start // below), stop // below
    if start // below == (stop - 1) // below and (start % below or stop % below):
        at = start // below
        yield from (((at, at + 1), *box) for box in boxes(start - at * below, stop - at * below, shape[1:]))
        return
    if start % below:
        yield from boxes(start, first * below, shape)
    if first < last:
        yield ((first, last), *((0, side) for side in shape[1:]))
    if stop % below:
        yield from boxes(last * below, stop, shape)


def _by_tile(places: NDArray[np.int64], tiles: NDArray[np.int64]) -> Iterator[tuple[Box, NDArray[np.int64]]]:
    """Yield, per tile, the bounding box of the places in it and their indices in `places`, int64 (ndim, k)."""
    if not len(places):
        yield (), np.arange(places.shape[1])
        return
    _, group = np.unique(places // tiles, axis=1, return_inverse=True)
    order = np.argsort(group.reshape(-1), kind="stable")
    for members in np.split(order, np.flatnonzero(np.diff(group.reshape(-1)[order])) + 1):
        chosen = places[:, members]
        yield as_box(chosen.min(axis=1), chosen.max(axis=1) + 1), members
