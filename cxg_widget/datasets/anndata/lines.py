"""Neighbouring lines of a matrix, rows or columns, as their entries; arithmetic on them, without a store."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.matrix_block import MatrixBlock
from cxg_widget.datasets.base.values import Vector


@dataclass(frozen=True)
class Lines:
    """Entries of some lines.

    Attributes
    ----------
    starts : int64 (n_lines + 1,); line i has the entries starts[i] <= entry < starts[i + 1]
    positions : integers (n_entries,), of each entry along its line
    values : float32 (n_entries,)
    """

    starts: NDArray[np.int64]
    positions: NDArray[np.integer]
    values: NDArray[np.float32]

    def distinct(self, width: int) -> Lines:
        """Return lines that name each position once; what a line holds twice is added up, as scipy does."""
        if _is_ascending(self.starts, self.positions):
            return self
        from scipy.sparse import csr_array

        found = csr_array((self.values, self.positions, self.starts), shape=(len(self.starts) - 1, width), copy=True)
        found.sum_duplicates()
        return Lines(found.indptr.astype(np.int64), found.indices, found.data)

    def block(self) -> MatrixBlock:
        """Return the same for those who copy the matrix."""
        return MatrixBlock(self.starts, self.positions.astype(np.int64), self.values)

    def part(self, start: int, stop: int) -> Lines:
        """Return the positions start <= position < stop of a single line, counted from `start`."""
        inside = (self.positions >= start) & (self.positions < stop)
        positions = self.positions[inside] - start
        return Lines(np.array([0, positions.size]), positions, self.values[inside])

    def vector(self) -> Vector:
        """Return a single line as a vector."""
        return Vector(self.values, self.positions.astype(np.int64))


def lines_of_dense(values: NDArray[np.float32]) -> Lines:
    """Return the rows of a dense part, zeros left out; NaN stays."""
    line, position = np.nonzero(values)
    starts = np.searchsorted(line, np.arange(len(values) + 1)).astype(np.int64)
    return Lines(starts, position, values[line, position])


def sorted_lines(
    n_lines: int, line: NDArray[np.integer], position: NDArray[np.integer], values: NDArray[np.float32]
) -> Lines:
    """Return entries in any order as lines; entries of one line stay in their order."""
    order = np.argsort(line, kind="stable")
    starts = np.searchsorted(line[order], np.arange(n_lines + 1)).astype(np.int64)
    return Lines(starts, position[order], values[order])


def _is_ascending(starts: NDArray[np.int64], positions: NDArray[np.integer]) -> bool:
    rises = positions[1:] > positions[:-1]
    between = starts[1:-1]
    rises[between[(between > 0) & (between < len(positions))] - 1] = True
    return bool(rises.all())
