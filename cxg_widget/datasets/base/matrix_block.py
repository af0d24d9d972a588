"""Neighbouring rows, or neighbouring vars, of the matrix at once, and arithmetic on them; SciPy does what is large."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.values import Vector

Integers = NDArray[np.integer[Any]]


@dataclass(frozen=True)
class MatrixBlock:
    """Lines of the matrix, which are rows (obs) or columns (var), each as its entries; what is left out is 0.

    Attributes
    ----------
    starts : integers (n_lines + 1,); line i has the entries starts[i] <= entry < starts[i + 1]
    positions : integers (n_entries,), of each entry along its line, distinct in a line, in any order
    values : float32 (n_entries,); NaN = not measured
    """

    starts: Integers
    positions: Integers
    values: NDArray[np.float32]

    @classmethod
    def of_dense(cls, values: NDArray[np.float32]) -> MatrixBlock:
        """Return the rows of a dense part, zeros left out; NaN stays."""
        line, position = np.nonzero(values)
        starts = np.searchsorted(line, np.arange(len(values) + 1)).astype(np.int64)
        return cls(starts, position, values[line, position])

    @classmethod
    def of_entries(
        cls, shape: tuple[int, int], line: Integers, position: Integers, values: NDArray[np.float32]
    ) -> MatrixBlock:
        """Return entries in any order as lines, (n_lines, length); what a line holds twice is added up."""
        from scipy.sparse import coo_array

        found = coo_array((values, (line, position)), shape=shape).tocsr()
        return cls(found.indptr, found.indices, found.data)

    def csr(self, length: int) -> Any:
        """Return a scipy.sparse.csr_array on the same memory."""
        from scipy.sparse import csr_array

        return csr_array((self.values, self.positions, self.starts), shape=(len(self.starts) - 1, length))

    def distinct(self, length: int) -> MatrixBlock:
        """Return lines that name each position once, ascending; what a line holds twice is added up."""
        if _is_ascending(self.starts, self.positions):
            return self
        found = self.csr(length).copy()
        found.sum_duplicates()
        return MatrixBlock(found.indptr, found.indices, found.data)

    def holds(self, n_lines: int, length: int) -> bool:
        """Say whether it has so many lines, and no entry lies beyond their ends, as in damaged files."""
        starts, positions = self.starts, self.positions
        if len(starts) != n_lines + 1 or starts[0] != 0 or starts[-1] != len(positions):
            return False
        if len(positions) != len(self.values) or bool((starts[1:] < starts[:-1]).any()):
            return False
        return not len(positions) or (int(positions.min()) >= 0 and int(positions.max()) < length)

    def first(self, n_lines: int) -> MatrixBlock:
        """Return a copy of the first lines."""
        stop = self.starts[n_lines]
        return MatrixBlock(self.starts[: n_lines + 1], self.positions[:stop].copy(), self.values[:stop].copy())

    def part(self, start: int, stop: int) -> MatrixBlock:
        """Return the positions start <= position < stop of a single line, counted from `start`."""
        inside = (self.positions >= start) & (self.positions < stop)
        positions = self.positions[inside] - start
        return MatrixBlock(np.array([0, positions.size]), positions, self.values[inside])

    def vector(self) -> Vector:
        """Return a single line as a vector."""
        return Vector(self.values, self.positions.astype(np.int64))


def stack(vectors: Sequence[Vector], n_obs: int) -> MatrixBlock:
    """Return vectors as the lines of one block; those with a fill other than 0 are written out."""
    rows = [np.arange(n_obs) if one.rows is None else one.rows for one in vectors]
    values = [one.values for one in vectors]
    for line, one in enumerate(vectors):
        if one.rows is not None and one.fill:
            rows[line], values[line] = np.arange(n_obs), one.dense(n_obs)
    starts = np.cumsum([0, *(len(part) for part in values)], dtype=np.int64)
    return MatrixBlock(
        starts,
        np.concatenate([*rows, np.empty(0, np.int64)], dtype=np.int64),
        np.concatenate([*values, np.empty(0, np.float32)], dtype=np.float32),
    )


def _is_ascending(starts: Integers, positions: Integers) -> bool:
    rises = positions[1:] > positions[:-1]
    between = starts[1:-1]
    rises[between[(between > 0) & (between < len(positions))] - 1] = True
    return bool(rises.all())
