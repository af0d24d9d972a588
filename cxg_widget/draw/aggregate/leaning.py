"""Means of pixels in which few cells lean on those around: noise must not outshine the tissue it lies in."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cxg_widget.draw.aggregate.planes import Planes
from cxg_widget.draw.aggregate.task import over_lines

AROUND = 30
"""Cells that the nearest square around a pixel must hold before it leans on their mean."""


def leaning_means(planes: Planes, behind: float, *, spread: int = 1) -> NDArray[np.float64]:
    """Return the mean code of each pixel, which the cells around count toward until `behind` cells stand for it.

    A pixel of n < `behind` cells shows (n * mean + (behind - n) * near) / behind, where near is the mean of the
    smallest square around it of 3, 5, 9, ... 65 px a side that holds `AROUND` cells, or of the largest; each layer
    by itself. One of `behind` cells or more shows their mean, to the bit.

    Parameters
    ----------
    planes : of numbers, with their sums
    behind : cells that stand for a color; 1 = each pixel stands for itself
    spread : px that a cell covers, as `aggregate` took it

    Returns
    -------
    float64 (layers, h, w), 0 where no cell has a value

    Examples
    --------
    >>> totals = np.array([[[[0, 5], [50, 1]]]], dtype=np.uint64)  # five cells of code 0 beside one of 50
    >>> leaning_means(Planes(totals), 5).round(1).tolist()
    [[[0.0, 16.7]]]
    """
    from cxg_widget.draw.aggregate import pixels
    from cxg_widget.draw.aggregate.grid import disc

    layers, height, width, _ = planes.totals.shape
    means = np.zeros((layers, height, width))
    # int64: sums of 16-bit codes over all cells of a picture.
    sums = np.zeros((layers, height + 1, width + 1, 2), dtype=np.int64)
    # The loops see a cell once in each px that its disc covers.
    around = AROUND * disc(spread)[0].size
    pixels.add_up(planes.totals, sums)
    over_lines(height, lambda first, last: pixels.lean(first, last, planes.totals, sums, behind, around, means))
    return means
