"""A dense matrix on disk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.anndata.node import Array
from cxg_widget.datasets.base.matrix_block import MatrixBlock
from cxg_widget.datasets.base.values import Vector
from cxg_widget.datasets.base.vectors import together

_BLOCK_BYTES = 2**26


class Dense:
    """A dense matrix (n_obs, n_var) of numbers."""

    axis: Literal["obs", "var"] = "obs"

    def __init__(self, array: Array) -> None:
        self._array = array

    def lines(self, axis: Literal["obs", "var"], start: int, stop: int) -> MatrixBlock:
        """Return rows or columns start <= line < stop, without zeros; errors as `Array.read`."""
        if axis == "obs":
            rows = self._array.read(slice(start, stop), slice(None))
            return MatrixBlock.of_dense(rows.astype(np.float32, copy=False))
        return MatrixBlock.of_dense(self._columns(start, stop, 0, self._array.shape[0]).T)

    def columns(self, positions: Sequence[int], start: int, stop: int) -> Iterator[Vector]:
        """Yield the rows start <= row < stop of distinct columns; those that share chunks are read at once."""
        for some in together(positions, 4 * (stop - start)):
            found = {position: np.empty(stop - start, dtype=np.float32) for position in some}
            for beside in self._by_chunk(some):
                first, last = min(beside), max(beside) + 1
                for begin, end in self._bands(start, stop, last - first):
                    band = self._array.read(slice(begin, end), slice(first, last))
                    for position in beside:
                        found[position][begin - start : end - start] = band[:, position - first]
            for position in some:
                yield Vector(found.pop(position))

    def _by_chunk(self, positions: Sequence[int]) -> Iterator[list[int]]:
        """Yield columns that share chunks; all of them where rows lie in one piece."""
        width = self._array.chunks[1] if self._array.chunks else self._array.shape[1]
        for _, beside in groupby(sorted(positions), key=lambda position: position // width):
            yield list(beside)

    def _columns(self, first: int, last: int, start: int, stop: int) -> NDArray[np.float32]:
        """Read neighbouring columns."""
        out = np.empty((stop - start, last - first), dtype=np.float32)
        for begin, end in self._bands(start, stop, last - first):
            out[begin - start : end - start] = self._array.read(slice(begin, end), slice(first, last))
        return out

    def _bands(self, start: int, stop: int, width: int) -> Iterator[tuple[int, int]]:
        """Cut rows into parts whose chunks take little memory."""
        rows, columns = self._array.chunks or (1, 1)
        touched = (width + 2 * columns) * max(self._array.dtype.itemsize, 1)
        step = max(_BLOCK_BYTES // touched // rows, 1) * rows
        while start < stop:
            end = min((start // step + 1) * step, stop)
            yield start, end
            start = end
