"""Genes that distinguish cells, ranked by Welch's t from a sketch: an estimate, or exact after reading the edge."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compare.compared_groups import Grouping, Tell
from cxg_widget.compare.gene_tests import log2_fold, welch_t
from cxg_widget.compare.matrix_statistics import MatrixStats
from cxg_widget.compare.moments import Floats, Summary
from cxg_widget.compare.sketch import Sketch, Sums
from cxg_widget.compare.sketch_tiles import Tiles, most_tiles
from cxg_widget.compare.sketch_values import MOST_RUNS, ValueOrder
from cxg_widget.datasets.base.dataset import Dataset
from cxg_widget.spatial.index import SpatialIndex

_RIM_BYTES = 1 << 28
"""Maximum of bytes decoded for the cells at the edge; the exact test reads more."""
_LEAST_CELLS = 2
_FOLD = "scanpy"
_ENTRY_BYTES, _SUM_BYTES = 8, 10
"""Bytes of an entry of the matrix, position and value, and of the sums of a tile and a gene."""


def _most_tiles(dataset: Dataset, layer: str | None) -> int:
    n_genes, n_entries = (
        len(dataset.names_in(layer).var_labels),
        dataset.plan(None, None, layer).n_bytes // _ENTRY_BYTES,
    )
    return most_tiles(dataset.n_obs, n_genes, n_entries)


MakeMatrix = Callable[[Tell, Callable[[], bool]], MatrixStats]


def _stats(dataset: Dataset, matrix: MakeMatrix | None, tell: Tell, check: Callable[[], None]) -> MatrixStats:
    def cancelled() -> bool:
        check()
        return False

    return MatrixStats(dataset, tell, cancelled) if matrix is None else matrix(tell, cancelled)


@dataclass(frozen=True)
class QuickMarkers:
    """The genes with the highest Welch's t between some cells and the rest, highest first.

    positions : int64 (n,), of the genes in var
    a, b : summaries of these genes in the cells and in the rest
    log2fc : float64 (n,); NaN for scaled values
    n_cells : number of cells
    n_read : number of cells counted exactly
    """

    positions: NDArray[np.int64]
    a: Summary
    b: Summary
    log2fc: Floats
    n_cells: int
    n_read: int

    @property
    def is_exact(self) -> bool:
        """Whether the sums are those of exactly these cells."""
        return self.n_read == self.n_cells

    @property
    def columns(self) -> dict[str, Floats]:
        """Numbers of each gene by the names that the table of a comparison has, float64 (n,)."""
        return {
            "mean_a": self.a.mean,
            "mean_b": self.b.mean,
            "share_a": self.a.share,
            "share_b": self.b.share,
            "log2fc": self.log2fc,
        }


@dataclass(frozen=True)
class Sketched:
    """A matrix with its sketch over the tiles of an embedding or a column.

    layer : None = the main matrix
    matrix : returns the statistics of a matrix that Dask's workers add up; None = here
    """

    dataset: Dataset
    layer: str | None
    tiles: Tiles
    sketch: Sketch
    matrix: MakeMatrix | None = None

    @classmethod
    def make(
        cls, dataset: Dataset, layer: str | None, index: SpatialIndex | ValueOrder, tell: Tell = lambda _, __: None,
        check: Callable[[], None] = lambda: None, *, matrix: MakeMatrix | None = None,
    ) -> Sketched:  # fmt: skip
        """Read the matrix once, and return it with its sketch; other parameters as of `Grouped`.

        Raises
        ------
        InvalidStore, DamagedStore
            If the matrix cannot be read.
        """
        stats = _stats(dataset, matrix, tell, check)
        tiles = Tiles.of(index, _most_tiles(dataset, layer))
        groups = Grouping.of_codes(tiles.of_rows(), len(tiles))
        kind = stats.kind(groups, layer)
        sketch = stats.sketch(groups, layer, kind, normalized=kind.kind == "counts")
        return cls(dataset, layer, tiles, sketch, matrix)

    @staticmethod
    def size_bytes(dataset: Dataset, layer: str | None, *, is_of_column: bool = False) -> int:
        """Return about how many bytes the sketch of a matrix takes on disk."""
        most = _most_tiles(dataset, layer)
        return (min(most, MOST_RUNS) if is_of_column else most) * len(dataset.names_in(layer).var_labels) * _SUM_BYTES

    def estimate(self, n_in: NDArray[np.int64], n: int) -> QuickMarkers:
        """Return the first n genes from the number of cells in each tile, int64 (n_tiles,), without reading."""
        return self._ranked(
            self.sketch.of(self._shares(n_in)), int(n_in.sum()), int(n_in[self._is_full(n_in)].sum()), n
        )

    def resolve(self, mask: NDArray[np.bool_], n: int, check: Callable[[], None] = lambda: None) -> QuickMarkers:
        """Return the first n genes for cells, bool (n_obs,), after reading those in tiles that are partly in the mask.

        It is an estimate if that takes too many bytes, or the store is remote.
        """
        n_in = self.tiles.count_in_mask(mask)
        groups, is_whole = np.full(self.dataset.n_obs, -1, dtype=np.int32), self._is_full(n_in)
        partial = np.flatnonzero((n_in > 0) & ~is_whole)
        for tile in partial.tolist():
            rows = self.tiles.rows(tile)
            inside = mask[rows]
            # To read fewer cells: if most cells of a tile are inside, the others are subtracted.
            is_whole[tile] = 2 * n_in[tile] > len(rows)
            groups[rows[inside != is_whole[tile]]] = int(is_whole[tile])
        rows = np.flatnonzero(groups >= 0)
        is_far = self.dataset.is_remote and self.matrix is None
        if rows.size and (is_far or self.dataset.plan(rows, None, self.layer).n_bytes > _RIM_BYTES):
            return self.estimate(n_in, n)
        found, kind = self.sketch.of(is_whole.astype(np.float64)), self.sketch.kind
        if rows.size:
            stats = _stats(self.dataset, self.matrix, lambda _, __: None, check)
            two = Grouping.of_codes(groups, 2)
            read = stats.sketch(two, self.layer, kind, normalized=self.sketch.is_normalized)
            found = found.plus(read.of(np.array([1.0, 0.0]))).plus(read.of(np.array([0.0, 1.0])), -1)
        total = int(n_in.sum())
        return self._ranked(found, total, total, n)

    def _is_full(self, n_in: NDArray[np.int64]) -> NDArray[np.bool_]:
        full: NDArray[np.bool_] = n_in == self.sketch.n_cells
        return full

    def _shares(self, n_in: NDArray[np.int64]) -> Floats:
        shares: Floats = n_in / np.maximum(self.sketch.n_cells, 1)
        return shares

    def _ranked(self, inside: Sums, n_cells: int, n_read: int, n: int) -> QuickMarkers:
        a, b = inside.summary, self.sketch.total.plus(inside, -1).summary
        t = welch_t(a, b)[0]
        if min(n_cells, self.dataset.n_obs - n_cells) < _LEAST_CELLS:
            t = np.full_like(t, np.nan)
        known = np.flatnonzero(~np.isnan(t))
        positions = known[np.argsort(-t[known], kind="stable")][:n]
        a, b = a.at(positions), b.at(positions)
        return QuickMarkers(positions, a, b, self._fold(positions, a, b), n_cells, n_read)

    def _fold(self, positions: NDArray[np.int64], a: Summary, b: Summary) -> Floats:
        kind = self.sketch.kind
        if kind.kind == "scaled":
            return np.full(positions.size, np.nan)
        return np.where(kind.is_scaled(positions), np.nan, log2_fold(a, b, _FOLD))
