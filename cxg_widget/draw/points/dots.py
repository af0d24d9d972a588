"""Draws points as the page shows them: small ones as squares, others as discs with a soft edge."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cxg_widget.draw.points.by_numpy import Points
from cxg_widget.draw.points.by_numpy import draw as draw_with_numpy
from cxg_widget.draw.points.inks import N_CODES, Inks
from cxg_widget.spatial.view import Extent, View
from cxg_widget.wire.protocol import MISSING_U16
from cxg_widget.wire.quantise import LEVELS

_MOST_LAYERS = 3_000_000
"""Most pixels of all points that NumPy draws faster than the compiled loop compiles (0.9 s) or loads (0.45 s)."""


class Sight(NamedTuple):
    """View of a picture.

    seen : view of the picture: x left, x right, y bottom, y top; data units
    whole : the view that fits everything
    size : width and height, CSS px
    scale : px per CSS px
    """

    seen: View
    whole: View
    size: tuple[float, float]
    scale: float

    @property
    def px(self) -> tuple[int, int]:
        """Width and height in px."""
        return max(1, round(self.size[0] * self.scale)), max(1, round(self.size[1] * self.scale))

    @property
    def units(self) -> tuple[float, float]:
        """Data units per px along each axis."""
        left, right, bottom, top = self.seen
        return abs(right - left) / self.px[0], abs(top - bottom) / self.px[1]

    def grown(self, factor: float) -> Extent:
        """Return an extent around the center of the view, with `factor` times its sides."""
        (x0, x1), (y0, y1) = sorted(self.seen[:2]), sorted(self.seen[2:])
        dx, dy = (x1 - x0) * (factor - 1) / 2, (y1 - y0) * (factor - 1) / 2
        return x0 - dx, x1 + dx, y0 - dy, y1 + dy


@dataclass(frozen=True)
class Dots:
    """Points in draw order.

    xy : uint16 (n, 2), codes of the coordinates over `extent`; 65535 = no position
    codes : uint16 (n,), codes of the colors
    flags : uint8 (n,); bit 0: selected, or there is no selection; bit 1: filtered out
    sizes : uint16 (n,), size of each point as in `Points` of the wire; None = one size
    """

    xy: NDArray[np.uint16]
    extent: Extent
    codes: NDArray[np.uint16]
    flags: NDArray[np.uint8]
    sizes: NDArray[np.uint16] | None = None

    def colored(self, codes: NDArray[np.uint16]) -> Dots:
        """Return the points with other color codes."""
        return replace(self, codes=codes)

    def px(self, sight: Sight) -> NDArray[np.float64]:
        """Return the positions, float64 (n, 2), in px from the top left; NaN = no position."""
        (left, right, bottom, top), (x0, x1, y0, y1) = sight.seen, self.extent
        per_x, per_y = sight.px[0] / (right - left), sight.px[1] / (top - bottom)
        places = np.empty(self.xy.shape, order="F")
        x, y = self.xy[:, 0], self.xy[:, 1]
        np.multiply(x, (x1 - x0) / LEVELS * per_x, out=places[:, 0])
        np.multiply(y, -(y1 - y0) / LEVELS * per_y, out=places[:, 1])
        places += (x0 - left) * per_x, (top - y0) * per_y
        places[(x == MISSING_U16) | (y == MISSING_U16)] = np.nan
        return places


def draw_dots(
    dots: Dots, inks: Inks, sight: Sight, diameter: float | NDArray[np.float64], opacity: float, *, soon: bool = False
) -> NDArray[np.uint8]:
    """Draw points from first to last; return uint8 (height, width, 4), straight alpha.

    diameter : px, for all points or for each
    soon : use NumPy if it is faster than loading the compiled loop; colors of many layers may differ by some levels
    """
    (width, height), wide, brush = sight.px, np.maximum(diameter, 1.0), (inks.is_layered, opacity)
    page = np.zeros((height, width, 4), dtype=np.uint8)
    if soon and len(dots.xy) * wide.max(initial=1.0) ** 2 < _MOST_LAYERS:
        draw_with_numpy(_shown(dots, inks, sight, wide), brush, page)
        return page
    from cxg_widget.draw.points.discs import draw

    heights = np.zeros((height, width), dtype=np.uint32)
    draw(dots.px(sight), np.atleast_1d(wide), dots.codes, dots.flags, inks.rgba, inks.height, brush, page, heights)
    return _straight(page)


def _shown(dots: Dots, inks: Inks, sight: Sight, diameter: NDArray[np.float64]) -> Points:
    """Return the points that have a color and overlap the picture."""
    entry = dots.codes.astype(np.int32)
    entry[dots.flags & 1 == 0] += N_CODES
    entry[dots.flags & 2 > 0] = 2 * N_CODES
    (x, y), (width, height), margin = dots.px(sight).T, sight.px, diameter / 2 + 1
    with np.errstate(invalid="ignore"):
        is_in = (x > -margin) & (x < width + margin) & (y > -margin) & (y < height + margin)
    # Viewing the four channels as one uint32 takes one look-up per point.
    rgba = inks.rgba.view(np.uint32)[:, 0][entry].view(np.uint8).reshape(-1, 4)
    shown = np.flatnonzero(is_in & (rgba[:, 3] > 0))
    return Points(x, y, rgba, inks.height[entry], diameter).take(shown)


def _straight(page: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Convert colors from premultiplied to straight alpha, in place."""
    is_pale = (page[..., 3] > 0) & (page[..., 3] < 255)
    pale = page[is_pale].astype(np.float32)
    # Rounding after each point may leave a premultiplied color slightly above its alpha.
    pale[:, :3] = np.minimum(np.floor(pale[:, :3] * 255 / pale[:, 3:] + 0.5), 255)
    page[is_pale] = pale.astype(np.uint8)
    return page
