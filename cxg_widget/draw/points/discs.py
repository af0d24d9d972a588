"""The compiled loop over points, into pixels in memory: to the pixel as js/src/draw/cpu/points.js draws them.

Imported at first use only, since numba takes a while.
"""
# Changes with js/src/draw/cpu/points.js and js/src/draw/gl/shaders.js: which pixels a point covers.
# Changes with cxg_widget/draw/points/by_numpy.py: which pixels a point covers, and which point lies on top.

# ruff: noqa: PLR0917 (compiled loops take no keywords)

from __future__ import annotations

from math import floor, sqrt
from typing import Any

import numpy as np

from cxg_widget.compute.compiled import compiled
from cxg_widget.draw.points.by_numpy import SQUARE_PX
from cxg_widget.draw.points.inks import EDGE, N_CODES


@compiled
def _coverage(dx: Any, dy: Any, radius: Any) -> Any:
    """Return the share of a pixel that a disc covers at a distance in px."""
    square = dx * dx + dy * dy
    if square >= radius * radius:
        return 0.0
    if square <= (radius - 1) * (radius - 1) and radius > 1:
        return 1.0
    return min(radius - sqrt(square), 1.0)


@compiled
def draw(
    places: Any, diameters: Any, codes: Any, flags: Any, rgba: Any, height: Any, brush: Any, page: Any, heights: Any
) -> None:
    """Draw points in their order onto page, uint8 (h, w, 4), its colors multiplied by their opacity.

    A pixel belongs to a square if its middle does; discs have a soft edge. Colors are rounded after each point, as a
    page's are, so that many pale layers come to the same.

    places : float64 (n, 2), px from the top left; NaN = nowhere
    diameters : float64 (n,), px; (1,) = of all
    codes : uint16 (n,)
    flags : uint8 (n,), bit 0: selected, or nothing is; bit 1: the filters leave it out
    rgba, height : as `Inks` has them
    brush : whether heights count, opacity
    heights : uint32 (h, w), of what lies there
    """
    n_lines, n_columns = heights.shape
    is_layered, opacity = brush
    step = min(diameters.size - 1, 1)
    for i in range(codes.size):
        x, y = places[i]
        diameter = diameters[i * step]
        is_round = diameter > SQUARE_PX
        radius = (diameter + 1) / 2 if is_round else diameter / 2
        # Written so that NaN is outside.
        if not (x + radius > 0 and x - radius < n_columns and y + radius > 0 and y - radius < n_lines):
            continue
        entry: Any = np.int64(codes[i])
        if flags[i] & 2:
            entry = 2 * N_CODES
        elif not flags[i] & 1:
            entry += N_CODES
        if rgba[entry, 3] == 0:
            continue
        for line in range(max(floor(y - radius + 0.5), 0), min(floor(y + radius + 0.5), n_lines)):
            for column in range(max(floor(x - radius + 0.5), 0), min(floor(x + radius + 0.5), n_columns)):
                coverage = _coverage(column + 0.5 - x, line + 0.5 - y, radius) if is_round else 1.0
                if coverage == 0:
                    continue
                if is_layered:
                    # A soft edge is lowest, so that it never hides a whole pixel of a point that is drawn later.
                    level = EDGE if coverage < 1 else height[entry]
                    if heights[line, column] > level:
                        continue
                    heights[line, column] = level
                # Whole numbers and one rounding a point, as in points.js: all pixels are equal but for one level in two
                # of 24 pictures (decision 59).
                share = np.int64(floor(coverage * opacity * 256 + 0.5))
                for channel in range(4):
                    above: Any = np.int64(255) if channel == 3 else np.int64(rgba[entry, channel])
                    below = np.int64(page[line, column, channel])
                    page[line, column, channel] = np.uint8((above * share + below * (256 - share) + 128) >> 8)
