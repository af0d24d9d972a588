"""Ranks of genes in groups of cells; cells that are not listed tie as one group, which is never written out."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compare.grouped import Grouped
from cxg_widget.compare.kernels import add_ranks, put_columns, put_rows
from cxg_widget.compare.moments import Moments, entries_of
from cxg_widget.compute.compiled import frozen
from cxg_widget.datasets.base.matrix_block import MatrixBlock

BAND_BYTES = 2**29
"""What the keys that are sorted may take where rows are read; of more, genes are ranked in bands, a look each."""
_KEY_BYTES = 8

Integers = NDArray[np.int64]
Keys = tuple[NDArray[np.uint64], Integers, Integers]
"""Keys of several genes, where those of each begin, and where they end."""


class Ranks:
    """Sums of ranks of each gene over the cells of all groups.

    Values are ranked as float32. Each becomes a key of 64 bits that holds its group too, since NumPy sorts 64-bit
    numbers in a third of the time that it takes for the places of 32-bit ones.

    Attributes
    ----------
    sums : float64 (n_var, n_groups), of the mean ranks of each group
    ties : float64 (n_var,), the sum of t^3 - t over ties of t values
    """

    def __init__(self, cells: Grouped) -> None:
        self._cells = cells
        self.sums = np.zeros((len(cells.read), cells.n_groups))
        self.ties = np.zeros(len(cells.read))

    def add_columns(self, first: int, block: MatrixBlock, n: Integers) -> None:
        """Rank whole columns.

        Parameters
        ----------
        first : the place in `cells.read` of the first column
        n : (n_columns, n_groups), in how many cells of each group each was measured
        """
        entries, cells = entries_of(block), (frozen(self._cells.codes), frozen(self._cells.scale))
        starts = entries[0][:-1] - entries[0][0]
        keys, ends = np.empty(len(block.values), dtype=np.uint64), np.empty(len(starts), dtype=np.int64)
        put_columns(entries, cells, keys, ends)
        self._rank(first, (keys, starts, ends), n, np.zeros(len(ends), dtype=np.float32))

    def add_rows(self, moments: Moments) -> None:
        """Rank all genes band by band, each by a look at all rows."""
        n_keys, n, fill = moments.n_apart, moments.n_measured(), moments.fill.astype(np.float32)
        for first, last in bands(n_keys, BAND_BYTES):
            ends = np.cumsum(np.concatenate([[0], n_keys[first:last]]))
            keys, starts, ends = np.empty(ends[-1], dtype=np.uint64), ends[:-1].copy(), ends[:-1].copy()
            for block, codes, scale in self._cells.row_blocks():
                put_rows(entries_of(block), (frozen(codes), frozen(scale)), (first, frozen(fill)), keys, ends)
            self._rank(first, (keys, starts, ends), n[first:last], fill[first:last])

    def _rank(self, first: int, keys: Keys, n: Integers, fill: NDArray[np.float32]) -> None:
        found, starts, ends = keys
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            found[start:end].sort()
            self._cells.check()
        genes = slice(first, first + len(starts))
        add_ranks(keys, n, fill, self.sums[genes], self.ties[genes])


def bands(n_keys: Integers, most_bytes: int) -> Iterator[tuple[int, int]]:
    """Cut genes into neighbours whose keys take no more than `most_bytes`; one at least."""
    before = np.concatenate([[0], np.cumsum(n_keys * _KEY_BYTES)])
    start = 0
    while start < len(n_keys):
        stop = max(int(np.searchsorted(before, before[start] + most_bytes, side="right")) - 1, start + 1)
        yield start, stop
        start = stop
