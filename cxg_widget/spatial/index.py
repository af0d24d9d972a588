"""The spatial index of an embedding: points in a view or polygon, nearest point."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from cxg_widget.spatial.build import Progress, Sorted, sort_points
from cxg_widget.spatial.fingerprint import fingerprint
from cxg_widget.spatial.morton import DEPTH
from cxg_widget.spatial.polygon import contains_each
from cxg_widget.spatial.quadtree import Quadtree
from cxg_widget.spatial.regions import Runs, ordered, runs_of_view
from cxg_widget.spatial.runs_in_polygon import runs_of_polygon
from cxg_widget.spatial.view import Extent

_DETAIL = 1024
_SHARES_OF_RADIUS = (1 / 64, 1 / 16, 1 / 4, 1)
_MANY = 256
_AT_ONCE = 1 << 20
_ABOUT = 1 + 1e-9

_Test = Callable[[NDArray[np.int64]], NDArray[np.bool_]]

_CROWD = 4_096
"""Number of points at one place that a search for near points visits only once."""


class SpatialIndex:
    """Points in Morton order; a *place* is an index in that order, a *row* one in the dataset.

    n_obs : rows of the embedding, including those without finite coordinates
    rows : uint32 (n,), rows with finite coordinates, in Morton order
    xy : float32 (n, 2), their coordinates, data units
    extent : x0, x1, y0, y1 of the finite coordinates; zeros if there are none
    tree : the quadtree over `xy`
    fingerprint : hash of the embedding
    """

    def __init__(self, n_obs: int, rows: NDArray[np.uint32], tree: Quadtree, extent: Extent, fingerprint: str) -> None:
        self.n_obs = n_obs
        self.rows = rows
        self.tree = tree
        self.xy = tree.xy
        self.extent = extent
        self.fingerprint = fingerprint
        self._places: NDArray[np.uint32] | None = None
        self._crowds: Runs | None = None
        self._lock = Lock()

    @classmethod
    def build(
        cls,
        xy: NDArray[np.float32],
        *,
        progress: Progress | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> SpatialIndex:
        """Build the index of an embedding, float32 (n_obs, 2), without NaN and infinite points.

        progress : called with the finished share, 0..1, in the thread of the caller
        cancelled : called repeatedly; True cancels

        Raises `Cancelled` if `cancelled()` returned True, `InvalidValue` if there are more points than 32 bits can
        number.
        """
        found: Sorted = sort_points(xy, progress, cancelled)
        return cls(len(xy), found.rows, found.tree, found.extent, fingerprint(xy))

    @property
    def n(self) -> int:
        """Number of points, all finite."""
        return self.rows.size

    @property
    def places(self) -> NDArray[np.uint32]:
        """The place of each row, uint32 (n_obs,); 4294967295 if the row has no finite coordinates."""
        with self._lock:
            # 4 bytes a cell, made on demand.
            if self._places is None:
                places = np.full(self.n_obs, np.iinfo(np.uint32).max, dtype=np.uint32)
                places[self.rows] = np.arange(self.n, dtype=np.uint32)
                self._places = places
            return self._places

    @property
    def crowds(self) -> Runs:
        """Runs of many points at one place each."""
        with self._lock:
            if self._crowds is None:
                self._crowds = _crowds_of(self.tree)
            return self._crowds

    def kept(self, mask: NDArray[np.bool_]) -> SpatialIndex:
        """Return the index of some rows, bool (n_obs,), with the same tiles and extent, without sorting."""
        is_kept = mask[self.rows]
        places = np.flatnonzero(is_kept)
        # The tiles start at the number of kept points before each place. An index of the kept cells takes 12 bytes a
        # cell, and no loop needs to know about filters (decision 33).
        before = np.zeros(self.n + 1, dtype=self.tree.offsets.dtype)
        np.cumsum(is_kept, out=before[1:])
        tree = Quadtree(self.tree.grid, self.xy.take(places, axis=0), before[self.tree.offsets])
        return SpatialIndex(self.n_obs, self.rows[places], tree, self.extent, "")

    def runs(self, view: Sequence[float]) -> Runs:
        """Return few runs of places that cover a view: x0, x1, y0, y1 in data units, in either order.

        Runs that are not `inner` also have points outside of the view, at most about a tenth of all.
        """
        return runs_of_view(self.tree, view, detail=_DETAIL)

    def count(self, view: Sequence[float]) -> int:
        """Count the points with x0 <= x <= x1 and y0 <= y <= y1 exactly."""
        runs = runs_of_view(self.tree, view)
        unsure = self._resolve(runs.only(inner=False), lambda places: self._in_view(places, view))
        return int(runs.only(inner=True).sizes.sum()) + sum(places.size for places in unsure)

    def split(self, view: Sequence[float]) -> tuple[Runs, NDArray[np.uint32]]:
        """Return runs of places entirely in a view, and the places of all other points in it, ascending."""
        runs = runs_of_view(self.tree, view)
        rim = self._resolve(runs.only(inner=False), lambda places: self._in_view(places, view))
        return runs.only(inner=True), _joined(rim)

    def rows_in(self, view: Sequence[float], limit: int | None = None) -> NDArray[np.uint32]:
        """Return the first `limit` places of the points of a view, exactly, ascending."""
        found = self._resolve(runs_of_view(self.tree, view), lambda places: self._in_view(places, view))
        if limit is None:
            return _joined(found)
        parts, n_found = [], 0
        while n_found < limit and (part := next(found, None)) is not None:
            parts.append(part[: limit - n_found])
            n_found += parts[-1].size
        return _joined(parts)

    def polygon_places(self, polygon: NDArray[np.float64]) -> NDArray[np.uint32]:
        """Return the places of the points in a polygon, float64 (k, 2), ascending, as `in_polygon` decides."""
        return _joined(self._resolve(runs_of_polygon(self.tree, polygon), self._polygon_test(polygon)))

    def split_by_polygon(self, polygon: NDArray[np.float64]) -> tuple[Runs, NDArray[np.uint32]]:
        """Return runs of places entirely in a polygon, and the places of all other points in it, ascending."""
        runs = runs_of_polygon(self.tree, polygon)
        rim = self._resolve(runs.only(inner=False), self._polygon_test(polygon))
        return runs.only(inner=True), _joined(rim)

    def polygon_mask(self, polygon: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which rows are in a polygon, bool (n_obs,), identical to `in_polygon` over the embedding."""
        mask = np.zeros(self.n_obs, dtype=np.bool_)
        runs = runs_of_polygon(self.tree, polygon)
        inner = runs.only(inner=True)
        for places in self._resolve(runs.only(inner=False), self._polygon_test(polygon)):
            mask[self.rows[places]] = True
        # A long run is a slice of rows. Short ones are joined into one look-up, since each slice costs a call.
        long_ = inner.sizes >= _MANY
        for start, stop in zip(inner.starts[long_], inner.stops[long_], strict=True):
            mask[self.rows[start:stop]] = True
        mask[self.rows[Runs(inner.starts[~long_], inner.stops[~long_], inner.inner[~long_]).places()]] = True
        return mask

    def nearest(
        self,
        x: float,
        y: float,
        radius: float,
        allowed: _Test | None = None,
        *,
        stretch: float = 1.0,
    ) -> int | None:
        """Return the place of the nearest allowed point within a radius; None if there is none.

        x, y : data units
        radius : units of x
        allowed : returns for places, int64 (m,), which of them count, bool (m,)
        stretch : length of a unit of y in units of x, for axes of different scales
        """
        if not (math.isfinite(x) and math.isfinite(y) and radius >= 0) or not self.n:
            return None
        reach = min(radius, self._farthest(x, y, stretch))
        # Small circles first: the whole radius may contain a large part of all points.
        for share in _SHARES_OF_RADIUS:
            found = self._nearest_within((x, y), reach * share, stretch, allowed)
            if found is not None:
                return found
        return None

    def _farthest(self, x: float, y: float, stretch: float) -> float:
        x0, x1, y0, y1 = self.extent
        return 1.001 * math.hypot(max(abs(x - x0), abs(x - x1)), stretch * max(abs(y - y0), abs(y - y1)))

    def _nearest_within(
        self, center: tuple[float, float], radius: float, stretch: float, allowed: _Test | None
    ) -> int | None:
        # A little wider than the circle, because of rounding.
        (x, y), margin = center, radius * 1.001
        wide, high = margin + abs(x) * 1e-14, margin / stretch + abs(y) * 1e-14
        runs = runs_of_view(self.tree, (x - wide, x + wide, y - high, y + high))
        places = runs.singled(self.crowds).places()  # the first of many at one place represents all
        points = self.xy.take(places, axis=0).astype(np.float64)
        points -= x, y
        points[:, 1] *= stretch
        # Squares discard far points, the exact distance decides the rest: hypot takes ten times as long.
        squares = np.einsum("ij,ij->i", points, points)
        close = np.flatnonzero(squares <= radius * radius * _ABOUT)
        if allowed is not None and close.size:
            # Only for close points, since `allowed` may read columns.
            places[close] = self._first_allowed(places[close], allowed)
            close = close[places[close] >= 0]
        close = close[squares[close] <= squares[close].min(initial=np.inf) * _ABOUT]
        distance = np.hypot(points[close, 0], points[close, 1])
        best = int(np.argmin(distance)) if close.size else 0
        return int(places[close[best]]) if close.size and distance[best] <= radius else None

    def _first_allowed(self, places: NDArray[np.int64], allowed: _Test) -> NDArray[np.int64]:
        """Return the allowed places, -1 for others; for the first of a crowd, the first allowed one of it."""
        found, crowds = np.where(allowed(places), places, -1), self.crowds
        for i in np.flatnonzero(found < 0):
            at = np.searchsorted(crowds.starts, places[i])
            if at < len(crowds) and crowds.starts[at] == places[i]:
                found[i] = next(self._allowed_in(int(places[i]), int(crowds.stops[at]), allowed), -1)
        return found

    @staticmethod
    def _allowed_in(start: int, stop: int, allowed: _Test) -> Iterator[int]:
        for first in range(start, stop, _AT_ONCE):
            places = np.arange(first, min(first + _AT_ONCE, stop))
            yield from places[allowed(places)]

    def _in_view(self, places: NDArray[np.int64], view: Sequence[float]) -> NDArray[np.bool_]:
        x0, x1, y0, y1 = ordered(view)
        x, y = self.xy[places].astype(np.float64).T
        inside: NDArray[np.bool_] = (x >= x0) & (x <= x1) & (y >= y0) & (y <= y1)
        return inside

    def _polygon_test(self, polygon: NDArray[np.float64]) -> _Test:
        return lambda places: contains_each(self.xy[places], polygon)

    def _resolve(self, runs: Runs, test: _Test) -> Iterator[NDArray[np.uint32]]:
        """Yield the places of runs whose unsure points pass a test, in blocks, ascending."""
        for block in runs.blocks(_AT_ONCE):
            places = block.places()
            unsure = np.flatnonzero(~np.repeat(block.inner, block.sizes))
            kept = np.ones(places.size, dtype=np.bool_)
            kept[unsure] = test(places[unsure])
            yield places[kept].astype(np.uint32)


