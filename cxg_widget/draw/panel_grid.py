"""Lays panels out in a grid, as near to squares as can be, as js/src/panels/linked/layout.js does."""
# Changes with js/src/panels/linked/layout.js: the grid of panels.

from __future__ import annotations

import math

HEAD_PX = 28
"""Of the line above each panel on the screen."""


def grid_of(n: int, width: float, height: float) -> tuple[int, int]:
    """Return the columns and rows of n panels in a room of so many px."""

    def side(columns: int) -> float:
        rows = math.ceil(n / columns)
        # What counts is how large a square fits; of two alike the one with fewer empty places.
        return min(width / columns, max(height / rows - HEAD_PX, 1)) - (columns * rows - n)

    columns = max(range(1, n + 1), key=side)
    return columns, math.ceil(n / columns)
