"""Views: the visible part of the plane for a picture of some size, in data units."""
# Changes with js/src/screen/camera.js: the view that shows everything.

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

View = tuple[float, float, float, float]
"""x left, x right, y bottom, y top in data units; bottom exceeds top on a flipped axis."""
Extent = tuple[float, float, float, float]
"""x0, x1, y0, y1 in data units, ascending."""
_MARGIN = 0.04


def fit_view(
    extent: Extent,
    size: tuple[float, float],
    *,
    y_down: bool = False,
    equal_units: bool = True,
) -> View:
    """Return the view of an extent with a margin of 4 %, as `fit` in js/src/screen/camera.js does.

    equal_units : whether both axes have the same scale; else the extent fills the picture both ways
    """
    left, right, bottom, top = contain(extent, size, y_down=y_down, equal_units=equal_units)
    more_x, more_y = (right - left) * _MARGIN, (top - bottom) * _MARGIN
    return left - more_x, right + more_x, bottom - more_y, top + more_y


def room_around(extent: Extent, whole: Extent, *, y_down: bool = False) -> View:
    """Return the view of an extent with a margin of 4 %, each axis at least a hundredth as long as that of `whole`."""
    x0, x1, y0, y1 = extent
    half = [max(b - a, (d - c) / 100, _speck((a + b) / 2) * 1e-6) * (0.5 + _MARGIN)
            for a, b, c, d in ((x0, x1, *whole[:2]), (y0, y1, *whole[2:]))]  # fmt: skip
    x, y = (x0 + x1) / 2, (y0 + y1) / 2
    low, high = y - half[1], y + half[1]
    return x - half[0], x + half[0], *((high, low) if y_down else (low, high))


def contain(
    view: View,
    size: tuple[float, float],
    *,
    y_down: bool = False,
    equal_units: bool = True,
) -> View:
    """Return the smallest view for a picture size that contains a view, as `contain` in js/src/screen/camera.js.

    view : x left, x right, y bottom, y top; the direction of the y axis does not depend on it
    """
    x0, x1, y0, y1 = view
    width, height = size
    unit_x, unit_y = abs(x1 - x0) / width, abs(y1 - y0) / height
    # Halved before adding, since the sum may overflow.
    cx, cy = x0 / 2 + x1 / 2, y0 / 2 + y1 / 2
    if equal_units:
        unit_x = unit_y = max(unit_x, unit_y) or max(_speck(cx), _speck(cy)) / min(width, height)
    half_w, half_h = (unit_x or _speck(cx) / width) * width / 2, (unit_y or _speck(cy) / height) * height / 2
    bottom, top = (cy + half_h, cy - half_h) if y_down else (cy - half_h, cy + half_h)
    return cx - half_w, cx + half_w, bottom, top


def _speck(at: float) -> float:
    """Return the length of axis to show around points at one place: 1, or the least that floats there can resolve."""
    return max(1.0, abs(at) * 2**-20)


def union(extents: Sequence[Extent]) -> Extent:
    """Return the smallest extent that contains all of these; zeros if there are none."""
    if not extents:
        return 0.0, 0.0, 0.0, 0.0
    x0, x1, y0, y1 = zip(*extents, strict=True)
    return min(x0), max(x1), min(y0), max(y1)


def within(xy: NDArray[np.float32], view: View) -> NDArray[np.bool_]:
    """Return which points (n, 2) are in a view, bool (n,)."""
    (x0, x1), (y0, y1) = sorted(view[:2]), sorted(view[2:])
    return (xy[:, 0] >= x0) & (xy[:, 0] <= x1) & (xy[:, 1] >= y0) & (xy[:, 1] <= y1)


def zoom_of(seen: View, whole: View) -> float:
    """Return the zoom of one view relative to another; if the axes differ, their geometric mean."""
    x, y = ((whole[high] - whole[low]) / (seen[high] - seen[low]) for low, high in ((0, 1), (2, 3)))
    return math.sqrt(abs(x * y))
