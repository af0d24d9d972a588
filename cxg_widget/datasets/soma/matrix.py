"""Base of the layers of X, indexed by joinids of obs and var, sparse or dense."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compute.cache import ByteCache
from cxg_widget.datasets.base.matrix_block import MatrixBlock
from cxg_widget.datasets.base.matrix_contract import Axis, Grain, Positions
from cxg_widget.datasets.base.values import Vector
from cxg_widget.datasets.soma.embeddings import DATA
from cxg_widget.datasets.soma.joinids import Joinids
from cxg_widget.datasets.tiledb_access.arrays import Arrays
from cxg_widget.errors import InvalidStore

DIMS = ("soma_dim_0", "soma_dim_1")
BOX_ENTRIES = 4_000_000
"""Entries read at a time: 80 MB as TileDB returns them."""
ENTRY_BYTES = 20
"""Bytes of an entry that TileDB has decoded: two joinids and a value."""


class SomaMatrix(ABC):
    """A layer of X.

    Parameters
    ----------
    arrays, path : access to the store, and the path of the array
    joinids : joinids of its rows and of its columns
    budget : cache of columns of tiles, sorted by gene
    note, progress : called with a sentence for the user, and with 0 to 1 while a column of tiles is read
    """

    def __init__(
        self,
        arrays: Arrays,
        path: str,
        joinids: tuple[Joinids, Joinids],
        budget: ByteCache,
        *,
        note: Callable[[str], None],
        progress: Callable[[float], None],
    ) -> None:
        self._arrays, self.path, self._budget = arrays, path, budget
        self._obs, self._var = joinids
        self.shape = self._obs.n, self._var.n
        self._note, self._progress = note, progress
        schema = arrays.schema(path)
        self.dtype = np.dtype(schema.attr(0).dtype)
        if schema.ndim != 2 or not schema.has_attr(DATA) or self.dtype.kind not in "biuf":
            raise InvalidStore(f"{arrays.uri}: {path} is not a matrix of numbers.")
        extents = (int(schema.domain.dim(place).tile or 0) for place in range(2))
        height, width = (min(tile or n, n) or 1 for tile, n in zip(extents, self.shape, strict=True))
        self.tile = height, width

    @property
    def axis(self) -> Axis:
        """Axis whose lines need less of the matrix; TileDB reads whole tiles."""
        return "obs" if self.tile[0] * self.shape[1] <= self.tile[1] * self.shape[0] else "var"

    def prepare(self) -> None:
        """Load the places of tiles, so that the first column of a remote store takes as few requests as possible."""
        self._arrays.array(self.path, DATA)

    @abstractmethod
    def vectors(self, positions: Sequence[int]) -> Iterator[Vector]:
        """Yield distinct columns in the given order."""

    @abstractmethod
    def block(self, rows: Positions | tuple[int, int], columns: Positions | None) -> MatrixBlock:
        """Return rows (ascending, or start and stop), cut to some columns (ascending; None = all)."""

    @abstractmethod
    def grain(self) -> Grain:
        """Return the portions in which the layer is read."""

    @abstractmethod
    def describe(self) -> dict[str, Any]:
        """Return a JSON-compatible description."""

    def vectors_of_rows(self, positions: Sequence[int], start: int, stop: int) -> Iterator[Vector]:
        """Yield the rows start <= row < stop of distinct columns, in the given order; rows count from `start`."""
        wanted = np.unique(np.asarray(positions, dtype=np.int64))
        across = self.block((start, stop), wanted).across(len(wanted))
        for position in np.searchsorted(wanted, positions).tolist():
            yield across.take(np.array([position])).vector()

    def lines(self, axis: Axis, start: int, stop: int) -> MatrixBlock:
        """Return neighboring lines along an axis."""
        if axis == "obs":
            return self.block((start, stop), None)
        return self.columns(np.arange(start, stop), None)

    def columns(self, positions: Positions, rows: Positions | None) -> MatrixBlock:
        """Return some columns, ascending, cut to some rows (ascending; None = all)."""
        return self.block((0, self.shape[0]) if rows is None else rows, positions).across(len(positions))


def runs_of(lines: NDArray[np.int64], joinids: Joinids, largest_gap: int) -> list[tuple[int, int]]:
    """Return ascending lines as runs, first and last joinid of each; steps in a run are at most `largest_gap`."""
    if not len(lines):
        return []
    breaks = np.flatnonzero(np.diff(lines) > largest_gap)
    firsts, lasts = lines[np.append(0, breaks + 1)], lines[np.append(breaks, len(lines) - 1)]
    return list(zip(joinids.of(firsts).tolist(), joinids.of(lasts).tolist(), strict=True))
