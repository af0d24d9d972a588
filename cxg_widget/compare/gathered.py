"""Moments and ranks of all genes in groups of cells: two groups for a comparison, more for the markers of each."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compare.grouped import Grouped
from cxg_widget.compare.moments import Moments
from cxg_widget.compare.ranks import Ranks


class Gathered(NamedTuple):
    """What was gathered of the genes of `Grouped.read`.

    Attributes
    ----------
    asked : int64 (k,), the places in it of the genes that were asked for
    ranks : None where none were made
    """

    moments: Moments
    ranks: Ranks | None
    asked: NDArray[np.int64]


def gather(cells: Grouped, *, linear: bool = False, ranked: bool = False) -> Gathered:
    """Go through the matrix.

    By columns one look gives all; by rows ranks take another one, or one for each band of genes whose values fit into
    memory.

    Parameters
    ----------
    linear : whether to sum up expm1 of the values too
    ranked : whether to rank the cells of all groups by each gene
    """
    read = cells.read
    moments = Moments(cells.n_cells, len(read), linear=linear)
    ranks = Ranks(cells) if ranked else None
    if cells.by_rows:
        for rows, codes, scale in cells.row_blocks():
            moments.add_rows(rows, codes, scale)
        if ranks is not None:
            ranks.add_rows(moments)
    else:
        scale = cells.scale
        for first, block in cells.column_blocks():
            moments.add_columns(first, block, cells.codes, scale)
            if ranks is not None:
                genes = slice(first, first + len(block.starts) - 1)
                ranks.add_columns(first, block, moments.n_measured(genes))
    asked = cells.positions if cells.by_rows and cells.positions is not None else np.arange(len(read))
    return Gathered(moments, ranks, asked)
