"""Dense layers of X, which store every value of the matrix."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.matrix_block import DenseBlock, MatrixBlock, exactly
from cxg_widget.datasets.base.matrix_contract import Grain, Positions
from cxg_widget.datasets.base.values import Vector
from cxg_widget.datasets.soma.embeddings import DATA
from cxg_widget.datasets.soma.joinids import Joinids
from cxg_widget.datasets.soma.matrix import SomaMatrix, runs_of
from cxg_widget.datasets.tiledb_access.arrays import values_of

_BOX_BYTES = 2**26


class Dense(SomaMatrix):
    """A layer in a dense array, whose indices are joinids."""

    def grain(self) -> Grain:
        """Return the portions in which the layer is read."""
        n_obs, n_var = self.shape
        return Grain(self.shape, n_obs * n_var, self.dtype.itemsize, *self.tile, cuts=True, is_dense=True)

    def describe(self) -> dict[str, Any]:
        """Return a JSON-compatible description."""
        return {"dtype": str(self.dtype), "layout": "dense", "tiles": list(self.tile)}

    def vectors(self, positions: Sequence[int]) -> Iterator[Vector]:
        """Yield distinct columns in the given order."""
        for position in positions:
            values = self.block((0, self.shape[0]), np.array([position])).dense(1)
            yield Vector(np.ascontiguousarray(values[:, 0], dtype=np.float32))

    def vectors_of_rows(self, positions: Sequence[int], start: int, stop: int) -> Iterator[Vector]:
        """Yield rows of distinct columns in the given order."""
        for position in positions:
            values = self.block((start, stop), np.array([position])).dense(1)
            yield Vector(np.ascontiguousarray(values[:, 0], dtype=np.float32))

    def block(self, rows: Positions | tuple[int, int], columns: Positions | None) -> MatrixBlock:
        """Return rows, cut to some columns; reads one band of tiles at a time."""
        wanted = np.arange(*rows) if isinstance(rows, tuple) else rows
        vars_ = np.arange(self.shape[1]) if columns is None else columns
        if not len(wanted) or not len(vars_):
            return DenseBlock(np.zeros((len(wanted), len(vars_)), dtype=np.float32))
        high, width = self.tile
        bands = max(_BOX_BYTES // (high * self.dtype.itemsize * max(self.shape[1], width)), 1) * high
        parts = np.split(np.arange(len(wanted)), np.flatnonzero(np.diff(wanted // bands)) + 1)
        found = [exactly(self._box(wanted[part], vars_)) for part in parts]
        return DenseBlock(np.concatenate(found))

    def _box(self, rows: Positions, columns: Positions) -> NDArray[Any]:
        wanted = [runs_of(rows, self._obs, 1), runs_of(columns, self._var, 1)]
        array = self._arrays.array(self.path, DATA)
        query = array.query(attrs=[DATA])
        ranges = tuple([slice(first, last) for first, last in some] for some in wanted)
        found = self._arrays.read(
            array, f"{len(rows):,} rows of {self.path}", lambda: values_of(query.multi_index[ranges])
        )
        height, width = (sum(last - first + 1 for first, last in some) for some in wanted)
        box = found.reshape(height, width)
        picked = np.ix_(_places(wanted[0], self._obs, rows), _places(wanted[1], self._var, columns))
        return np.asarray(box[picked])


def _places(runs: list[tuple[int, int]], joinids: Joinids, lines: Positions) -> NDArray[np.int64]:
    """Return the places of lines in the concatenated results of runs of joinids."""
    firsts, lasts = (np.array(part) for part in zip(*runs, strict=True))
    begins = np.cumsum(lasts - firsts + 1) - (lasts - firsts + 1)
    wanted = joinids.of(lines)
    run = np.searchsorted(firsts, wanted, side="right") - 1
    return np.asarray(begins[run] + wanted - firsts[run])
