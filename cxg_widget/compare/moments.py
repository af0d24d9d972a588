"""Means, variances and shares of genes in groups of cells, in one pass over blocks of the matrix."""
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

    n : number of cells in which it was measured
    mean : of the values
    squares : sum of the squared distances from the mean
    n_above : number of cells in which it is above 0
    linear : sum of expm1 of the values, zeros if not gathered
    """

    n: Floats
    mean: Floats
    squares: Floats
    n_above: Floats
    linear: Floats

    @property
    def variance(self) -> Floats:
        """Unbiased variance; NaN with fewer than two cells."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(self.n > 1, self.squares / (self.n - 1), np.nan)

    @property
    def share(self) -> Floats:
        """Share of cells above 0 among those in which the gene was measured."""
        return _divided(self.n_above, self.n)

    @property
    def linear_mean(self) -> Floats:
        """Mean of expm1 of the values."""
        return _divided(self.linear, self.n)

    def at(self, genes: slice | NDArray[np.int64]) -> Summary:
        """Return the summary of some genes."""
        return Summary(self.n[genes], self.mean[genes], self.squares[genes], self.n_above[genes], self.linear[genes])

    def with_(self, other: Summary) -> Summary:
        """Return the summary over the cells of both, which are disjoint.

        Means and squares are merged as by Chan, Golub and LeVeque (1979), which loses no digits.
        """
        n, mean = self.n + other.n, np.where(self.n > 0, self.mean, other.mean)  # the mean of no cells may be NaN
        away, part = np.where(other.n > 0, other.mean - mean, 0.0), _divided(other.n, n, 0.0)
        return Summary(
            n,
            mean + away * part,
            self.squares + other.squares + away * away * self.n * part,
            self.n_above + other.n_above,
            self.linear + other.linear,
        )


def entries_of(block: MatrixBlock) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return starts, positions and values as the loops take them, with one dtype each."""
    from cxg_widget.compute.compiled import frozen

    starts, positions = block.starts.astype(np.int64, copy=False), block.positions.astype(np.int32, copy=False)
    return frozen(starts), frozen(positions), frozen(block.values)


def nothing_known(n_groups: int, n_var: int, *, by_rows: bool) -> tuple[Floats, NDArray[np.int32]]:
    """Return `state` and `rare` of the loops, zeros, in an order that keeps consecutive updates close in memory."""
    # Rows come group by group, so the state of a group must be contiguous: spread over 32 MiB, 30 groups missed the
    # cache at each entry (decision 62).
    if by_rows:
        state, rare = np.zeros((n_groups, n_var, 5)), np.zeros((n_groups, n_var, 2), dtype=np.int32)
        return state.transpose(1, 0, 2), rare.transpose(1, 0, 2)
    return np.zeros((n_var, n_groups, 5)), np.zeros((n_var, n_groups, 2), dtype=np.int32)


class Moments:
    """Moments of genes in groups of cells.

    Parameters
    ----------
    n_cells : int (n_groups,), number of cells of each group
    linear : whether to sum up expm1 of the values too
    by_rows : whether rows are added, group by group, rather than columns

    Attributes
    ----------
    fill : float64 (n_var,), the value of unlisted cells
    """

    def __init__(self, n_cells: NDArray[np.int64], n_var: int, *, linear: bool = False, by_rows: bool = False) -> None:
        self._n_cells, self._linear = n_cells, linear
        self._state, self._rare = nothing_known(len(n_cells), n_var, by_rows=by_rows)
        self.fill = np.zeros(n_var)

    def add_rows(self, block: MatrixBlock, codes: NDArray[np.int32], scale: Floats = NO_SCALE) -> None:
        """Add rows.

        codes : (n_rows,), the group of each row, -1 = none
        scale : (n_rows,), factor of the values before log1p; empty = values as they are
        """
        from cxg_widget.compare.loops.sum_loops import MISSING, add_dense_rows, add_rows
        from cxg_widget.compute.compiled import frozen

        if block.fill is not None:
            unknown = np.isnan(block.fill)
            self.fill[~unknown] = block.fill[~unknown]
            n = np.bincount(codes[codes >= 0], minlength=len(self._n_cells))
            # NaN as the fill: no cell of the block measured these genes.
            self._rare[unknown, :, MISSING] += n.astype(np.int32)
        # Group by group, so that the state of one group stays in the cache (decision 62).
        order = np.argsort(codes, kind="stable") if len(self._n_cells) > 2 else np.arange(len(codes))
        cells = frozen(codes), frozen(scale), frozen(order)
        if block.lines is not None:
            add_dense_rows(frozen(block.lines), cells, self._linear, self._state, self._rare)
        else:
            add_rows(entries_of(block), cells, self._linear, self._state, self._rare)

    def add_columns(self, first: int, block: MatrixBlock, codes: NDArray[np.int32], scale: Floats = NO_SCALE) -> None:
        """Add whole columns, starting with the gene at `first`; other parameters as in `add_rows`, by cell."""
        from cxg_widget.compare.loops.sum_loops import add_columns
        from cxg_widget.compute.compiled import frozen

        genes = slice(first, first + len(block.starts) - 1)
        state, rare = self._state[genes], self._rare[genes]
        add_columns(entries_of(block), (frozen(codes), frozen(scale)), self._linear, state, rare)

    def n_measured(self, genes: slice = slice(None)) -> NDArray[np.int64]:
        """Return the number of cells of each group in which some genes were measured, int64 (n_genes, n_groups)."""
        from cxg_widget.compare.loops.sum_loops import MISSING

        # Always in C order, or the ranking loops are compiled once more.
        return np.subtract(self._n_cells, self._rare[genes, :, MISSING], order="C")

    def of(self, group: int) -> Summary:
        """Return the summary of a group: its entries, and the unlisted cells, which all have one value."""
        from cxg_widget.compare.loops.sum_loops import LINEAR, LISTED, LOW, MISSING, SHIFT, SQUARES, SUM

        state, rare = self._state[:, group], self._rare[:, group]
        listed, expm1 = state[:, LISTED], state[:, LINEAR]
        left_out = self._n_cells[group] - rare[:, MISSING] - listed
        above = listed - rare[:, LOW]
        mean = _divided(state[:, SHIFT] * listed + state[:, SUM], listed, 0.0)
        # Rounding may leave a little below 0, which has no square root.
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
