"""Neighboring columns that one read returned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Near:
    """Neighboring columns that one read returned.

    starts : int64 (n_columns + 1,), the first entry of each column
    rows, values : of the entries
    """

    columns: range
    starts: NDArray[np.int64]
    rows: NDArray[np.int64]
    values: NDArray[Any]

    @property
    def nbytes(self) -> int:
        """Memory of all columns, for the cache."""
        return self.starts.nbytes + self.rows.nbytes + self.values.nbytes

    @classmethod
    def of(cls, columns: range, column: NDArray[Any], rows: NDArray[np.int64], values: NDArray[Any]) -> Near:
        """Sort entries by column."""
        order = np.argsort(column, kind="stable")
        edges = np.arange(columns.start, columns.stop + 1, dtype=column.dtype)
        return cls(columns, np.searchsorted(column[order], edges), rows[order], values[order])

    def column(self, position: int) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """Return values and rows of one of the columns."""
        place = position - self.columns.start
        entries = slice(self.starts[place], self.starts[place + 1])
        return self.values[entries].copy(), self.rows[entries].copy()
