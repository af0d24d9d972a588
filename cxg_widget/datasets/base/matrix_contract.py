"""The part of a store's contract that is about vars and the matrix; a store without vars implements none of it."""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.lifetime import Lifetime
from cxg_widget.datasets.base.matrix_block import MatrixBlock, rows_in_blocks, stack
from cxg_widget.datasets.base.plan import Grain
from cxg_widget.datasets.base.values import Values, Vector


class MatrixContract(ABC):
    """Methods that a store with vars implements: `_read_var`, and `_read_vector` or `_read_vectors`; see `Contract`."""

    n_obs: int
    n_var: int
    major_axis: Literal["obs", "var"]
    _lifetime: Lifetime

    def _read_var(self, name: str) -> Values:
        """Read one var column (n_var,), the index column included, as `_read_obs` does."""
        raise NotImplementedError

    def _read_gene_sets(self) -> dict[str, tuple[str, ...]]:
        """Read named sets of var names; by default none."""
        return {}

    def _read_vector(self, position: int, layer: str | None) -> Vector:
        """Read the var at `position` over all obs, sparse where the store is; NaN = not measured, None = main matrix.

        By default by `_read_vectors`; a store with vars implements one of the two.
        """
        return next(self._read_vectors([position], layer))

    def _read_vectors(self, positions: Sequence[int], layer: str | None) -> Iterator[Vector]:
        """Yield distinct vars in their order, each as `_read_vector` returns it; by default one by one.

        Where a store keeps cells together, one look at the matrix serves all vars of a request.
        """
        return (self._read_vector(position, layer) for position in positions)

    def _read_vector_block(self, position: int, layer: str | None, start: int, stop: int) -> Vector:
        """Read rows of the var at `position`, counted from `start`; by default from the whole var, which is kept."""
        whole = self._lifetime.cached(("var", position, layer), lambda: self._read_vector(position, layer))
        return whole.block(start, stop)

    def _read_vectors_block(
        self, positions: Sequence[int], layer: str | None, start: int, stop: int
    ) -> Iterator[Vector]:
        """Yield rows of distinct vars, each as `_read_vector_block` returns it; by default one by one."""
        return (self._read_vector_block(position, layer, start, stop) for position in positions)

    def _read_matrix_block(self, start: int, stop: int, layer: str | None) -> MatrixBlock:
        """Read lines along `major_axis`; a store whose axis is "obs" implements this, by default each var is a line."""
        return stack([self._read_vector(position, layer) for position in range(start, stop)], self.n_obs)

    def _n_var_in(self, layer: str | None) -> int:  # noqa: ARG002 - for stores whose layers have vars of their own
        """Return the number of vars of a layer."""
        return self.n_var

    def _read_grain(self, layer: str | None) -> Grain:  # noqa: ARG002 - all layers of most stores lie in one way
        """Say in which portions a matrix is read; by default single lines of `major_axis`, and all of it across."""
        rows, columns = (1, None) if self.major_axis == "obs" else (None, 1)
        return Grain((self.n_obs, self.n_var), self.n_obs * self.n_var, 4, rows, columns)

    def _read_rows(self, rows: NDArray[np.int64], layer: str | None) -> MatrixBlock:
        """Read some rows, ascending and distinct, as lines whose positions are vars of the layer.

        For stores whose grain has rows; by default by `_read_matrix_block`, rows that lie near each other at once.
        """
        return rows_in_blocks(rows, lambda start, stop: self._read_matrix_block(start, stop, layer))

    def _read_columns(
        self, positions: NDArray[np.int64], rows: NDArray[np.int64] | None, layer: str | None
    ) -> MatrixBlock:
        """Read some vars, ascending and distinct, as lines whose positions are places among `rows` (None = all)."""
        vectors = self._read_vectors(positions.tolist(), layer)
        if rows is None:
            return stack(list(vectors), self.n_obs)
        return stack([vector.take(rows) for vector in vectors], len(rows))
