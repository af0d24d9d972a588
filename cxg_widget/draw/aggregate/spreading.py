"""Discs in place of single pixels: at a deep zoom a cell of one pixel is hard to see."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.draw.aggregate.planes import Planes
from cxg_widget.draw.points import disc


def spread_planes(planes: Planes, diameter: int, margin: int) -> Planes:
    """Let each cell cover a disc, and cut off the margin, px on each side, into which cells just outside reach."""
    from cxg_widget.draw.aggregate import kernels, pixels

    columns, lines = disc(diameter)
    layers, height, width, _ = planes.totals.shape

    def spread(plane: NDArray[Any], combine_highest: bool) -> NDArray[Any]:
        lanes = plane.reshape(layers, height, width, -1)
        out = np.zeros((layers, height - 2 * margin, width - 2 * margin, lanes.shape[-1]), plane.dtype)
        pixels.spread(kernels.frozen(lanes), lines, columns, combine_highest, margin, out)
        return out.reshape(*out.shape[:3], *plane.shape[3:])

    return Planes(
        spread(planes.totals, False),
        None if planes.missing is None else spread(planes.missing, False),
        None if planes.peak is None else spread(planes.peak, True),
    )
