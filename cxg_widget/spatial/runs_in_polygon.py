"""From a polygon to ranges of places: those entirely inside, and those to test point by point."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from cxg_widget.spatial.morton import DEPTH
from cxg_widget.spatial.polygon import crossing, edges, is_tame
from cxg_widget.spatial.quadtree import Nodes, Quadtree
from cxg_widget.spatial.regions import LEAF, Found, Runs

# Limits the depth for lines that cross themselves everywhere. Random chords between 300 corners still take 2.3 s and
# 0.2 GB (decision 10).
_MAX_PAIRS = 500_000
_ROUNDING = 1e-14
_FLAT = 1e-150


def runs_of_polygon(tree: Quadtree, polygon: NDArray[np.float64]) -> Runs:
    """Return runs that cover the points inside a polygon (float64 (k, 2), even-odd rule).

    Notes
    -----
    A node whose box no edge touches is inside or outside as a whole, as its first point is. Only the edges at its
    height that are not left of it matter. Boxes and edges are widened by more than the rounding error, so that the
    answer equals that of testing each point.
    """
    found = Found()
    nodes = tree.root()
    if not is_tame(polygon):
        found.add(nodes, inner=False)
        return found.runs()
    lines = _Lines.of(polygon)
    pairs = _Pairs(np.zeros(len(polygon), dtype=np.int64), np.arange(len(polygon)))
    while len(nodes):
        pairs, touched = _meet(tree, nodes, lines, pairs)
        inside = _first_points_inside(tree, nodes, lines, pairs)
        found.add(nodes[inside & ~touched], inner=True)
        done = (nodes.sizes <= LEAF) | (nodes.level == DEPTH) | (len(pairs) > _MAX_PAIRS)
        found.add(nodes[touched & done], inner=False)
        split = np.flatnonzero(touched & ~done)
        children, parents = tree.split(nodes[split])
        pairs = pairs.handed_down(split[parents], len(nodes))
        nodes = children
    return found.runs()


@dataclass(frozen=True)
class _Lines:
    """The edges of a polygon, from (ax, ay) to (bx, by), float64 (k,) each.

    left, right : x that no computed crossing ever passes
    slack : more than the rounding error of the x of a crossing
    """

    ax: NDArray[np.float64]
    ay: NDArray[np.float64]
    bx: NDArray[np.float64]
    by: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    left: NDArray[np.float64]
    right: NDArray[np.float64]
    slack: NDArray[np.float64]

    @classmethod
    def of(cls, polygon: NDArray[np.float64]) -> _Lines:
        """Return the edges of a polygon."""
        (ax, ay), (bx, by) = (ends.T for ends in edges(polygon))
        slack = _ROUNDING * (np.abs(ax) + np.abs(bx))
        left, right = np.minimum(ax, bx) - slack, np.maximum(ax, bx) + slack
        return cls(ax, ay, bx, by, np.minimum(ay, by), np.maximum(ay, by), left, right, slack)

    def __getitem__(self, which: NDArray[np.int64]) -> _Lines:
        return _Lines(*(getattr(self, field.name)[which] for field in fields(self)))

    def reach(self, y0: NDArray[np.float64], y1: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
        """Return the lowest and highest x of each between two heights, both (k,)."""
        # The crossing divides by the height of the edge, which would overflow.
        flat = self.high - self.low < _FLAT
        with np.errstate(divide="ignore", invalid="ignore"):
            one = crossing(self.ax, self.ay, self.bx, self.by, np.clip(y0, self.low, self.high))
            other = crossing(self.ax, self.ay, self.bx, self.by, np.clip(y1, self.low, self.high))
        least = np.where(flat, self.left, np.minimum(one, other) - self.slack)
        return least, np.where(flat, self.right, np.maximum(one, other) + self.slack)


@dataclass(frozen=True)
class _Pairs:
    """Pairs of nodes and the edges that matter to them: int64 (p,) both, ascending by node."""

    node: NDArray[np.int64]
    edge: NDArray[np.int64]

    def __len__(self) -> int:
        return self.node.size

    def handed_down(self, parents: NDArray[np.int64], n_nodes: int) -> _Pairs:
        """Return the pairs of the children of nodes: each child has its parent's edges."""
        counts = np.bincount(self.node, minlength=n_nodes)
        first = np.cumsum(counts) - counts
        each = counts[parents]
        before = np.cumsum(each) - each
        at = np.arange(int(each.sum())) + np.repeat(first[parents] - before, each)
        return _Pairs(np.repeat(np.arange(parents.size), each), self.edge[at])


def _meet(tree: Quadtree, nodes: Nodes, lines: _Lines, pairs: _Pairs) -> tuple[_Pairs, NDArray[np.bool_]]:
    """Keep the pairs whose edge is at the height of the node and not left of it; return which nodes an edge touches."""
    x, y = nodes.tiles()
    x0, x1 = tree.grid.x.bounds(x, nodes.width)
    y0, y1 = tree.grid.y.bounds(y, nodes.width)
    node, edge = pairs.node, pairs.edge
    kept = (lines.high[edge] >= y0[node]) & (lines.low[edge] <= y1[node]) & (lines.right[edge] >= x0[node])
    node, edge = node[kept], edge[kept]
    least, greatest = lines[edge].reach(y0[node], y1[node])
    touched = np.zeros(len(nodes), dtype=np.bool_)
    touched[node[(least <= x1[node]) & (greatest >= x0[node])]] = True
    return _Pairs(node, edge), touched


def _first_points_inside(tree: Quadtree, nodes: Nodes, lines: _Lines, pairs: _Pairs) -> NDArray[np.bool_]:
    """Return whether the first point of each node is inside."""
    x, y = tree.xy[nodes.starts].astype(np.float64)[pairs.node].T
    near = lines[pairs.edge]
    crossed = np.flatnonzero((y >= near.low) & (y < near.high))
    near = near[crossed]
    left = x[crossed] < crossing(near.ax, near.ay, near.bx, near.by, y[crossed])
    # An odd number of edges to the right of the point: inside.
    inside: NDArray[np.bool_] = np.bincount(pairs.node[crossed[left]], minlength=len(nodes)) % 2 == 1
    return inside
