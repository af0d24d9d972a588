"""A dense matrix on disk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.anndata.node import Array
from cxg_widget.datasets.base.matrix_block import DenseBlock, MatrixBlock, exactly, spans
from cxg_widget.datasets.base.matrix_contract import Grain
from cxg_widget.datasets.base.values import Vector
from cxg_widget.datasets.base.vectors import together

_BLOCK_BYTES = 2**26
_MANY_BYTES = 2**24


class Dense:
    """A dense matrix (n_obs, n_var) of numbers."""

    axis: Literal["obs", "var"] = "obs"

    def __init__(self, array: Array) -> None:
        self._array = array

    def lines(self, axis: Literal["obs", "var"], start: int, stop: int) -> MatrixBlock:
        """Return rows or columns start <= line < stop, without zeros; errors as in `Array.read`."""
        if axis == "obs":
            rows = self._array.read(slice(start, stop), slice(None))
            return MatrixBlock.of_dense(rows.astype(np.float32, copy=False))
        return MatrixBlock.of_dense(self._columns(start, stop, 0, self._array.shape[0]).T)

    def grain(self) -> Grain:
        """Return the portions in which the matrix is read."""
        rows, columns = self._array.chunks or (1, None)
        n_obs, n_var = self._array.shape
        itemsize = self._array.dtype.itemsize
        return Grain((n_obs, n_var), n_obs * n_var, itemsize, rows, columns, cuts=True, is_dense=True)

    def locate(self) -> int:
        """Return the bytes that a gene reads if they exceed 16 MiB, else 0."""
        columns = self._array.chunks[1] if self._array.chunks else self._array.shape[1]
        n_portions = max(self._array.shape[1] / max(columns, 1), 1)
        n_bytes = int(self._array.least_bytes() / n_portions)
        return n_bytes if n_bytes > _MANY_BYTES else 0

    def rows(self, rows: NDArray[np.int64]) -> MatrixBlock:
        """Return some rows, ascending, as a dense block; errors as in `Array.read`."""
        n_var = self._array.shape[1]
        if len(rows) and rows[-1] - rows[0] == len(rows) - 1:
            whole = self._array.read(slice(int(rows[0]), int(rows[-1]) + 1), slice(None))
            return DenseBlock(exactly(whole))
        found = np.empty((len(rows), n_var), dtype=self._array.dtype)
        for ranges in self._some_ranges(rows):
            for (begin, end), band in zip(ranges, self._array.read_ranges(ranges), strict=True):
                low, high = np.searchsorted(rows, (begin, end))
                found[low:high] = band if len(band) == high - low else band[rows[low:high] - begin]
        return DenseBlock(exactly(found))

    def cut_columns(self, positions: NDArray[np.int64], rows: NDArray[np.int64] | None) -> MatrixBlock:
        """Return some columns, ascending, cut to some rows; skips bands without any of these rows."""
        rows = np.arange(self._array.shape[0]) if rows is None else rows
        found = np.empty((len(positions), len(rows)), dtype=self._array.dtype)
        for first, last, start, stop in spans(rows, self._gap()):
            for number, column in enumerate(self._some_columns(positions.tolist(), start, stop)):
                found[number, first:last] = column[rows[first:last] - start]
        return DenseBlock(exactly(found))

    def _some_ranges(self, rows: NDArray[np.int64]) -> Iterator[list[tuple[int, int]]]:
        """Yield batches of row ranges that cover the requested rows; each batch takes little memory."""
        some: list[tuple[int, int]] = []
        n_var, n = self._array.shape[1], 0
        most = _BLOCK_BYTES // max(n_var * self._array.dtype.itemsize, 1)
        for _, _, start, stop in spans(rows, self._gap()):
            for begin, end in self._bands(start, stop, n_var):
                if some and n + end - begin > most:
                    yield some
                    some, n = [], 0
                some.append((begin, end))
                n += end - begin
        if some:
            yield some

    def _gap(self) -> int:
        """Return the largest gap between rows read together: the rows between are few, or decoded anyway."""
        return self._array.chunks[0] if self._array.chunks else 4

    def columns(self, positions: Sequence[int], start: int, stop: int) -> Iterator[Vector]:
        """Yield the rows start <= row < stop of distinct columns; reads those that share chunks together."""
        yield from (
            Vector(column.astype(np.float32, copy=False)) for column in self._some_columns(positions, start, stop)
        )

    def _some_columns(self, positions: Sequence[int], start: int, stop: int) -> Iterator[NDArray[Any]]:
        """Yield columns as `columns` does, in the stored dtype."""
        for some in together(positions, self._array.dtype.itemsize * (stop - start)):
            found = {position: np.empty(stop - start, dtype=self._array.dtype) for position in some}
            for neighbours in self._by_chunk(some):
                first, last = min(neighbours), max(neighbours) + 1
                for begin, end in self._bands(start, stop, last - first):
                    band = self._array.read(slice(begin, end), slice(first, last))
                    for position in neighbours:
                        found[position][begin - start : end - start] = band[:, position - first]
            for position in some:
                yield found.pop(position)

    def _by_chunk(self, positions: Sequence[int]) -> Iterator[list[int]]:
        """Yield groups of columns that share chunks; one group if the array has no chunks."""
        width = self._array.chunks[1] if self._array.chunks else self._array.shape[1]
        for _, neighbours in groupby(sorted(positions), key=lambda position: position // width):
            yield list(neighbours)

    def _columns(self, first: int, last: int, start: int, stop: int) -> NDArray[np.float32]:
        """Read neighboring columns."""
        out = np.empty((stop - start, last - first), dtype=np.float32)
        for begin, end in self._bands(start, stop, last - first):
            out[begin - start : end - start] = self._array.read(slice(begin, end), slice(first, last))
        return out

    def _bands(self, start: int, stop: int, width: int) -> Iterator[tuple[int, int]]:
        """Split rows into parts whose chunks take little memory."""
        rows, columns = self._array.chunks or (1, 1)
        touched = (width + 2 * columns) * max(self._array.dtype.itemsize, 1)
        step = max(_BLOCK_BYTES // touched // rows, 1) * rows
        while start < stop:
            end = min((start // step + 1) * step, stop)
            yield start, end
            start = end
