"""A dense matrix on disk."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.anndata.lines import Lines, lines_of_dense
from cxg_widget.datasets.anndata.node import Array
from cxg_widget.datasets.values import Vector

_BLOCK_BYTES = 2**26


class Dense:
    """A dense matrix (n_obs, n_var) of numbers."""

    axis: Literal["obs", "var"] = "obs"

    def __init__(self, array: Array) -> None:
        self._array = array

    def lines(self, axis: Literal["obs", "var"], start: int, stop: int) -> Lines:
        """Return rows or columns start <= line < stop, without zeros; errors as `Array.read`."""
        if axis == "obs":
            return lines_of_dense(_float32(self._array.read(slice(start, stop), slice(None))))
        return lines_of_dense(self._columns(start, stop, 0, self._array.shape[0]).T)

    def column(self, position: int, start: int, stop: int) -> Vector:
        """Return the rows start <= row < stop of one column."""
        return Vector(self._columns(position, position + 1, start, stop)[:, 0])

    def _columns(self, first: int, last: int, start: int, stop: int) -> NDArray[np.float32]:
        """Read columns, as many rows at a time as their chunks take little memory."""
        out = np.empty((stop - start, last - first), dtype=np.float32)
        step = self._rows_at_a_time(last - first)
        begin = start
        while begin < stop:
            end = min((begin // step + 1) * step, stop)
            out[begin - start : end - start] = self._array.read(slice(begin, end), slice(first, last))
            begin = end
        return out

    def _rows_at_a_time(self, width: int) -> int:
        rows, columns = self._array.chunks or (1, 1)
        touched = (width + 2 * columns) * max(self._array.dtype.itemsize, 1)
        return max(_BLOCK_BYTES // touched // rows, 1) * rows


def _float32(values: NDArray[Any]) -> NDArray[np.float32]:
    return values.astype(np.float32, copy=False)
