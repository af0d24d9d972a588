"""A scale bar in micrometers, as js/src/panels/overlays/tissue.js draws it."""
# Changes with js/src/panels/overlays/tissue.js: the scale bar.

from __future__ import annotations

import math

from cxg_widget.color.paper import Paper
from cxg_widget.color.rgb import RGBA
from cxg_widget.draw.lettering import DrawnText, width_of
from cxg_widget.draw.parts import Box, Parts

_SHARE = 0.25
"""Longest bar, as a share of the picture's width."""
_EDGE_PX, _PAD_PX, _THICK_PX, _SIZE_PX, _HIGH_PX = 10, 8, 3, 11, 30
_GROUND_ALPHA = 224


def bar_for(um_per_px: float, width: float) -> tuple[float, str]:
    """Return the length of the bar in px and its label, 1, 2 or 5 times a power of ten, for the width of a picture."""
    most = um_per_px * width * _SHARE
    power = 10.0 ** math.floor(math.log10(most))
    # A bar that fits exactly must not be lost to rounding.
    um = next(one * power for one in (5, 2, 1) if one * power <= most * (1 + 1e-9))
    return um / um_per_px, f"{um / 1000:g} mm" if um >= 1000 else f"{um:g} µm"


def lay_out_scale_bar(um_per_px: float, size: tuple[float, float], paper: Paper) -> Parts:
    """Return the parts of the bar at the lower right of a plot, none if no length fits; size: px."""
    width, height = size
    if not 0 < um_per_px * width < math.inf:
        return Parts()
    long, text = bar_for(um_per_px, width)
    wide = round(max(long, width_of(text, _SIZE_PX))) + 2 * _PAD_PX
    left, top = round(width) - _EDGE_PX - wide, round(height) - _EDGE_PX - _HIGH_PX
    middle = left + wide / 2
    start, y = round(middle - long / 2), top + _HIGH_PX - _PAD_PX - 1
    fills: tuple[tuple[Box, RGBA], ...] = (
        ((left, top, left + wide, top + _HIGH_PX), (*paper.ground, _GROUND_ALPHA)),
        ((start, y, start + round(long), y + _THICK_PX), (*paper.ink, 255)),
    )
    at = middle - width_of(text, _SIZE_PX) / 2
    return Parts(fills, (), (DrawnText(text, at, top + 15, _SIZE_PX),))
