"""A bar that says how long something is in micrometres, as js/src/panels/scale_bar.js draws it."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from cxg_widget.color.paper import Paper
from cxg_widget.draw.lettering import DrawnText, width_of, write
from cxg_widget.draw.over import fill

_SHARE = 0.25
"""Of the picture's width that the bar takes at most."""
_EDGE_PX, _PAD_PX, _THICK_PX, _SIZE_PX, _HIGH_PX = 10, 8, 3, 11, 30
_GROUND_ALPHA = 224


def bar_for(um_per_px: float, width: float) -> tuple[float, str]:
    """Return how many px long a bar is in a picture so wide, and what it says: 1, 2 or 5 times a power of ten."""
    most = um_per_px * width * _SHARE
    power = 10.0 ** math.floor(math.log10(most))
    um = next(one * power for one in (5, 2, 1) if one * power <= most * (1 + 1e-9))
    return um / um_per_px, f"{um / 1000:g} mm" if um >= 1000 else f"{um:g} µm"


def draw_scale_bar(image: NDArray[np.uint8], um_per_px: float, paper: Paper) -> NDArray[np.uint8]:
    """Return an image, uint8 (height, width, 4), with a bar at its lower right."""
    height, width = image.shape[:2]
    long, text = bar_for(um_per_px, width)
    wide = round(max(long, width_of(text, _SIZE_PX))) + 2 * _PAD_PX
    left, top = width - _EDGE_PX - wide, height - _EDGE_PX - _HIGH_PX
    page = image.copy()
    fill(page, (left, top, wide, _HIGH_PX), np.array([*paper.ground, _GROUND_ALPHA]))
    middle = left + wide / 2
    bar = round(middle - long / 2), top + _HIGH_PX - _PAD_PX - 1, round(long), _THICK_PX
    fill(page, bar, np.array([*paper.ink, 255]))
    at = middle - width_of(text, _SIZE_PX) / 2
    return write(page, [DrawnText(text, at, top + 15, _SIZE_PX)], (paper.ink, paper.quiet))
