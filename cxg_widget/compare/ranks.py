"""Ranks of genes in groups of cells; unlisted cells count as one tie, without being expanded."""

from __future__ import annotations

import os
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compare.compared_groups import Grouped
from cxg_widget.compare.loops.rank_loops import add_ranks, add_ranks_against, put_columns, sort_keys
from cxg_widget.compare.moments import Moments, entries_of
from cxg_widget.compare.transposed import Integers, Keys, Transposed, grown, in_order
from cxg_widget.compute.compiled import frozen
from cxg_widget.compute.parallel import run_parallel
from cxg_widget.datasets.base.matrix_block import MatrixBlock

BAND_BYTES = 3 * 2**28
"""Limit on entries kept for ranking; beyond it, genes are ranked in bands, each with a pass over all rows."""
_LEAST_BAND, _SHARE = 2**26, 4.5
"""Where a pass only copies bytes: entries kept in each, as a part of the bytes of a pass; 3 passes (decision 57)."""
_THREADS = min(4, os.cpu_count() or 1)
_NONE = np.empty(0, dtype=np.uint64)
_NO_SUMS = np.empty((0, 0))


class Ranks:
    """Sums of ranks of each gene over the cells of all groups.

    Each float32 value becomes a 64-bit sort key that includes its group. Values of float64 are first replaced by their
    rank within the gene (`places_of`), unless they are normalized, which rounds to float32.

    `found` has the sums of mean ranks of each group, float64 (n_var, n_groups), with a reference among its cells and
    these, and the sums of t^3 - t over ties of t values, float64 (n_var,), (n_var, n_groups) with a reference.
    """

    def __init__(self, cells: Grouped) -> None:
        self._cells = cells
        self._sums = np.zeros((len(cells.read), cells.n_groups))
        self._ties = np.zeros(len(cells.read) if cells.reference is None else self._sums.shape)
        self._keys = self._spare = _NONE

    def add_columns(self, first: int, block: MatrixBlock, n: Integers) -> None:
        """Rank whole columns.

        first : index in `cells.read` of the first column
        n : (n_columns, n_groups), number of cells of each group in which each was measured
        """
        scale = self._cells.scale
        if block.values.dtype == np.float64 and not scale.size:
            block = in_order(block)
        entries, cells = entries_of(block), (frozen(self._cells.codes), frozen(scale))
        starts = entries[0][:-1] - entries[0][0]
        self._keys, ends = grown(self._keys, len(block.values)), np.empty(len(starts), dtype=np.int64)
        put_columns(entries, cells, self._keys, ends)
        fill = np.zeros(len(ends), dtype=np.float32)
        self._spare = self._rank(first, (self._keys, starts, ends), n, fill, self._spare)

    def transposed(self, before: Transposed | None = None) -> Transposed:
        """Return the buffer that transposes rows for `add_rows`: of the genes that the one before dropped."""
        copied = self._cells.cheap_bytes
        most = BAND_BYTES if copied is None else min(max(int(copied / _SHARE), _LEAST_BAND), BAND_BYTES)
        first = 0 if before is None else before.last
        done = np.full(len(self._cells.rows), -1, dtype=np.int32) if before is None else before.done
        return Transposed((first, len(self._sums)), done, self._cells.n_groups, most)

    def add_rows(self, moments: Moments, transposed: Transposed) -> None:
        """Rank all genes: those whose entries one pass over all rows kept, and the others in further passes."""
        fill = moments.fill.astype(np.float32)
        while True:
            self._rank_kept(transposed, moments, fill)
            transposed.clear()
            if transposed.last == len(fill):
                return
            # Genes whose entries did not fit take another pass over all rows (decision 57).
            transposed = self.transposed(transposed)
            for block, codes, scale in self._cells.row_blocks():
                transposed.add_rows(block, codes, scale)

    def found(self, genes: slice | Integers) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the sums of some genes, and their ties, both by group; those of all genes are dropped."""
        # By group, as they are read: a column of 10,000 genes by 2,000 groups misses the cache at each gene.
        sums = np.ascontiguousarray(self._sums.T[:, genes])
        self._sums = _NO_SUMS  # before the ties are copied too: each takes 160 MB
        ties = np.ascontiguousarray(self._ties.T[..., genes])
        self._ties = _NO_SUMS
        return sums, ties

    def _rank_kept(self, transposed: Transposed, moments: Moments, fill: NDArray[np.float32]) -> None:
        """Rank genes in threads, each of which takes the next run of them."""
        spans = transposed.spans()

        def rank() -> None:
            keys, spare = _NONE, _NONE
            while spans:
                with suppress(IndexError):  # another thread took the last one
                    # `list.pop` is atomic. Runs are disjoint, so no two threads write to the same sums.
                    span = spans.pop()
                    genes = slice(*span)
                    n = moments.n_measured(genes)
                    found = transposed.keys(span, keys, fill[genes])
                    left_out = np.zeros_like(fill[genes]) if transposed.is_double else fill[genes]
                    keys, spare = found[0], self._rank(span[0], found, n, left_out, spare)
                    self._cells.report("Ranking", span[1], len(self._sums), self._cells.dataset.var_noun)

        try:
            for outcome in run_parallel([rank] * _THREADS):
                if isinstance(outcome, Exception):
                    raise outcome
        finally:
            # After an error or Ctrl-C the other threads find nothing more to do.
            spans.clear()

    def _rank(
        self, first: int, keys: Keys, n: Integers, fill: NDArray[np.float32], spare: NDArray[np.uint64]
    ) -> NDArray[np.uint64]:
        """Rank some genes, and return the buffer for sorting, which is the given one if that is large enough."""
        self._cells.check()
        found, starts, ends = keys
        spare = grown(spare, int((ends - starts).max(initial=0)))
        sort_keys(found, starts, ends, spare)
        genes = slice(first, first + len(starts))
        if self._cells.reference is None:
            add_ranks(keys, n, fill, self._sums[genes], self._ties[genes])
        else:
            add_ranks_against(keys, n, fill, self._cells.reference, (self._sums[genes], self._ties[genes]))
        return spare
