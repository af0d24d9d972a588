"""A grid of 65,536 x 65,536 tiles over an embedding, and the Morton codes of its tiles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.spatial.view import Extent

DEPTH = 16
"""Halvings of each axis: the code of a tile has 2 * DEPTH bits."""
_TILES = 1 << DEPTH
_TRIM = 0.005
_ROUNDING = 1e-14


@dataclass(frozen=True)
class Axis:
    """Division of one axis into tiles: tile(v) = floor((v - origin) * scale), clipped to 0..65535.

    Each step is monotone in floating point too, so that `tile(a) < tile(b)` proves a < b.

    origin, scale : data units, tiles per data unit; scale 0 = everything is in tile 0
    low, high : lowest and highest finite coordinate, data units
    """

    origin: float
    scale: float
    low: float
    high: float

    @classmethod
    def over(cls, low: float, high: float, sample: NDArray[np.float32]) -> Axis:
        """Divide low..high into tiles; if a few outliers would take most tiles, they share the outermost ones."""
        first, last = low, high
        if sample.size:
            left, right = (float(v) for v in np.quantile(sample.astype(np.float64), (_TRIM, 1 - _TRIM)))
            # Otherwise one cell at 1e30 would put all others into one tile (decision 10).
            if right > left:
                margin = right - left
                first, last = max(low, left - margin), min(high, right + margin)
        return cls(first, _TILES / (last - first) if last > first else 0.0, low, high)

    def tile(self, values: Any) -> NDArray[np.uint32]:
        """Return the tile (n,) of finite numbers (n,)."""
        at: NDArray[np.float64] = np.subtract(values, self.origin, dtype=np.float64)
        at *= self.scale
        np.clip(at, 0, _TILES - 1, out=at)
        return at.astype(np.uint32)

    def bounds(self, tiles: NDArray[np.int64], width: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return data units that certainly enclose all points of the tiles [t, t + width), t of shape (n,)."""
        if self.scale == 0:
            return np.full(tiles.shape, self.low), np.full(tiles.shape, self.high)
        # More than the rounding of the division and the sum, so that no point is outside of its tile's bounds.
        slack = _ROUNDING * (abs(self.origin) + _TILES / self.scale)
        left = self.origin + tiles / self.scale - slack
        right = self.origin + (tiles + width) / self.scale + slack
        return np.where(tiles == 0, self.low, left), np.where(tiles + width == _TILES, self.high, right)


@dataclass(frozen=True)
class TileGrid:
    """The tiles of both axes."""

    x: Axis
    y: Axis

    @classmethod
    def over(cls, extent: Extent, sample: NDArray[np.float32]) -> TileGrid:
        """Return the grid over an extent, given some of the finite points as float32 (k, 2)."""
        x0, x1, y0, y1 = extent
        return cls(Axis.over(x0, x1, sample[:, 0]), Axis.over(y0, y1, sample[:, 1]))

    def codes(self, xy: NDArray[np.float32]) -> NDArray[np.uint32]:
        """Return the Morton codes (n,) of finite points (n, 2)."""
        return interleave(self.x.tile(xy[:, 0]), self.y.tile(xy[:, 1]))


def interleave(x: NDArray[np.uint32], y: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Interleave 16-bit tiles into codes: bits of x at even places, of y at odd ones (Morton, IBM report, 1966)."""
    return _spread(x) | (_spread(y) << np.uint32(1))


def _spread(tile: NDArray[np.uint32]) -> NDArray[np.uint32]:
    wide = tile
    # Each step halves the groups of bits and shifts the upper half of each by its own width.
    for shift, kept in ((8, 0x00FF00FF), (4, 0x0F0F0F0F), (2, 0x33333333), (1, 0x55555555)):
        wide = (wide | (wide << np.uint32(shift))) & np.uint32(kept)
    return wide


def compact(codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the bits at even places: the x of codes; `compact(codes >> 1)` is the y."""
    tile = codes & 0x55555555
    for shift, kept in ((1, 0x33333333), (2, 0x0F0F0F0F), (4, 0x00FF00FF), (8, 0x0000FFFF)):
        tile = (tile | (tile >> shift)) & kept
    return tile
