"""Means, variances and shares of genes in groups of cells, in one pass over blocks of the matrix."""
# Changes with cxg_widget/compare/loops/sum_loops.py: what a share counts.
# Changes with js/src/panels/compare/gene_columns.js: what a share counts.

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate
from math import isqrt
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
        n, mean = self.n + other.n, self.mean
        if not self.n.all():
            mean = np.where(self.n > 0, mean, other.mean)  # the mean of no cells may be NaN
        # Without `np.where` where it may be, which takes as long as the rest of the merge.
        away, part = other.mean - mean, other.n / np.maximum(n, 1)
        if not other.n.all():
            away = np.where(other.n > 0, away, 0.0)
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


def nothing_known(n_groups: int, n_var: int, depth: int, *, by_rows: bool) -> tuple[Floats, NDArray[np.int32]]:
    """Return `state` and `rare` of the loops, zeros, in an order that keeps consecutive updates close in memory.

    depth : number of places of `state`
    """
    # Rows come group by group, so the state of a group must be contiguous: spread over 32 MiB, 30 groups missed the
    # cache at each entry (decision 62).
    if by_rows:
        state, rare = np.zeros((n_groups, n_var, depth)), np.zeros((n_groups, n_var, 2), dtype=np.int32)
        return state.transpose(1, 0, 2), rare.transpose(1, 0, 2)
    return np.zeros((n_var, n_groups, depth)), np.zeros((n_var, n_groups, 2), dtype=np.int32)


class Moments:
    """Moments of genes in groups of cells.

    Parameters
    ----------
    n_cells : int (n_groups,), number of cells of each group
    linear : whether to sum up expm1 of the values too
    by_rows : whether rows are added, group by group, rather than columns
    squared : whether to sum up squares, which a rank test does not need; else they are NaN

    Attributes
    ----------
    fill : float64 (n_var,), the value of unlisted cells
    """

    def __init__(
        self, n_cells: NDArray[np.int64], n_var: int, *,
        linear: bool = False, by_rows: bool = False, squared: bool = True,
    ) -> None:  # fmt: skip
        from cxg_widget.compare.loops.sum_loops import LINEAR, SQUARES

        self._n_cells, self._linear = n_cells, linear
        # Of 2,000 groups by 10,000 genes each place takes 160 MB.
        depth = LINEAR + 1 if linear else SQUARES + squared
        self._state, self._rare = nothing_known(len(n_cells), n_var, depth, by_rows=by_rows)
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
        from cxg_widget.compare.loops.sum_loops import LINEAR, LISTED, LOW, SHIFT, SQUARES, SUM

        state, rare = self._state[:, group].T.copy(), self._rare[:, group]
        listed = state[LISTED]
        n = self.n_of(group)
        # The two parts are merged as in `Summary.with_`, in fewer steps: 2,000 groups take 0.2 s, not 0.9. A gene
        # without entries has 0 as its shift and sum, so its mean is the fill.
        left_out, mean = n - listed, state[SHIFT] + state[SUM] / np.maximum(listed, 1)
        away, part = self.fill - mean, left_out / np.maximum(n, 1)
        squares = np.full_like(mean, np.nan)
        if len(state) > SQUARES:
            # Rounding may leave a little below 0, which has no square root.
            squares = np.maximum(state[SQUARES] - state[SUM] ** 2 / np.maximum(listed, 1), 0.0)
            squares += away * away * listed * part
        mean += away * part
        linear = state[LINEAR] + left_out * np.expm1(self.fill) if self._linear else np.zeros_like(mean)
        mean[n == 0] = np.nan
        return Summary(n, mean, squares, listed - rare[:, LOW] + (self.fill > 0) * left_out, linear)

    def n_of(self, group: int) -> Floats:
        """Return the number of cells of a group in which each gene was measured."""
        from cxg_widget.compare.loops.sum_loops import MISSING

        found: Floats = np.subtract(self._n_cells[group], self._rare[:, group, MISSING], dtype=np.float64)
        return found


class Summaries(Sequence[Summary]):
    """The summary of each group, made when it is requested: of 2,000 groups all take twice their moments.

    Parameters
    ----------
    genes : which genes of the moments
    """

    def __init__(self, moments: Moments, n_groups: int, genes: slice | NDArray[np.int64]) -> None:
        self._moments, self._n_groups, self._genes = moments, n_groups, genes

    def __len__(self) -> int:
        return self._n_groups

    def __getitem__(self, at: Any) -> Any:
        groups = range(self._n_groups)[at]
        if isinstance(groups, range):
            return tuple(self[group] for group in groups)
        return self._moments.of(groups).at(self._genes)

    def n_of(self, group: int) -> Floats:
        """Return the number of cells of a group in which each gene was measured, without the rest of its summary."""
        return self._moments.n_of(group)[self._genes]


class Rests:
    """The summary of all cells except those of each group, for two or more groups.

    Merged from both ends, not subtracted: total minus group loses all digits if the rest is small (decision 62). Of n
    groups the merges before and after each run of sqrt(n) groups are kept; a run then takes 3 merges per group.
    """

    def __init__(self, groups: Sequence[Summary]) -> None:
        self._groups, self._step = groups, isqrt(len(groups))
        sums = [reduce(Summary.with_, groups[start : start + self._step]) for start in self._starts]
        self._before = [None, *accumulate(sums[:-1], Summary.with_)]
        self._after = [*list(accumulate(sums[:0:-1], Summary.with_))[::-1], None]
        self._run: tuple[int, list[Summary]] = (-1, [])

    def __getitem__(self, group: int) -> Summary:
        run, at = divmod(group, self._step)
        held = self._run  # another thread may replace it
        if held[0] != run:
            self._run = held = run, self._rests(run)
        return held[1][at]

    @property
    def _starts(self) -> range:
        return range(0, len(self._groups), self._step)

    def _rests(self, run: int) -> list[Summary]:
        groups = self._groups[self._starts[run] : self._starts[run] + self._step]
        # Not `accumulate(..., initial=)`, to which None means that there is none.
        before = list(accumulate((self._before[run], *groups[:-1]), _merged))
        after = list(accumulate((self._after[run], *groups[:0:-1]), _merged))[::-1]
        both = [_merged(*ends) for ends in zip(before, after, strict=True)]
        return [one for one in both if one is not None]


def _merged(one: Summary | None, other: Summary | None) -> Summary | None:
    return other if one is None else one if other is None else one.with_(other)


def _divided(one: Floats, other: Floats, otherwise: float = np.nan) -> Floats:
    found: Floats = np.divide(one, other, out=np.full(one.shape, otherwise), where=other > 0)
    return found
