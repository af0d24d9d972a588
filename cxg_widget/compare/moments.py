"""Means, variances and shares of genes in groups of cells, block by block in one pass over the matrix."""
# Changes with cxg_widget/compare/loops/sum_loops.py: what a share counts.
# Changes with js/src/panels/compare/gene_columns.js: what a share counts.

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.matrix_block import MatrixBlock

Floats = NDArray[np.float64]
NO_SCALE = np.empty(0, dtype=np.float64)


@dataclass(frozen=True)
class Summary:
    """Summary of each gene in some cells, each float64 (n_var,).

    n : cells in which it was measured
    mean : of the values
    squares : sum of the squared distances from the mean
    n_above : cells in which it is more than 0
    linear : sum of expm1 of the values, zeros where it was not gathered
    """

    n: Floats
    mean: Floats
    squares: Floats
    n_above: Floats
    linear: Floats

    @property
    def variance(self) -> Floats:
        """The unbiased variance; NaN of fewer than two cells."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(self.n > 1, self.squares / (self.n - 1), np.nan)

    @property
    def share(self) -> Floats:
        """Share of the cells above 0, of those in which the gene was measured."""
        return _divided(self.n_above, self.n)

    @property
    def linear_mean(self) -> Floats:
        """The mean of expm1 of the values."""
        return _divided(self.linear, self.n)

    def at(self, genes: slice | NDArray[np.int64]) -> Summary:
        """Return the summary of some genes."""
        return Summary(self.n[genes], self.mean[genes], self.squares[genes], self.n_above[genes], self.linear[genes])

    def with_(self, other: Summary) -> Summary:
        """Return the summary of both, which share no cell.

        Means and squares are merged as by Chan, Golub and LeVeque (1979), which loses no digits.
        """
        n, mean = self.n + other.n, np.where(self.n > 0, self.mean, other.mean)  # of no cells it may be NaN
        away, part = np.where(other.n > 0, other.mean - mean, 0.0), _divided(other.n, n, 0.0)
        return Summary(
            n,
            mean + away * part,
            self.squares + other.squares + away * away * self.n * part,
            self.n_above + other.n_above,
            self.linear + other.linear,
        )


def entries_of(block: MatrixBlock) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return starts, positions and values as the loops take them, in one form of each whatever the store has."""
    from cxg_widget.compute.compiled import frozen

    starts, positions = block.starts.astype(np.int64, copy=False), block.positions.astype(np.int32, copy=False)
    return frozen(starts), frozen(positions), frozen(block.values)


def nothing_known(n_groups: int, n_var: int, *, by_rows: bool) -> tuple[Floats, NDArray[np.int32]]:
    """Return `state` and `rare` of the loops, zeros: what is taken in one after the other lies together."""
    # By rows the groups come one after the other, so that what is known of one has to lie together: spread over 32 MiB,
    # 30 groups took each entry to another place of memory (decision 62).
    if by_rows:
        state, rare = np.zeros((n_groups, n_var, 5)), np.zeros((n_groups, n_var, 2), dtype=np.int32)
        return state.transpose(1, 0, 2), rare.transpose(1, 0, 2)
    return np.zeros((n_var, n_groups, 5)), np.zeros((n_var, n_groups, 2), dtype=np.int32)


class Moments:
    """Moments of genes in groups of cells.

    Parameters
    ----------
    n_cells : int (n_groups,), how many cells each group has
    linear : whether expm1 of the values is summed up too
    by_rows : whether rows are taken in, group by group, rather than columns

    Attributes
    ----------
    fill : float64 (n_var,), the value of cells that are not listed
    """

    def __init__(self, n_cells: NDArray[np.int64], n_var: int, *, linear: bool = False, by_rows: bool = False) -> None:
        self._n_cells, self._linear = n_cells, linear
        self._state, self._rare = nothing_known(len(n_cells), n_var, by_rows=by_rows)
        self.fill = np.zeros(n_var)

    def add_rows(self, block: MatrixBlock, codes: NDArray[np.int32], scale: Floats = NO_SCALE) -> None:
        """Take in rows.

        codes : (n_rows,), the group of each row, -1 = none
        scale : (n_rows,), what values are multiplied by before log1p; empty = values as they are
        """
        from cxg_widget.compare.loops.sum_loops import MISSING, add_dense_rows, add_rows
        from cxg_widget.compute.compiled import frozen

        if block.fill is not None:
            unknown = np.isnan(block.fill)
            self.fill[~unknown] = block.fill[~unknown]
            n = np.bincount(codes[codes >= 0], minlength=len(self._n_cells))
            # NaN as the fill: no cell of the block measured these genes.
            self._rare[unknown, :, MISSING] += n.astype(np.int32)
        # Group by group, so that what is known of one group stays in the cache (decision 62).
        order = np.argsort(codes, kind="stable") if len(self._n_cells) > 2 else np.arange(len(codes))
        cells = frozen(codes), frozen(scale), frozen(order)
        if block.lines is not None:
            add_dense_rows(frozen(block.lines), cells, self._linear, self._state, self._rare)
        else:
            add_rows(entries_of(block), cells, self._linear, self._state, self._rare)

    def add_columns(self, first: int, block: MatrixBlock, codes: NDArray[np.int32], scale: Floats = NO_SCALE) -> None:
        """Take in whole columns, the first of which is the gene at `first`; the others as for `add_rows`, by cell."""
        from cxg_widget.compare.loops.sum_loops import add_columns
        from cxg_widget.compute.compiled import frozen

        genes = slice(first, first + len(block.starts) - 1)
        state, rare = self._state[genes], self._rare[genes]
        add_columns(entries_of(block), (frozen(codes), frozen(scale)), self._linear, state, rare)

    def n_measured(self, genes: slice = slice(None)) -> NDArray[np.int64]:
        """Return in how many cells of each group each of some genes was measured, int64 (n_genes, n_groups)."""
        from cxg_widget.compare.loops.sum_loops import MISSING

        # In one order whatever that of the sums, or the loops that rank are compiled once more.
        return np.subtract(self._n_cells, self._rare[genes, :, MISSING], order="C")

    def of(self, group: int) -> Summary:
        """Return the summary of a group: its entries, and the cells without entries, all of which have one value."""
        from cxg_widget.compare.loops.sum_loops import LINEAR, LISTED, LOW, MISSING, SHIFT, SQUARES, SUM

        state, rare = self._state[:, group], self._rare[:, group]
        listed, expm1 = state[:, LISTED], state[:, LINEAR]
        left_out = self._n_cells[group] - rare[:, MISSING] - listed
        above = listed - rare[:, LOW]
        mean = _divided(state[:, SHIFT] * listed + state[:, SUM], listed, 0.0)
        # Rounding may leave a little below 0, of which no root can be taken.
        squares = np.maximum(state[:, SQUARES] - _divided(state[:, SUM] ** 2, listed, 0.0), 0.0)
        entries = Summary(listed, mean, squares, above, expm1)
        rest = Summary(
            left_out,
            self.fill,
            np.zeros_like(self.fill),
            np.where(self.fill > 0, left_out, 0.0),
            left_out * np.expm1(self.fill) if self._linear else np.zeros_like(self.fill),
        )
        found = entries.with_(rest)
        return Summary(found.n, np.where(found.n > 0, found.mean, np.nan), found.squares, found.n_above, found.linear)


def _divided(one: Floats, other: Floats, otherwise: float = np.nan) -> Floats:
    found: Floats = np.divide(one, other, out=np.full(one.shape, otherwise), where=other > 0)
    return found
