"""Gathers moments and ranks of all genes in groups of cells: two for a comparison, more for markers."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compare.grouped import Grouped
from cxg_widget.compare.moments import Floats, Moments, Summary
from cxg_widget.compare.ranks import Ranks
from cxg_widget.compute.prefetch import Prefetch
from cxg_widget.datasets.base.matrix_block import MatrixBlock


class Gathered(NamedTuple):
    """Sums and ranks of the genes of a question.

    Attributes
    ----------
    groups : what is known of each group
    rank_sums : float64 (k, n_groups), of the mean ranks of each group; None where none were made
    ties : float64 (k,), the sum of t^3 - t over ties of t values; None as well
    """

    groups: tuple[Summary, ...]
    rank_sums: Floats | None = None
    ties: Floats | None = None

    def with_(self, other: Gathered) -> Gathered:
        """Return the sums over both, which share no cell, without ranks."""
        return Gathered(tuple(one.with_(added) for one, added in zip(self.groups, other.groups, strict=True)))


def _summed(cells: Grouped, moments: Moments) -> Iterator[tuple[MatrixBlock, NDArray[np.int32], Floats]]:
    """Yield the blocks of `Grouped.row_blocks`, of which the moments were taken in."""
    for block, codes, scale in cells.row_blocks():
        moments.add_rows(block, codes, scale)
        yield block, codes, scale


def gather(cells: Grouped, *, linear: bool = False) -> Gathered:
    """Go through the matrix.

    One look gives all, but for ranks by rows of more values than fit into memory: they take a look for each band of
    genes whose values do.

    Parameters
    ----------
    linear : whether to sum up expm1 of the values too
    """
    read = cells.read
    moments = Moments(cells.n_cells, len(read), linear=linear, by_rows=cells.by_rows)
    ranks = Ranks(cells) if cells.ranked else None
    if not len(cells.rows):  # of a part of all cells, which Dask's workers gather
        pass
    elif cells.by_rows:
        blocks = _summed(cells, moments)
        if ranks is None:
            deque(blocks, maxlen=0)
        else:
            transposed = ranks.transposed()
            # The moments are taken in by the thread that reads ahead, while this one transposes the block
            # before (decision 57).
            for block, codes, scale in Prefetch(lambda: blocks, cells.check):
                transposed.add_rows(block, codes, scale)
            ranks.add_rows(moments, transposed)
    else:
        scale = cells.scale
        for first, block in cells.column_blocks():
            moments.add_columns(first, block, cells.codes, scale)
            if ranks is not None:
                genes = slice(first, first + len(block.starts) - 1)
                ranks.add_columns(first, block, moments.n_measured(genes))
    wanted = cells.positions if cells.by_rows and cells.positions is not None else slice(None)
    groups = tuple(moments.of(group).at(wanted) for group in range(cells.n_groups))
    return Gathered(groups) if ranks is None else Gathered(groups, ranks.sums[wanted], ranks.ties[wanted])
