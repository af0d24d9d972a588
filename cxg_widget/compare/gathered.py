"""Moments and ranks of all genes in groups of cells: two groups for a comparison, more for the markers of each."""

from __future__ import annotations

from typing import NamedTuple

from cxg_widget.compare.grouped import Grouped
from cxg_widget.compare.moments import Floats, Moments, Summary
from cxg_widget.compare.ranks import Ranks


class Gathered(NamedTuple):
    """What was gathered of the genes that were asked for.

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
        """Return what is known of the cells of both, none of which is in the other, without ranks."""
        return Gathered(tuple(one.with_(beside) for one, beside in zip(self.groups, other.groups, strict=True)))


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
    if not len(cells.rows):  # of a part of all cells, which Dask's workers gather
        pass
    elif cells.by_rows:
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
    asked = cells.positions if cells.by_rows and cells.positions is not None else slice(None)
    groups = tuple(moments.of(group).at(asked) for group in range(cells.n_groups))
    return Gathered(groups) if ranks is None else Gathered(groups, ranks.sums[asked], ranks.ties[asked])
