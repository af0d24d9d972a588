"""Draws points like `discs.draw`, but without a compiled loop, so that the first picture is fast."""
# Changes with cxg_widget/draw/points/discs.py: which pixels a point covers, and which point lies on top.

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cxg_widget.draw.points.inks import EDGE

SQUARE_PX = 3
"""Largest diameter, in px, of points drawn as squares."""
_LOW = (1 << 32) - 1
_OPAQUE = -60.0
"""Logarithm of the transmittance of an opaque pixel: practically 0."""


class Points(NamedTuple):
    """Points in draw order.

    x, y : float64 (n,), px from the top left
    rgba, height : uint8 (n, 4), opaque, and uint32 (n,), as in `Inks`
    diameter : float64 (n,), px; () = one for all points
    """

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    rgba: NDArray[np.uint8]
    height: NDArray[np.uint32]
    diameter: NDArray[np.float64]

    @property
    def is_round(self) -> NDArray[np.bool_]:
        """Which points are discs, not squares."""
        return np.asarray(self.diameter > SQUARE_PX)

    @property
    def radius(self) -> NDArray[np.float64]:
        """Radius of each point in px, including its soft edge."""
        return np.asarray((self.diameter + self.is_round) / 2)

    def take(self, which: NDArray[np.integer[Any]]) -> Points:
        """Return the points at these indices."""
        return Points(self.x[which], self.y[which], self.rgba[which], self.height[which], _at(self.diameter, which))


def draw(points: Points, brush: tuple[bool, float], page: NDArray[np.uint8]) -> None:
    """Draw points onto an empty page, uint8 (h, w, 4), straight alpha.

    brush : as in `discs.draw`
    """
    is_layered, opacity = brush
    if opacity == 1 and not points.is_round.any():
        _cover(points, is_layered, page)
    else:
        _blend(points, brush, page)


def _cover(points: Points, is_layered: bool, page: NDArray[np.uint8]) -> None:
    """Draw opaque squares: each pixel gets the color of its topmost point, since that hides the others."""
    if is_layered:
        points = points.take(np.sort(points.height.astype(np.int64) << 32 | np.arange(points.x.size)) & _LOW)
    # Viewing the four channels as one uint32 takes one look-up per pixel; the last entry, -1, is an empty pixel.
    colors = np.append(points.rgba.view(np.uint32)[:, 0], np.uint32(0))
    n = page.shape[0] * page.shape[1]
    top, one = np.full(n, -1, dtype=np.int32), np.empty(n, dtype=np.int32)
    for which, at in _pixels(points, page.shape):
        one.fill(-1)
        # For a repeated index NumPy keeps the last value, which is the topmost point.
        one[at] = which
        np.maximum(top, one, out=top)
    page.reshape(n, 4).view(np.uint32)[:, 0] = colors[top]


def _blend(points: Points, brush: tuple[bool, float], page: NDArray[np.uint8]) -> None:
    """Draw translucent points or points with soft edges: blends all layers of a pixel at once, from the bottom up."""
    is_layered, opacity = brush
    # Pixel and point in one integer: NumPy sorts these three times as fast as by two keys.
    layers = [(at.astype(np.int64) << 32) | which for which, at in _pixels(points, page.shape)]
    layer = np.sort(np.concatenate(layers)) if layers else np.empty(0, dtype=np.int64)
    at, which = layer >> 32, layer & _LOW
    if not (is_layered or points.is_round.any()):
        _blend_alike(at, points.rgba[which], np.floor(opacity * 256 + 0.5) / 256, page)
        return
    coverage = np.ones(at.size)
    if points.is_round.any():
        lines, columns = np.divmod(at, page.shape[1])
        away, radius = (
            np.hypot(columns + 0.5 - points.x[which], lines + 0.5 - points.y[which]),
            _at(points.radius, which),
        )
        coverage = np.clip(radius - away, 0, 1)
        coverage[(away <= radius - 1) | ~_at(points.is_round, which)] = 1
    share = np.floor(coverage * opacity * 256 + 0.5) / 256
    kept = coverage > 0
    if is_layered:
        level = np.where(coverage < 1, EDGE, points.height[which]).astype(np.int64)
        level[~kept] = 0
        # With the pixel in the upper bits, the running maximum restarts at each pixel.
        kept &= level == np.maximum.accumulate(at << 32 | level) & _LOW
    kept &= share > 0
    at, which, share = at[kept], which[kept], share[kept]
    if not at.size:
        return
    starts = np.flatnonzero(np.append(True, at[1:] != at[:-1]))
    through = np.cumsum(np.where(share < 1, np.log1p(-np.minimum(share, 0.999)), _OPAQUE))
    ends = np.append(starts[1:], at.size) - 1
    weights = share * np.exp(np.repeat(through[ends], np.diff(np.append(starts, at.size))) - through)
    alpha = np.add.reduceat(weights, starts)
    found = page.reshape(-1, 4)[at[starts]]
    for channel in range(3):
        found[:, channel] = np.add.reduceat(weights * points.rgba[which, channel], starts) / alpha + 0.5
    found[:, 3] = np.minimum(alpha * 255 + 0.5, 255)
    page.reshape(-1, 4)[at[starts]] = found


def _blend_alike(at: NDArray[np.int64], rgba: NDArray[np.uint8], share: float, page: NDArray[np.uint8]) -> None:
    """Blend layers of one opacity: the weight of a layer follows from the number of those above it.

    at, rgba : pixel, ascending, and color of each layer, from the bottom up
    """
    if not at.size or share == 0:
        return
    starts = np.flatnonzero(np.append(True, at[1:] != at[:-1]))
    n_layers = np.diff(np.append(starts, at.size))
    weights = np.asarray(share * (1 - share) ** np.arange(n_layers.max()), dtype=np.float32)
    weight = weights[np.repeat(starts + n_layers - 1, n_layers) - np.arange(at.size)]
    alpha = 1 - (1 - share) ** n_layers
    found = np.empty((starts.size, 4), dtype=np.uint8)
    for channel in range(3):
        found[:, channel] = np.minimum(np.add.reduceat(weight * rgba[:, channel], starts) / alpha + 0.5, 255)
    found[:, 3] = np.minimum(alpha * 255 + 0.5, 255)
    page.reshape(-1, 4)[at[starts]] = found


def _at(values: NDArray[Any], which: NDArray[np.integer[Any]]) -> NDArray[Any]:
    """Return the values at these indices; a scalar is the value of all points."""
    return values[which] if values.ndim else values


def _pixels(points: Points, shape: tuple[int, ...]) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int32]]]:
    """Yield, per offset from a point's first pixel, the ascending indices of points that have it, and the pixels."""
    (left, right), (above, below) = (
        [np.clip(np.floor(at + side + 0.5), 0, n).astype(np.int32) for side in (-points.radius, points.radius)]
        for at, n in ((points.x, shape[1]), (points.y, shape[0]))
    )
    for dy in range(int((below - above).max(initial=0))):
        for dx in range(int((right - left).max(initial=0))):
            which = np.flatnonzero((left + dx < right) & (above + dy < below))
            yield which, (above[which] + dy) * np.int32(shape[1]) + left[which] + dx
