"""Assigns cells to groups in few bytes: by masks, and by a column that is read where the cells are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.values import Codes

Mask = NDArray[np.bool_]
_BLOCK = 2**20


@dataclass(frozen=True)
class Grouping:
    """Groups of cells.

    Attributes
    ----------
    table : int32 (n_sides + 1, n_categories + 1), the group of the cells of a side that have a category, -1 = none; the
        last row is of cells on no side, the last column of those without a category
    sides : bool (n_obs,) each, no cell on two of them
    column : obs column of categories; None = there is one category, which all cells have
    """

    table: NDArray[np.int32]
    sides: tuple[Mask, ...] = ()
    column: str | None = None

    @classmethod
    def of_sets(cls, *sides: Mask) -> Grouping:
        """Return sets as groups."""
        return cls(np.array([[at, at] for at in (*range(len(sides)), -1)], dtype=np.int32), sides)

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return int(self.table.max()) + 1

    def groups(self, codes: Codes | None, n_obs: int) -> NDArray[np.int32]:
        """Return the group of each cell, int32 (n_obs,), -1 = none.

        Parameters
        ----------
        codes : of the column; None where there is none
        """
        side = np.full(n_obs, len(self.sides), dtype=np.int8)
        for at, mask in enumerate(self.sides):
            side[mask] = at
        last = self.table.shape[1] - 1
        place = 0 if codes is None else np.where((codes.codes < 0) | (codes.codes >= last), last, codes.codes)
        found: NDArray[np.int32] = self.table[side, place]
        return found

    def spread(self, n: int, n_obs: int) -> NDArray[np.int64]:
        """Return up to n rows spread evenly over those that are on a side, ascending."""
        if not self.sides:
            return _ranks(n_obs, n)
        ends = np.zeros(1, dtype=np.int64)
        for start in range(0, n_obs, _BLOCK):
            ends = np.append(ends, ends[-1] + np.count_nonzero(self._on_a_side(start)))
        ranks = _ranks(int(ends[-1]), n)
        block = np.searchsorted(ends, ranks, side="right") - 1
        found = [
            at * _BLOCK + np.flatnonzero(self._on_a_side(at * _BLOCK))[ranks[block == at] - ends[at]]
            for at in np.unique(block).tolist()
        ]
        return np.concatenate([np.empty(0, dtype=np.int64), *found])

    def _on_a_side(self, start: int) -> Mask:
        found: Mask = np.logical_or.reduce([mask[start : start + _BLOCK] for mask in self.sides])
        return found


def _ranks(n_all: int, n: int) -> NDArray[np.int64]:
    return np.unique(np.linspace(0, n_all - 1, n).astype(np.int64)) if n_all else np.empty(0, dtype=np.int64)
