"""Compiled loop that draws points into an image, covering the same pixels as js/src/draw/cpu/points.js.

Import it only at first use, since numba takes a while to load.
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
    """Return the share of a pixel that a disc covers.

    dx, dy : px from the center of the disc to that of the pixel
    radius : px, including the soft edge
    """
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
    """Draw points in order onto page, uint8 (h, w, 4), with premultiplied alpha.

    A square covers the pixels whose centers it contains; discs have a soft edge. Colors are rounded after each point,
    as in the browser, so that many pale layers give the same color as there.

    places : float64 (n, 2), px from the top left; NaN = no position
    diameters : float64 (n,), px; (1,) = one for all points
    codes : uint16 (n,)
    flags : uint8 (n,), bit 0: selected, or there is no selection; bit 1: filtered out
    rgba, height : as in `Inks`
    brush : whether heights count, and the opacity
    heights : uint32 (h, w), height of the topmost point of each pixel so far
    """
    n_lines, n_columns = heights.shape
    is_layered, opacity = brush
    step = min(diameters.size - 1, 1)
    for i in range(codes.size):
        x, y = places[i]
        diameter = diameters[i * step]
        is_round = diameter > SQUARE_PX
        radius = (diameter + 1) / 2 if is_round else diameter / 2
        # With `not`, NaN counts as outside.
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
                    # A soft edge is lowest, so that it never hides a full pixel of a point that is drawn later.
                    level = EDGE if coverage < 1 else height[entry]
                    if heights[line, column] > level:
                        continue
                    heights[line, column] = level
                # Integers and one rounding per point, as in points.js: in 22 of 24 pictures, all pixels are equal; in
                # the other two, some differ by one level (decision 59).
                share = np.int64(floor(coverage * opacity * 256 + 0.5))
                for channel in range(4):
                    above: Any = np.int64(255) if channel == 3 else np.int64(rgba[entry, channel])
                    below = np.int64(page[line, column, channel])
                    page[line, column, channel] = np.uint8((above * share + below * (256 - share) + 128) >> 8)
