"""Tiles: runs of the Morton order of an embedding or of the order of a column, and counts of cells in each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compare.sketch_values import ValueOrder
from cxg_widget.spatial.index import SpatialIndex
from cxg_widget.spatial.morton import DEPTH
from cxg_widget.spatial.quadtree import Quadtree

Integers = NDArray[np.int64]
_MOST_SUMS, _LEAST_SUMS = 20_000_000, 4_000_000
"""Tiles times genes of a sketch, which take 10 bytes each on disk: at most 200 MB."""
_ENTRIES_PER_SUM = 8
"""Entries of the matrix per sum; with fewer, allocating the sums takes longer than adding up."""
_MOST_TILES = 4_096
_LEAST_CELLS = 32
"""Cells of a tile on average."""


def most_tiles(n_obs: int, n_genes: int, n_entries: int) -> int:
    """Return the maximum number of tiles for a matrix with this number of entries."""
    most = max(_LEAST_SUMS, min(_MOST_SUMS, n_entries // _ENTRIES_PER_SUM))
    return max(1, min(_MOST_TILES, n_obs // _LEAST_CELLS, most // max(n_genes, 1)))


@dataclass(frozen=True)
class Tiles:
    """Tiles of cells; the last one has the cells without coordinates or value, and is not in any polygon or range.

    edges : int64 (n_tiles,), position of the first cell of each tile but the last, and the number of their cells
    """

    index: SpatialIndex | ValueOrder
    edges: Integers

    @classmethod
    def of(cls, index: SpatialIndex | ValueOrder, most: int) -> Tiles:
        """Divide the cells of an index into at most this number of tiles, and one for cells that it lacks."""
        return cls(index, index.edges(most) if isinstance(index, ValueOrder) else _edges(index.tree, most))

    def __len__(self) -> int:
        return self.edges.size

    @cached_property
    def without_place(self) -> Integers:
        """Rows of cells without coordinates or value, int64."""
        has_place = np.zeros(self.index.n_obs, dtype=np.bool_)
        has_place[self.index.rows] = True
        return np.flatnonzero(~has_place)

    @property
    def n_cells(self) -> Integers:
        """Number of cells of each tile, int64 (n_tiles,)."""
        return np.append(np.diff(self.edges), self.index.n_obs - self.index.n)

    def of_rows(self) -> NDArray[np.int32]:
        """Return the tile of each row, int32 (n_obs,)."""
        tiles = np.full(self.index.n_obs, len(self) - 1, dtype=np.int32)
        tiles[self.index.rows] = np.repeat(np.arange(len(self) - 1, dtype=np.int32), np.diff(self.edges))
        return tiles

    def rows(self, tile: int) -> Integers:
        """Return the rows of a tile."""
        if tile == len(self) - 1:
            return self.without_place
        return self.index.rows[self.edges[tile] : self.edges[tile + 1]].astype(np.int64)

    def only(self, mask: NDArray[np.bool_]) -> Tiles:
        """Return the same tiles with some of the cells, bool (n_obs,)."""
        return Tiles(self.index.kept(mask), self._before(mask[self.index.rows])[self.edges])

    def count_in_polygon(self, polygon: NDArray[np.float64]) -> Integers:
        """Count the cells of each tile in a polygon (k, 2), int64 (n_tiles,)."""
        assert isinstance(self.index, SpatialIndex)
        inner, rim = self.index.split_by_polygon(polygon)
        # The number of places in inner runs before each edge.
        ends = np.concatenate([[0], np.cumsum(inner.sizes)])
        last = np.searchsorted(inner.starts, self.edges, side="right")
        into = np.zeros(len(self), dtype=np.int64)
        met = last > 0
        into[met] = np.maximum(inner.stops[last[met] - 1] - self.edges[met], 0)
        n_inner = np.diff(ends[last] - into)
        n_rim = np.diff(np.searchsorted(rim, self.edges))
        return np.append(n_inner + n_rim, 0)

    def count_in_range(self, low: float | None, high: float | None) -> Integers:
        """Count the cells of each tile from one value of the column to another, int64 (n_tiles,); None = open."""
        assert isinstance(self.index, ValueOrder)
        return np.append(np.diff(np.clip(self.edges, *self.index.span(low, high))), 0)

    def count_in_mask(self, mask: NDArray[np.bool_]) -> Integers:
        """Count the cells of each tile in a mask, bool (n_obs,), int64 (n_tiles,)."""
        n = np.diff(self._before(mask[self.index.rows])[self.edges])
        return np.append(n, np.count_nonzero(mask[self.without_place]))

    @staticmethod
    def _before(is_in: NDArray[np.bool_]) -> Integers:
        """Return the number of True before each place, and in total."""
        return np.concatenate([[0], np.cumsum(is_in, dtype=np.int64)])


def _edges(tree: Quadtree, most: int) -> Integers:
    """Split nodes until none has many more points than the average."""
    n = len(tree.xy)
    limit = n / most
    while True:
        starts, nodes = [np.zeros(0, dtype=np.int64)], tree.root()
        while len(nodes):
            is_small = (nodes.sizes <= limit) | (nodes.level == DEPTH)
            starts.append(nodes.starts[is_small])
            nodes, _ = tree.split(nodes[~is_small])
        found = np.sort(np.concatenate(starts))
        if found.size <= most:
            return np.append(found, n)
        limit *= 1.2