def _joined(parts: Iterable[NDArray[np.uint32]]) -> NDArray[np.uint32]:
    return np.concatenate([np.empty(0, dtype=np.uint32), *parts])


def _crowds_of(tree: Quadtree) -> Runs:
    """Return runs of `_CROWD` or more places whose points all have exactly the same coordinates."""
    nodes = tree.root()
    # Points at one place share their tile at every level: a node with fewer points contains no crowd.
    while len(nodes := nodes[nodes.sizes >= _CROWD]) and nodes.level < DEPTH:
        nodes, _ = tree.split(nodes)
    none = np.empty(0, dtype=np.int64)
    found = [_alike(tree.xy, start, stop) for start, stop in zip(nodes.starts, nodes.stops, strict=True)]
    starts, stops = (np.concatenate([none, *edges]) for edges in zip((none, none), *found, strict=True))
    return Runs(starts, stops, np.ones(starts.size, dtype=np.bool_))


def _alike(xy: NDArray[np.float32], start: int, stop: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return starts and stops of long runs of equal points among start <= place < stop."""
    changes = [np.array([start])]
    for first in range(start, stop - 1, _AT_ONCE):
        last = min(first + _AT_ONCE, stop - 1)
        differ = (xy[first:last] != xy[first + 1 : last + 1]).any(axis=1)
        changes.append(first + 1 + np.flatnonzero(differ))
    edges = np.append(np.concatenate(changes), stop)
    is_long = np.diff(edges) >= _CROWD
    return edges[:-1][is_long], edges[1:][is_long]
