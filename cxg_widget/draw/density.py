"""Counts on a grid made smooth: where a category is densest, and above which density a share of its cells lies."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

_SIGMA = 3 / 256
"""Width of the Gaussian, as a share of the longer side of the grid."""
_REACH = 4
"""Where the Gaussian ends, in widths of it."""


def smooth(counts: NDArray[np.uint32]) -> NDArray[np.float64]:
    """Return counts (lines, columns) under a Gaussian whose width is 3/256 of the longer side, cut at four widths.

    Nothing lies beyond the grid: `scipy.ndimage.gaussian_filter` gives the same by ``mode="constant"``.
    """
    sigma = _SIGMA * max(counts.shape)
    down, along = (_gaussian(n, sigma) for n in counts.shape)
    return np.asarray(down @ counts.astype(np.float64) @ along)


@lru_cache(maxsize=4)
def _gaussian(n: int, sigma: float) -> NDArray[np.float64]:
    """Return the symmetric matrix (n, n) that smooths n numbers in a row."""
    reach = int(_REACH * sigma + 0.5)
    steps = np.abs(np.arange(-reach, reach + 1))
    weights = np.exp(-0.5 * (steps / sigma) ** 2)
    near = np.zeros(max(n, reach + 1))
    near[: reach + 1] = weights[reach:] / weights.sum()
    between = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    return np.asarray(near[between])


def densest(density: NDArray[np.float64]) -> tuple[int, int]:
    """Return column and line of the bin with the highest density, of several the first."""
    line, column = np.unravel_index(int(np.argmax(density)), density.shape)
    return int(column), int(line)


def level_around(density: NDArray[np.float64], counts: NDArray[np.uint32], share: float) -> float:
    """Return the density of the least dense bin that belongs to the densest region with a share of the cells.

    Bins are taken from the densest on, until those taken hold the share: the region of highest density.
    """
    filled = np.nonzero(counts)
    heights = density[filled]
    order = np.argsort(-heights, kind="stable")
    held = np.cumsum(counts[filled][order], dtype=np.int64)
    return float(heights[order[np.searchsorted(held, share * held[-1])]])
