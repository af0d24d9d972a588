"""Neighbouring rows, or neighbouring vars, of the matrix at once; for those who copy a store as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.values import Vector


@dataclass(frozen=True)
class MatrixBlock:
    """Lines of the matrix, which are rows (obs) or columns (var), each as the entries that are not left out.

    Attributes
    ----------
    starts : int64 (n_lines + 1,); line i has the entries starts[i] <= entry < starts[i + 1]
    positions : int64 (n_entries,), of each entry along its line, distinct in a line, in any order
    values : float32 (n_entries,); NaN = not measured
    fill : the value of what is left out
    """

    starts: NDArray[np.int64]
    positions: NDArray[np.int64]
    values: NDArray[np.float32]
    fill: float = 0.0

    def holds(self, n_lines: int, length: int) -> bool:
        """Say whether it has so many lines, and no entry lies beyond their ends, as in damaged files."""
        starts, positions = self.starts, self.positions
        if len(starts) != n_lines + 1 or starts[0] != 0 or starts[-1] != len(positions):
            return False
        if len(positions) != len(self.values) or bool((starts[1:] < starts[:-1]).any()):
            return False
        return not len(positions) or (int(positions.min()) >= 0 and int(positions.max()) < length)


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
