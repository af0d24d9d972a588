"""Exact and fast tests of which points are inside a polygon."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.errors import SelectionError

_GRID = 256
_FEW = 20_000
_AT_ONCE = 1 << 20
_TAME = 1e-100, 1e100


def as_polygon(corners: Any) -> NDArray[np.float64]:
    """Check a polygon and return it as float64 (k, 2)."""
    try:
        given = np.asarray(corners)
        is_numeric = given.dtype.kind in "iufO"  # neither booleans nor complex numbers, which would become floats
        polygon: NDArray[np.float64] | None = given.astype(np.float64) if is_numeric else None
    except (TypeError, ValueError, OverflowError):
        polygon = None
    if polygon is None:
        raise SelectionError("a polygon must be real numbers of shape (k, 2) in data units")
    if polygon.ndim != 2 or polygon.shape[1] != 2 or polygon.shape[0] < 3:
        raise SelectionError(f"a polygon must have shape (k, 2) with at least 3 corners; found {polygon.shape}")
    if not np.isfinite(polygon).all():
        raise SelectionError("a polygon must be finite; found NaN or infinity among its corners")
    return polygon


def in_polygon(xy: NDArray[np.float32], polygon: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which points are inside a polygon by the even-odd rule; points on an edge may be either.

    Parameters
    ----------
    xy : float32 (n, 2), data units; NaN and infinite points are outside
    polygon : float64 (k, 2), data units, closed implicitly, may cross itself

    Returns
    -------
    bool (n,)

    Notes
    -----
    The bounding box is divided into 256 x 256 tiles. A tile with no edge nearby is inside or outside as a whole; only
    points in the other tiles are tested edge by edge. Test per edge: Haines, "Point in polygon strategies",
    Graphics Gems IV (1994).
    """
    (x0, y0), (x1, y1) = polygon.min(axis=0), polygon.max(axis=0)
    x, y = xy[:, 0], xy[:, 1]
    candidates = np.flatnonzero((x >= x0) & (x <= x1) & (y >= y0) & (y <= y1))
    inside = np.zeros(xy.shape[0], dtype=np.bool_)
    near = xy[candidates].astype(np.float64)
    # Classifying 65,536 tiles costs more than it saves for few points.
    if candidates.size <= _FEW or not is_tame(polygon):
        inside[candidates] = _even_odd(near, polygon)
        return inside
    scale = _GRID / np.array([x1 - x0, y1 - y0])
    tiles = np.minimum(((near - (x0, y0)) * scale).astype(np.int32), _GRID - 1)
    grid = _classify_tiles((polygon - (x0, y0)) * scale)
    found = grid[tiles[:, 1], tiles[:, 0]]
    unsure = np.flatnonzero(found == _UNSURE)
    answer = found == _INSIDE
    answer[unsure] = _even_odd(near[unsure], polygon)
    inside[candidates] = answer
    return inside


def is_tame(polygon: NDArray[np.float64]) -> bool:
    """Return whether the edge test neither overflows nor underflows, so that tiles are reliable."""
    small, large = _TAME
    return bool(np.abs(polygon).max() < large and np.ptp(polygon, axis=0).min() > small)


def contains_each(xy: NDArray[np.float32], polygon: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which points are inside, bool (n,), as `in_polygon`, but one by one: slow for many points, always right.

    xy : float32 (n, 2), data units
    polygon : float64 (k, 2)
    """
    low, high = polygon.min(axis=0), polygon.max(axis=0)
    inside = np.empty(xy.shape[0], dtype=np.bool_)
    for start in range(0, xy.shape[0], _AT_ONCE):
        points = xy[start : start + _AT_ONCE].astype(np.float64)
        boxed = ((points >= low) & (points <= high)).all(axis=1)
        inside[start : start + _AT_ONCE] = _even_odd(points, polygon) & boxed
    return inside


_OUTSIDE, _INSIDE, _UNSURE = 0, 1, 2


def edges(polygon: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return start and end of each edge, float64 (k, 2) both."""
    return polygon, np.roll(polygon, -1, axis=0)


def crossing(ax: Any, ay: Any, bx: Any, by: Any, y: Any) -> Any:
    """Return the x where the edges a-b cross y; one formula for all, so that every path rounds alike."""
    return (bx - ax) * (y - ay) / (by - ay) + ax


def _even_odd(points: NDArray[np.float64], polygon: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Test float64 (n, 2) points edge by edge, each edge only against the points between its ends in y."""
    by_y = np.argsort(points[:, 1])
    x, y = points[by_y, 0], points[by_y, 1]
    odd = np.zeros(by_y.size, dtype=np.bool_)
    starts, ends = edges(polygon)
    # "left" at both ends makes edges half open: a point at the height of a corner meets one of its two edges.
    low = np.searchsorted(y, np.minimum(starts[:, 1], ends[:, 1]), side="left")
    high = np.searchsorted(y, np.maximum(starts[:, 1], ends[:, 1]), side="left")
    for (ax, ay), (bx, by), i, j in zip(starts, ends, low, high, strict=True):
        if j > i:
            odd[i:j] ^= x[i:j] < crossing(ax, ay, bx, by, y[i:j])
    answer = np.empty_like(odd)
    answer[by_y] = odd
    return answer


def _classify_tiles(polygon: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Classify the tiles, given the polygon in tile units: uint8 (256, 256), [iy, ix]."""
    centre = np.arange(_GRID) + 0.5
    middle = np.column_stack([np.tile(centre, _GRID), np.repeat(centre, _GRID)])
    grid = _even_odd(middle, polygon).astype(np.uint8).reshape(_GRID, _GRID)
    for (ax, ay), (bx, by) in zip(*edges(polygon), strict=True):
        _mark_near(grid, (ax, ay), (bx, by))
    return grid


def _mark_near(grid: NDArray[np.uint8], a: tuple[float, float], b: tuple[float, float]) -> None:
    """Mark as unsure every tile within one tile of the edge a-b, so that rounding cannot matter."""
    (ax, ay), (bx, by) = (a, b) if a[0] <= b[0] else (b, a)
    columns = np.arange(max(int(ax) - 1, 0), min(int(bx) + 2, _GRID))
    slope = (by - ay) / (bx - ax) if bx > ax else 0.0
    left = np.clip(columns - 1.0, ax, bx)
    right = np.clip(columns + 2.0, ax, bx)
    y_left, y_right = (ay + (left - ax) * slope, ay + (right - ax) * slope) if bx > ax else (ay, by)
    bottom = np.floor(np.minimum(y_left, y_right) - 1).astype(int) * np.ones_like(columns)
    top = np.floor(np.maximum(y_left, y_right) + 2).astype(int) * np.ones_like(columns)
    for column, low, high in zip(columns, np.maximum(bottom, 0), np.maximum(top, 0), strict=True):
        grid[low:high, column] = _UNSURE
