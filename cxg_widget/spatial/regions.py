"""From a view to ranges of places: those entirely inside, and those to test point by point."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cxg_widget.spatial.morton import DEPTH, Axis
from cxg_widget.spatial.quadtree import Nodes, Quadtree
from cxg_widget.spatial.view import Extent

LEAF = 64
"""Nodes with up to this many points are tested, not split."""


@dataclass(frozen=True)
class Runs:
    """Ranges of places, ascending, that together contain every point of a region.

    starts, stops : int64 (m,), places [start, stop)
    inner : bool (m,), whether all points of the run are in the region
    """

    starts: NDArray[np.int64]
    stops: NDArray[np.int64]
    inner: NDArray[np.bool_]

    def __len__(self) -> int:
        return self.starts.size

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Number of points in each, int64 (m,)."""
        return self.stops - self.starts

    def only(self, *, inner: bool) -> Runs:
        """Return those entirely inside, or the others."""
        kept = self.inner == inner
        return Runs(self.starts[kept], self.stops[kept], self.inner[kept])

    def singled(self, crowds: Runs) -> Runs:
        """Return them with only the first place of each crowd, which is inside one run or none."""
        inside = np.searchsorted(self.starts, crowds.starts, side="right") - 1
        met = (inside >= 0) & (crowds.starts < self.stops[inside]) if len(self) else np.zeros(len(crowds), np.bool_)
        starts = np.sort(np.concatenate([self.starts, crowds.stops[met]]))
        stops = np.sort(np.concatenate([self.stops, crowds.starts[met] + 1]))
        return Runs(starts, stops, self.inner[np.searchsorted(self.starts, starts, side="right") - 1])

    def blocks(self, most: int) -> Iterator[Runs]:
        """Yield the same places, ascending, as runs of at most `most` points in total."""
        ends = np.cumsum(self.sizes)
        total = int(ends[-1]) if ends.size else 0
        for start in range(0, total, most):
            stop = min(start + most, total)
            first, last = np.searchsorted(ends, start, side="right"), np.searchsorted(ends, stop, side="left")
            met = slice(first, last + 1)
            starts, stops = self.starts[met].copy(), self.stops[met].copy()
            starts[0] = self.stops[first] - (ends[first] - start)
            stops[-1] -= ends[last] - stop
            yield Runs(starts, stops, self.inner[met])

    def places(self) -> NDArray[np.int64]:
        """Return every place of the runs, int64, ascending."""
        sizes = self.sizes
        before = np.cumsum(sizes) - sizes
        places: NDArray[np.int64] = np.arange(int(sizes.sum())) + np.repeat(self.starts - before, sizes)
        return places


class Found:
    """Collects final nodes."""

    def __init__(self) -> None:
        self._parts: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]] = []

    def add(self, nodes: Nodes, *, inner: bool) -> None:
        """Add nodes that are entirely inside, or that must be tested."""
        if len(nodes):
            self._parts.append((nodes.starts, nodes.stops, np.full(len(nodes), inner)))

    def runs(self) -> Runs:
        """Return them as runs, ascending, with neighbors of the same kind joined."""
        if not self._parts:
            none = np.empty(0, dtype=np.int64)
            return Runs(none, none, np.empty(0, dtype=np.bool_))
        starts, stops, inner = (np.concatenate(column) for column in zip(*self._parts, strict=True))
        order = np.argsort(starts)
        starts, stops, inner = starts[order], stops[order], inner[order]
        new = np.ones(starts.size, dtype=np.bool_)
        new[1:] = (starts[1:] != stops[:-1]) | (inner[1:] != inner[:-1])
        last = np.append(np.flatnonzero(new)[1:] - 1, starts.size - 1)
        return Runs(starts[new], stops[last], inner[new])


def ordered(view: Sequence[float]) -> Extent:
    """Return x0 <= x1, y0 <= y1 of a view in either order; both are NaN if one is."""
    x0, x1, y0, y1 = (float(v) for v in view)
    low, high = np.minimum((x0, y0), (x1, y1)), np.maximum((x0, y0), (x1, y1))
    return float(low[0]), float(high[0]), float(low[1]), float(high[1])


def runs_of_view(tree: Quadtree, view: Sequence[float], *, detail: int | None = None) -> Runs:
    """Return runs that cover the points with x0 <= x <= x1 and y0 <= y <= y1.

    view : x0, x1, y0, y1 in data units, in either order; NaN contains nothing
    detail : do not split nodes with less than one in `detail` of the points met; None: split down to leaves
    """
    x0, x1, y0, y1 = ordered(view)
    x_span, y_span = _tile_span(tree.grid.x, x0, x1), _tile_span(tree.grid.y, y0, y1)
    found = Found()
    if x_span is None or y_span is None:
        return found.runs()
    nodes, n_inner = tree.root(), 0
    while len(nodes):
        x, y = nodes.tiles()
        met = x_span.meets(x, nodes.width) & y_span.meets(y, nodes.width)
        inner = met & x_span.encloses(x, nodes.width) & y_span.encloses(y, nodes.width)
        found.add(nodes[inner], inner=True)
        n_inner += int(nodes[inner].sizes.sum())
        nodes = nodes[met & ~inner]
        # An image needs few runs, and tests each point anyway; only exact answers go down to the leaves.
        small = (n_inner + int(nodes.sizes.sum())) // detail if detail else 0
        leaf = (nodes.sizes <= max(LEAF, small)) | (nodes.level == DEPTH)
        found.add(nodes[leaf], inner=False)
        nodes, _ = tree.split(nodes[~leaf])
    return found.runs()


@dataclass(frozen=True)
class _TileSpan:
    """Tiles first..last contain everything between two coordinates; those between `low` and `high` nothing else."""

    first: int
    last: int
    low: int
    high: int

    def meets(self, tiles: NDArray[np.int64], width: int) -> NDArray[np.bool_]:
        """Return whether any of the tiles [t, t + width) is among them."""
        met: NDArray[np.bool_] = (tiles <= self.last) & (tiles + width > self.first)
        return met

    def encloses(self, tiles: NDArray[np.int64], width: int) -> NDArray[np.bool_]:
        """Return whether all points of the tiles [t, t + width) are certainly between the coordinates."""
        enclosed: NDArray[np.bool_] = (tiles > self.low) & (tiles + width <= self.high)
        return enclosed


def _tile_span(axis: Axis, low: float, high: float) -> _TileSpan | None:
    """Return the tiles of low..high; None if no point can be there."""
    if not (low <= axis.high and high >= axis.low):
        return None
    # tile(v) is monotone, so tile(a) < tile(b) proves a < b without a tolerance (decision 10). The tile of an end
    # proves nothing, unless the view extends beyond the last point there.
    first, last = (int(tile) for tile in axis.tile(np.clip([low, high], axis.low, axis.high)))
    return _TileSpan(first, last, -1 if low <= axis.low else first, 1 << DEPTH if high >= axis.high else last)
