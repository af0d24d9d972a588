"""Finds the points in a circle on the screen, which is an ellipse in data units."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cxg_widget.spatial.morton import DEPTH
from cxg_widget.spatial.quadtree import Quadtree
from cxg_widget.spatial.regions import LEAF, Found, Runs

_UNSURE = 1e-9
"""Squares with a smaller relative difference are compared by the distance itself, which is ten times slower."""


@dataclass(frozen=True)
class Circle:
    """A center and a radius in units of x.

    stretch : length of a unit of y in units of x
    """

    x: float
    y: float
    radius: float
    stretch: float = 1.0

    def holds(self, xy: NDArray[np.float32]) -> NDArray[np.bool_]:
        """Return which points (n, 2) are in it or on its rim, bool (n,)."""
        dx = xy[:, 0].astype(np.float64) - self.x
        dy = (xy[:, 1].astype(np.float64) - self.y) * self.stretch
        squares, limit = dx * dx + dy * dy, self.radius**2
        inside: NDArray[np.bool_] = squares <= limit
        unsure = np.flatnonzero(np.abs(squares - limit) <= limit * _UNSURE)
        inside[unsure] = np.hypot(dx[unsure], dy[unsure]) <= self.radius
        return inside

    def rows(self, xy: NDArray[np.float32]) -> NDArray[np.int64]:
        """Return the indices of points (n, 2) in it, int64 (k,), ascending; tests one axis first."""
        # Wider than the circle by the rounding error of the float32 differences.
        wide = self.radius * 1.001 + abs(self.x) * 1e-6
        high = self.radius / self.stretch * 1.001 + abs(self.y) * 1e-6
        near = np.flatnonzero(np.abs(xy[:, 0] - np.float32(self.x)) <= wide)
        near = near[np.abs(xy[near, 1] - np.float32(self.y)) <= high]
        rows: NDArray[np.int64] = near[self.holds(xy[near])]
        return rows


def runs_of_circle(tree: Quadtree, circle: Circle) -> Runs:
    """Return runs that cover the points of a circle; those that are not `inner` also have others."""
    nodes, found, limit = tree.root(), Found(), circle.radius**2
    while len(nodes):
        near, far = np.zeros(len(nodes)), np.zeros(len(nodes))
        for axis, tiles, at, stretch in zip(
            (tree.grid.x, tree.grid.y), nodes.tiles(), (circle.x, circle.y), (1.0, circle.stretch), strict=True
        ):
            low, high = axis.bounds(tiles, nodes.width)
            near += (np.maximum(np.maximum(low - at, at - high), 0) * stretch) ** 2
            far += (np.maximum(np.abs(low - at), np.abs(high - at)) * stretch) ** 2
        # Squares have rounding errors; nodes within the margin are tested point by point.
        met, inner = near <= limit * (1 + _UNSURE), far <= limit * (1 - _UNSURE)
        found.add(nodes[inner], inner=True)
        nodes = nodes[met & ~inner]
        leaf = (nodes.sizes <= LEAF) | (nodes.level == DEPTH)
        found.add(nodes[leaf], inner=False)
        nodes, _ = tree.split(nodes[~leaf])
    return found.runs()
