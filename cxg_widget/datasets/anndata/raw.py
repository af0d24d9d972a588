"""The matrix `raw`: a layer with its own vars, usually more than var."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.anndata.frame import StoredFrame
from cxg_widget.datasets.anndata.matrices import Axis, same_positions
from cxg_widget.datasets.anndata.memory_frame import MemoryFrame
from cxg_widget.datasets.anndata.memory_nodes import AnyMatrix
from cxg_widget.datasets.base.contract import Contract
from cxg_widget.datasets.base.matrix_block import MatrixBlock, stack
from cxg_widget.datasets.base.values import Values, Vector
from cxg_widget.datasets.base.var_names import VarNames


class Raw(Contract):
    """`raw/X` with the names in `raw/var`, as a separate store.

    Attributes
    ----------
    matrix : (n_obs, n_var)
    names : the vars of raw by name
    """

    def __init__(self, matrix: AnyMatrix, frame: StoredFrame | MemoryFrame, title: str, uri: str, n_obs: int) -> None:
        super().__init__(uri, cache_bytes=0)
        self.matrix, self._frame, self.title = matrix, frame, f"raw of {title}"
        self.n_obs, self.n_var = n_obs, frame.n
        self.var_columns, self.var_index = frame.columns, frame.index
        self.names = VarNames(self)

    def block(self, axis: Axis, start: int, stop: int, labels: Sequence[str]) -> MatrixBlock:
        """Return lines of raw cut to the vars called `labels`, in their order; those not in raw are NaN."""
        where: NDArray[np.int64] = self._read_once(
            "positions of var in raw", lambda: same_positions(list(labels), list(self.names.var_labels))
        )
        if axis == "var":
            return stack([self._column(position) for position in where[start:stop]], self.n_obs)
        return self._cut(self.matrix.lines("obs", start, stop), where)

    def _column(self, position: int) -> Vector:
        if position >= 0:
            return next(self.matrix.vectors([int(position)]))
        return Vector(np.full(self.n_obs, np.nan, dtype=np.float32))

    def _cut(self, lines: MatrixBlock, where: NDArray[np.int64]) -> MatrixBlock:
        from scipy.sparse import csr_array, hstack

        unmeasured = csr_array(np.full((len(lines.starts) - 1, 1), np.nan, dtype=np.float32))
        rows = hstack([lines.csr(self.n_var), unmeasured], format="csr")
        cut = rows[:, np.where(where < 0, self.n_var, where)]
        return MatrixBlock(cut.indptr, cut.indices, cut.data)

    def _read_obs(self, name: str, rows: NDArray[np.int64] | None) -> Values:
        raise NotImplementedError  # the dataset reads obs

    def _read_var(self, name: str) -> Values:
        return self._frame.read(name, None)


class NamesWithRaw(VarNames):
    """The vars of X in a dataset whose raw has others."""

    def __init__(self, store: Contract, raw: Raw) -> None:
        super().__init__(store)
        self._raw = raw

    def explain_name(self, name: str) -> str | None:
        """Return a hint if a name is in raw."""
        if not self._raw.names.has_var(name):
            return None
        return f"{name!r} is in raw only, not in var; set w.layer = 'raw', or read it with layer='raw'."
