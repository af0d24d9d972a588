"""Smooths means of pixels with few cells toward nearby cells, so that noise does not stand out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cxg_widget.draw.aggregate.planes import Planes
from cxg_widget.draw.aggregate.task import over_lines

AROUND = 30
"""Cells in the smallest square around a pixel whose mean it is drawn to."""


def leaning_means(planes: Planes, behind: float, *, spread: int = 1) -> NDArray[np.float64]:
    """Return the mean code of each pixel; a pixel with few cells is drawn to the mean around it.

    A pixel of n < `behind` cells has (n * mean + (behind - n) * near) / behind, where near is the mean of the smallest
    square around it of 3, 5, 9, ... 65 px a side that has `AROUND` cells, or of the largest square; each layer by
    itself. A pixel of `behind` cells or more has exactly their mean.

    Parameters
    ----------
    planes : of numbers, with their sums
    behind : least cells for an unsmoothed color; 1 = no smoothing
    spread : px of a cell, as in `aggregate`

    Returns
    -------
    float64 (layers, h, w), 0 without values

    Examples
    --------
    >>> totals = np.array([[[[0, 5], [50, 1]]]], dtype=np.uint64)  # five cells of code 0 next to one of 50
    >>> leaning_means(Planes(totals), 5).round(1).tolist()
    [[[0.0, 16.7]]]
    """
    from cxg_widget.draw.aggregate import pixels
    from cxg_widget.draw.aggregate.grid import disc

    layers, height, width, _ = planes.totals.shape
    means = np.zeros((layers, height, width))
    # int64: sums of 16-bit codes over all cells of a picture.
    sums = np.zeros((layers, height + 1, width + 1, 2), dtype=np.int64)
    # The loops count a cell once in each px of its disc.
    around = AROUND * disc(spread)[0].size
    pixels.add_up(planes.totals, sums)
    over_lines(height, lambda first, last: pixels.lean(first, last, planes.totals, sums, behind, around, means))
    return means
