"""The matrix as entries (line, position, value) in bounded blocks, for any store."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.dataset import Dataset
from cxg_widget.datasets.base.matrix_block import MatrixBlock

CELLS_PER_BLOCK = 8_000_000
"""Cells of the matrix, including zeros, read at a time: 100 MB if all are non-zero."""

_SAMPLED_BLOCKS = 32
_SAMPLED_CELLS = 500_000


@dataclass(frozen=True)
class Entries:
    """Non-zero values of some lines, including NaN.

    lines : uint32 (k,), ascending
    positions : uint32 (k,), ascending within each line
    values : float32 (k,)
    """

    lines: NDArray[np.uint32]
    positions: NDArray[np.uint32]
    values: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.values)

    def dense(self, start: int, n_lines: int, length: int) -> NDArray[np.float32]:
        """Return float32 (n_lines, length), the lines from `start`."""
        out = np.zeros((n_lines, length), dtype=np.float32)
        out[self.lines - np.uint32(start), self.positions] = self.values
        return out


@dataclass(frozen=True)
class Lines:
    """The matrix of a dataset, or a layer, along the axis that its store reads fast."""

    dataset: Dataset
    layer: str | None

    @property
    def axis(self) -> str:
        """Axis of a line: "obs" = row, "var" = column."""
        return self.dataset.major_axis

    @property
    def n(self) -> int:
        """Number of lines."""
        return self.dataset.n_obs if self.axis == "obs" else self.dataset.n_var

    @property
    def length(self) -> int:
        """Number of positions of a line."""
        return self.dataset.n_var if self.axis == "obs" else self.dataset.n_obs

    def blocks(self, begin: int = 0, end: int | None = None) -> Iterator[tuple[int, int, Entries]]:
        """Yield start, stop and entries of consecutive lines, in order."""
        last = self.n if end is None else end
        step = self._step()
        for start in range(begin, last, step):
            stop = min(start + step, last)
            yield start, stop, self.read(start, stop)

    def _step(self) -> int:
        """Return the number of lines to read at a time; few whole portions for rows that are read in portions."""
        step = max(1, CELLS_PER_BLOCK // max(1, self.length))
        if self.axis == "var" or not self.length:
            return step
        grain = self.dataset._read_grain(self.layer)
        if grain.is_dense or grain.rows is None or grain.rows <= step:
            return step
        mean = max(grain.n_entries // max(self.n, 1), 1)
        return grain.rows if grain.rows * mean <= CELLS_PER_BLOCK else step

    def read(self, start: int, stop: int) -> Entries:
        """Read the entries of the lines start <= line < stop."""
        return _entries(self.dataset.matrix_block(start, stop, self.layer), start, self.length)

    def sampled_share(self) -> float:
        """Return the approximate share of non-zero cells, from lines spread over the matrix."""
        step = max(1, min(_SAMPLED_CELLS // max(1, self.length), -(-self.n // _SAMPLED_BLOCKS)))
        starts = np.unique(np.linspace(0, max(0, self.n - step), _SAMPLED_BLOCKS).astype(np.int64))
        cells = values = 0
        for start in starts.tolist():
            stop = min(start + step, self.n)
            values += len(self.read(start, stop))
            cells += (stop - start) * self.length
        return values / max(1, cells)


def _entries(block: MatrixBlock, start: int, length: int) -> Entries:
    block = block.distinct(length)
    lines = np.repeat(np.arange(start, start + len(block.starts) - 1, dtype=np.uint32), np.diff(block.starts))
    kept = block.values != 0  # true for NaN too
    return Entries(lines[kept], block.positions[kept].astype(np.uint32), block.values[kept])
