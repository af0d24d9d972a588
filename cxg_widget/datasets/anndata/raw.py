"""The matrix `raw`, which has vars of its own, usually more than var: a layer whose genes are found by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.anndata.matrices import AnyMatrix, Axis, same_positions
from cxg_widget.datasets.base.matrix_block import MatrixBlock, stack
from cxg_widget.datasets.base.values import Column, Values, Vector
from cxg_widget.datasets.base.var_names import VarNames
from cxg_widget.errors import UnknownName

RAW = "raw"
"""The name of raw among the layers."""


class VarTable(Protocol):
    """The table `raw/var`, on disk or in memory."""

    n: int
    index: str | None
    columns: Mapping[str, Column]

    def read(self, name: str, rows: NDArray[np.int64] | None) -> Values:
        """Read a column."""


class Raw(VarNames):
    """`raw/X` with the names in `raw/var`.

    Attributes
    ----------
    matrix : (n_obs, number of vars in raw)
    """

    def __init__(self, matrix: AnyMatrix, frame: VarTable, title: str, uri: str, n_obs: int) -> None:
        super().__init__(0)
        self.matrix, self._frame, self.title, self.uri = matrix, frame, f"raw of {title}", uri
        self._n_obs = n_obs
        self.n_var = frame.n
        self.var_columns, self.var_index = frame.columns, frame.index

    def has_var(self, name: str) -> bool:
        """Say whether a var is in raw."""
        try:
            self.find_var(name)
        except UnknownName:
            return False
        return True

    def block(self, axis: Axis, start: int, stop: int, labels: Sequence[str]) -> MatrixBlock:
        """Return lines of raw cut to the vars called `labels`, in their order; those not in raw are NaN."""
        where: NDArray[np.int64] = self._read_once(
            "positions of var in raw", lambda: same_positions(list(labels), list(self.var_labels))
        )
        if axis == "var":
            return stack([self._column(position) for position in where[start:stop]], self._n_obs)
        return self._cut(self.matrix.lines("obs", start, stop), where)

    def _column(self, position: int) -> Vector:
        if position >= 0:
            return next(self.matrix.vectors([int(position)]))
        return Vector(np.full(self._n_obs, np.nan, dtype=np.float32))

    def _cut(self, lines: MatrixBlock, where: NDArray[np.int64]) -> MatrixBlock:
        from scipy.sparse import csr_array, hstack

        unmeasured = csr_array(np.full((len(lines.starts) - 1, 1), np.nan, dtype=np.float32))
        rows = hstack([lines.csr(self.n_var), unmeasured], format="csr")
        cut = rows[:, np.where(where < 0, self.n_var, where)]
        return MatrixBlock(cut.indptr, cut.indices, cut.data)

    def _read_var(self, name: str) -> Values:
        return self._frame.read(name, None)

    def _release(self) -> None:
        """Leave the store open; it belongs to the dataset."""
