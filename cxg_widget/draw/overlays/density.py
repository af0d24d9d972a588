"""Smooths counts on a grid; finds the densest place of a category, and the contour that bounds a share of it."""

from __future__ import annotations

from functools import cache, lru_cache

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
_TOP, _RIGHT, _BOTTOM, _LEFT = range(4)


def smooth(counts: NDArray[np.uint32], n: int | None = None) -> NDArray[np.float64]:
    """Return counts (lines, columns) under a Gaussian of the width `width_for` says, cut at four widths.

    Nothing lies beyond the grid: `scipy.ndimage.gaussian_filter` gives the same by ``mode="constant"``.

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


def rings(field: NDArray[np.float64], level: float) -> list[NDArray[np.float64]]:
    """Return the closed lines around what is at least as high as a level.

    Parameters
    ----------
    field : finite (lines, columns); below the level all along its edge

    Returns
    -------
    float64 (n, 2) each, columns and lines of the corners in turn, the last of which leads back to the first. Heights
    between neighbours are linear; where two corners of a square lie opposite, the mean of its four decides what is
    joined.
    """
    lines, columns = field.shape
    inside = field >= level
    a, b, c, d = inside[:-1, :-1], inside[:-1, 1:], inside[1:, 1:], inside[1:, :-1]
    # One case of 16 for each square, by which of its corners lie inside (marching squares).
    cases = a + 2 * b + 4 * c + 8 * d.astype(np.uint8)
    at, on = np.nonzero((cases > 0) & (cases < 15))
    corners = field[at, on] + field[at, on + 1] + field[at + 1, on + 1] + field[at + 1, on]
    crossed, is_joined = cases[at, on], corners / 4 >= level
    # Each crossed edge leads to one other edge, so that the lines are found without searching.
    following: dict[int, int] = {}
    for case in range(1, 15):
        for joined in (False, True):
            own = (crossed == case) & (is_joined == joined)
            edges = _edges(at[own], on[own], columns, lines * columns)
            for begin, end in _segments(case, joined):
                following.update(zip(edges[begin].tolist(), edges[end].tolist(), strict=True))
    return [_corners(np.array(ring), field, level) for ring in _linked(following)]


def _edges(
    line: NDArray[np.intp], column: NDArray[np.intp], columns: int, n: int
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """Return the numbers of the edges of squares: the level ones count from 0, the upright ones from n."""
    corner = line * columns + column
    return corner, n + corner + 1, corner + columns, n + corner


@cache
def _segments(case: int, joined: bool) -> list[tuple[int, int]]:
    """Return from which edge to which lines cross a square, what is inside always on the same hand.

    Round the square, what is outside gives way to what is inside at the edge where a line begins.
    """
    corners = [bool(case >> bit & 1) for bit in range(4)]
    steps = [(edge, corners[edge], corners[(edge + 1) % 4]) for edge in (_TOP, _RIGHT, _BOTTOM, _LEFT)]
    begins = [edge for edge, before, after in steps if not before and after]
    ends = [edge for edge, before, after in steps if before and not after]
    # Of two lines each turns about a corner: one outside where those inside are joined, else one inside.
    turn = -1 if joined else 1
    return [(begin, end if len(ends) == 1 else (begin + turn) % 4) for begin, end in zip(begins, ends, strict=True)]


def _linked(following: dict[int, int]) -> list[list[int]]:
    found = []
    while following:
        first, at = following.popitem()
        ring = [first]
        while at != first:
            ring.append(at)
            at = following.pop(at)
        found.append(ring)
    return found


def _corners(edges: NDArray[np.intp], field: NDArray[np.float64], level: float) -> NDArray[np.float64]:
    """Return the points where a line crosses edges, (n, 2) columns and lines."""
    lines, columns = field.shape
    is_upright = edges >= lines * columns
    at, on = np.divmod(edges - is_upright * lines * columns, columns)
    low, high = field[at, on], field[at + is_upright, on + ~is_upright]
    share = (level - low) / (high - low)
    return np.column_stack([on + share * ~is_upright, at + share * is_upright])
