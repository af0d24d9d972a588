"""Smooths counts on a grid; finds the densest place of a category and the density that bounds a share of it."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

_SIGMA = 3 / 256
"""Width of the Gaussian over many cells, as a share of the longer side of the grid."""
_MANY = 10_000
_WIDEST = 2
"""Over fewer cells than many it is wider, as by Scott's rule, but no more than so many times."""
_STEPS = 4
"""Widths between one and twice as much: few, so that what smooths is made once for many categories."""
_REACH = 4
"""Radius at which the Gaussian is cut, in standard deviations."""


def smooth(counts: NDArray[np.uint32], n: int | None = None) -> NDArray[np.float64]:
    """Return counts (lines, columns) under a Gaussian of the width `width_for` says, cut at four widths.

    Nothing lies beyond the grid: `scipy.ndimage.gaussian_filter` gives the same by ``mode="constant"``.

    Parameters
    ----------
    n : of how many cells the width is; None = of those that are counted
    """
    found = np.zeros(counts.shape)
    lines, columns = (np.flatnonzero(counts.any(axis=axis)) for axis in (1, 0))
    if lines.size == 0:
        return found
    sigma = width_for(int(counts.sum(dtype=np.int64)) if n is None else n) * max(counts.shape)
    (from_lines, to_lines), (from_columns, to_columns) = (_reached(one, sigma) for one in (lines, columns))
    down, along = (_gaussian(n, sigma) for n in counts.shape)
    # The products are cut to where the category lies, and to where it reaches: most fill a small part of the grid.
    own = slice(lines[0], lines[-1] + 1), slice(columns[0], columns[-1] + 1)
    near = slice(from_lines, to_lines), slice(from_columns, to_columns)
    found[near] = down[near[0], own[0]] @ counts[own].astype(np.float64) @ along[own[1], near[1]]
    return found


def _reached(filled: NDArray[np.intp], sigma: float) -> tuple[int, int]:
    """Return from where to where numbers are smeared out that are not 0 at some places, ascending."""
    reach = int(_REACH * sigma + 0.5)
    return max(int(filled[0]) - reach, 0), int(filled[-1]) + reach + 1


def width_for(n: int) -> float:
    """Return the width of the Gaussian for n cells, as a share of the longer side of the grid: 3/256 to 6/256.

    It grows with the sixth root of 10,000 / n, in steps of the fourth root of 2.
    """
    wider = np.log2(_MANY / max(n, 1)) / 6
    return float(_SIGMA * 2 ** (np.clip(np.round(_STEPS * wider), 0, _STEPS * np.log2(_WIDEST)) / _STEPS))


@lru_cache(maxsize=16)
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
