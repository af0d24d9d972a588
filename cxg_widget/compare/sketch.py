"""A sketch of a matrix: sums of each gene over tiles of cells, which give those of any cells in milliseconds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compare.compared_groups import Grouped
from cxg_widget.compare.moments import NO_SCALE, Floats, Summary, entries_of
from cxg_widget.datasets.base.matrix_block import MatrixBlock

if TYPE_CHECKING:
    from cxg_widget.compare.matrix_statistics import ValueKind

NONE = np.zeros((0, 0), dtype=np.uint32)
STEP_BYTES = 1 << 27
"""Size of a block, of which three are in memory. With many cells of each tile in it, most entries find the sums of
their tile in the cache: one takes 8 ns with 30,000 genes, 10 with half of this size, and 6 with twice."""


@dataclass(frozen=True)
class Sums:
    """Sums of each gene over some cells, each float64 (n_genes,).

    n : cells in which the gene was measured; above : cells in which it is above 0
    """

    n: Floats
    sums: Floats
    squares: Floats
    above: Floats

    def plus(self, other: Sums, sign: int = 1) -> Sums:
        """Return the sums over both; sign -1: without those of the other."""
        return Sums(
            self.n + sign * other.n,
            self.sums + sign * other.sums,
            self.squares + sign * other.squares,
            self.above + sign * other.above,
        )

    @property
    def summary(self) -> Summary:
        """The same as means and squared distances from them."""
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = self.sums / self.n
        # Rounding may give small negative numbers, which have no square root.
        squares = np.maximum(self.squares - np.nan_to_num(mean) * self.sums, 0.0)
        return Summary(self.n, mean, squares, self.above, np.zeros_like(mean))


@dataclass(frozen=True)
class Sketch:
    """Sums of each gene over tiles of cells.

    n_cells : int64 (n_tiles,)
    sums, squares : float32 (n_tiles, n_genes), of the values and of their squares
    above : uint16 or uint32 (n_tiles, n_genes), number of values above 0
    missing : number of values that were not measured, likewise; (0, 0) = all were measured
    kind : kind of the values before they were normalized
    is_normalized : whether values are log1p of counts per 10,000
    """

    n_cells: NDArray[np.int64]
    sums: NDArray[np.float32]
    squares: NDArray[np.float32]
    above: NDArray[Any]
    missing: NDArray[Any]
    kind: ValueKind
    is_normalized: bool

    def with_(self, other: Sketch) -> Sketch:
        """Return the sums over the cells of both, which have the same tiles."""
        n_cells, missing = self.n_cells + other.n_cells, [one.missing for one in (self, other) if one.missing.size]
        above = np.add(self.above, other.above, dtype=_count_type(n_cells))
        return replace(
            self, n_cells=n_cells, sums=self.sums + other.sums, squares=self.squares + other.squares, above=above,
            missing=np.sum(missing, axis=0, dtype=above.dtype) if missing else self.missing,
        )  # fmt: skip

    @cached_property
    def total(self) -> Sums:
        """Sums over all cells."""
        return self._weighted(np.ones(len(self.n_cells)))

    def of(self, weights: Floats) -> Sums:
        """Return the sums over a share of the cells of each tile, float64 (n_tiles,)."""
        # If most tiles count, the sums over the others are subtracted, so at most half of the tiles are read.
        if 2 * np.count_nonzero(weights) <= len(weights):
            return self._weighted(weights)
        return self.total.plus(self._weighted(1.0 - weights), -1)

    def _weighted(self, weights: Floats) -> Sums:
        from cxg_widget.compare.loops.sketch_loops import add_weighted
        from cxg_widget.compute.compiled import frozen

        found = np.zeros((3, self.sums.shape[1]))
        add_weighted(frozen(weights), frozen(self.sums), frozen(self.squares), frozen(self.above), found)
        n = np.full(self.sums.shape[1], float(weights @ self.n_cells))
        if self.missing.size:
            n -= weights @ self.missing
        return Sums(n, *found)


class Parts:
    """Gathers the sums of a matrix over groups of cells in the arrays of a sketch.

    cells : the groups; each cell is in one
    """

    def __init__(self, cells: Grouped) -> None:
        self._cells = cells
        # Counts of a cell are known once all of its genes are: by columns that takes two passes.
        by_rows = cells.normalized and cells.dataset.plan(None, None, cells.layer).axis == "obs"
        self.by_rows = cells.by_rows or by_rows
        shape = cells.n_groups, cells.n_var
        kind = _count_type(cells.n_cells)
        self.sums, self.squares = np.zeros(shape, dtype=np.float32), np.zeros(shape, dtype=np.float32)
        self.above: NDArray[Any] = np.zeros(shape, dtype=kind)
        self.missing: NDArray[Any] = np.zeros((0, 0), dtype=kind)

    def gather(self) -> Parts:
        """Read the matrix once, and return itself; raises as `Grouped`."""
        if self.by_rows:
            self._gather_rows()
        else:
            self._gather_columns()
        return self

    def _gather_rows(self) -> None:
        from cxg_widget.compare.loops.sketch_loops import sketch_rows
        from cxg_widget.compute.compiled import frozen

        shape = self.sums.shape
        state, missing = np.zeros((*shape, 4), dtype=np.float32), NONE
        for block, tiles, scale in self._cells.row_blocks():
            whole = block.written_out(shape[1])
            if not missing.size and _has_missing(whole):
                missing = np.zeros(shape, dtype=np.uint32)
            order = np.argsort(tiles, kind="stable")
            sketch_rows(entries_of(whole), (frozen(tiles), frozen(scale), frozen(order)), state, missing)
        self._put(slice(None), state, missing)

    def _gather_columns(self) -> None:
        from cxg_widget.compare.loops.sketch_loops import sketch_columns
        from cxg_widget.compute.compiled import frozen

        cells, n_tiles = self._cells, self.sums.shape[0]
        tiles, scale = frozen(cells.codes), frozen(cells.scale if cells.normalized else NO_SCALE)
        for first, block in cells.column_blocks():
            n = len(block.starts) - 1
            state, missing = np.zeros((n, n_tiles, 4), dtype=np.float32), NONE
            whole = block.written_out(len(cells.rows))
            if _has_missing(whole):
                missing = np.zeros((n, n_tiles), dtype=np.uint32)
            sketch_columns(entries_of(whole), (tiles, scale), state, missing)
            self._put(slice(first, first + n), state.transpose(1, 0, 2), missing.T)

    def _put(self, genes: slice, state: NDArray[np.float32], missing: NDArray[np.uint32]) -> None:
        from cxg_widget.compare.loops.sketch_loops import ABOVE, SQUARES, SUM

        self.sums[:, genes], self.squares[:, genes] = state[:, :, SUM], state[:, :, SQUARES]
        self.above[:, genes] = state[:, :, ABOVE]
        if missing.size:
            if not self.missing.size:
                self.missing = np.zeros(self.sums.shape, dtype=self.above.dtype)
            self.missing[:, genes] = missing

    def as_sketch(self, kind: ValueKind) -> Sketch:
        """Return them as a sketch."""
        cells = self._cells
        return Sketch(
            cells.n_cells, self.sums, self.squares, self.above, self.missing, kind, is_normalized=cells.normalized
        )


def _count_type(n_cells: NDArray[np.int64]) -> type[np.uint16 | np.uint32]:
    return np.uint16 if n_cells.max(initial=0) < 2**16 else np.uint32


def _has_missing(block: MatrixBlock) -> bool:
    return bool(np.isnan(block.values).any())
