"""The implicit quadtree of points in Morton order: a node is a range of places."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cxg_widget.spatial.morton import DEPTH, TileGrid, compact

_POINTS_PER_TILE = 8
_MAX_LEVEL = 11
_FEW, _PARTS_OF_FEW = 64, 32
"""Up to this many searches are split into more parts than two: a call takes longer than its work."""


def offsets_level(n: int) -> int:
    """Return the level whose tiles have a few points each on average: at most 4 M tiles."""
    return int(min(max(np.log2(max(n, 1) / _POINTS_PER_TILE) / 2, 0), _MAX_LEVEL))


@dataclass(frozen=True)
class Nodes:
    """Nodes of one level, in Morton order.

    level : 0 is the root, DEPTH are single tiles
    codes : int64 (m,), the first 2 * level bits of the codes of their points
    starts, stops : int64 (m,), their places [start, stop)
    """

    level: int
    codes: NDArray[np.int64]
    starts: NDArray[np.int64]
    stops: NDArray[np.int64]

    def __len__(self) -> int:
        return self.codes.size

    def __getitem__(self, which: NDArray[np.bool_] | NDArray[np.int64]) -> Nodes:
        return Nodes(self.level, self.codes[which], self.starts[which], self.stops[which])

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Number of points in each node."""
        return self.stops - self.starts

    @property
    def width(self) -> int:
        """Number of tiles along a side."""
        return 1 << (DEPTH - self.level)

    def tiles(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the first tile of each node along x and along y."""
        codes = self.codes << (2 * (DEPTH - self.level))
        return compact(codes), compact(codes >> 1)


@dataclass(frozen=True)
class Quadtree:
    """Points in Morton order, and the starts of the tiles of one level.

    xy : float32 (n, 2), finite, in Morton order
    offsets : unsigned (4**level + 1,), the first place of each tile of that level
    """

    grid: TileGrid
    xy: NDArray[np.float32]
    offsets: NDArray[np.uint32] | NDArray[np.int64]

    @property
    def level(self) -> int:
        """The level of the offsets; below it nodes are found by bisection."""
        return (self.offsets.size - 1).bit_length() // 2

    def root(self) -> Nodes:
        """Return the node of all points; none without points."""
        stops = np.array([len(self.xy)] if len(self.xy) else [], dtype=np.int64)
        return Nodes(0, np.zeros_like(stops), np.zeros_like(stops), stops)

    def split(self, nodes: Nodes) -> tuple[Nodes, NDArray[np.int64]]:
        """Return the children with points, in Morton order, and the index of their parents."""
        level = nodes.level + 1
        codes = (nodes.codes[:, None] << 2) | np.arange(4)
        edges = np.empty((len(nodes), 5), dtype=np.int64)
        edges[:, 0], edges[:, 4] = nodes.starts, nodes.stops
        if level <= self.level:
            edges[:, 1:4] = self.offsets[codes[:, 1:] << (2 * (self.level - level))]
        else:
            edges[:, 1:4] = self._bisect(nodes, codes[:, 1:] << (2 * (DEPTH - level)))
        children = Nodes(level, codes.ravel(), edges[:, :4].ravel(), edges[:, 1:].ravel())
        kept = np.flatnonzero(children.stops > children.starts)
        return children[kept], kept >> 2

    def _bisect(self, nodes: Nodes, codes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the first place whose code is not below `codes` (m, 3), within each node."""
        low = np.repeat(nodes.starts, 3)
        high = np.repeat(nodes.stops, 3)
        wanted = codes.ravel()
        open_ = np.flatnonzero(low < high)
        while open_.size:
            n = _PARTS_OF_FEW if open_.size <= _FEW else 2
            at, span = low[open_], (high - low)[open_]
            cuts = at[:, None] + span[:, None] * np.arange(1, n) // n
            # Codes of the few points that a bisection meets are recomputed: storing them takes 4 bytes a cell (decision
            # 10).
            below = self.grid.codes(self.xy[cuts.ravel()]).reshape(cuts.shape) < wanted[open_, None]
            edges = np.column_stack([at - 1, cuts, at + span])
            n_below = below.sum(axis=1)
            low[open_] = edges[np.arange(open_.size), n_below] + 1
            high[open_] = edges[np.arange(open_.size), n_below + 1]
            open_ = open_[low[open_] < high[open_]]
        return low.reshape(codes.shape)
