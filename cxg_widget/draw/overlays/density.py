"""Smoothed density on a grid: the densest place of a category, and contours around a share of its cells."""

from __future__ import annotations

from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

_SIGMA = 3 / 256
"""Width of the Gaussian for many cells, as a share of the longer side of the grid."""
_MANY = 10_000
_WIDEST = 2
"""For few cells it is wider, as in Scott's rule, up to this factor."""
_STEPS = 4
"""Number of widths between one and twice as much: few, so that many categories share a Gaussian."""
_REACH = 4
"""Radius at which the Gaussian is cut, in standard deviations."""
_TOP, _RIGHT, _BOTTOM, _LEFT = range(4)


def smooth(counts: NDArray[np.uint32], n: int | None = None) -> NDArray[np.float64]:
    """Return counts (lines, columns) smoothed by a Gaussian of the width from `width_for`, cut at four widths.

    Outside of the grid is nothing: equals `scipy.ndimage.gaussian_filter` with ``mode="constant"``.

    n : number of cells for the width; None = the counted ones
    """
    found = np.zeros(counts.shape)
    lines, columns = (np.flatnonzero(counts.any(axis=axis)) for axis in (1, 0))
    if lines.size == 0:
        return found
    sigma = width_for(int(counts.sum(dtype=np.int64)) if n is None else n) * max(counts.shape)
    (from_lines, to_lines), (from_columns, to_columns) = (_reached(one, sigma) for one in (lines, columns))
    down, along = (_gaussian(n, sigma) for n in counts.shape)
    # Products are restricted to the part that the category covers and reaches: most cover a small part of the grid.
    own = slice(lines[0], lines[-1] + 1), slice(columns[0], columns[-1] + 1)
    near = slice(from_lines, to_lines), slice(from_columns, to_columns)
    found[near] = down[near[0], own[0]] @ counts[own].astype(np.float64) @ along[own[1], near[1]]
    return found


def _reached(filled: NDArray[np.intp], sigma: float) -> tuple[int, int]:
    """Return start and stop of the part that non-zero entries at ascending places are smoothed into."""
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
    """Return the symmetric matrix (n, n) that smooths a row of n numbers."""
    reach = int(_REACH * sigma + 0.5)
    steps = np.abs(np.arange(-reach, reach + 1))
    weights = np.exp(-0.5 * (steps / sigma) ** 2)
    near = np.zeros(max(n, reach + 1))
    near[: reach + 1] = weights[reach:] / weights.sum()
    between = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    return np.asarray(near[between])


def densest(density: NDArray[np.float64]) -> tuple[int, int]:
    """Return column and line of the bin with the highest density, the first of several."""
    line, column = np.unravel_index(int(np.argmax(density)), density.shape)
    return int(column), int(line)


def level_around(density: NDArray[np.float64], counts: NDArray[np.uint32], share: float) -> float:
    """Return the density of the least dense bin in the densest region with a share of the cells.

    Bins are added from the densest on until they hold the share: the highest-density region.
    """
    filled = np.nonzero(counts)
    heights = density[filled]
    order = np.argsort(-heights, kind="stable")
    held = np.cumsum(counts[filled][order], dtype=np.int64)
    return float(heights[order[np.searchsorted(held, share * held[-1])]])


def rings(field: NDArray[np.float64], level: float) -> list[NDArray[np.float64]]:
    """Return the closed lines around the region at or above a level.

    Parameters
    ----------
    field : finite (lines, columns); below the level all along its edge

    Returns
    -------
    float64 (n, 2) each, columns and lines of the corners in order; the last one equals the first. Heights between
    neighbors are linear; if two opposite corners of a square are inside, the mean of its four decides what is joined.
    """
    lines, columns = field.shape
    inside = field >= level
    a, b, c, d = inside[:-1, :-1], inside[:-1, 1:], inside[1:, 1:], inside[1:, :-1]
    # One case of 16 per square, by which of its corners are inside (marching squares).
    cases = a + 2 * b + 4 * c + 8 * d.astype(np.uint8)
    at, on = np.nonzero((cases > 0) & (cases < 15))
    corners = field[at, on] + field[at, on + 1] + field[at + 1, on + 1] + field[at + 1, on]
    crossed, is_joined = cases[at, on], corners / 4 >= level
    # Each crossed edge leads to one other edge, so the lines are found without a search.
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
    """Return the numbers of the edges of squares: horizontal ones count from 0, vertical ones from n."""
    corner = line * columns + column
    return corner, n + corner + 1, corner + columns, n + corner


@cache
def _segments(case: int, joined: bool) -> list[tuple[int, int]]:
    """Return start and end edges of the lines across a square, with the inside always on the same side.

    Going around the square, outside changes to inside at the edge where a line starts.
    """
    corners = [bool(case >> bit & 1) for bit in range(4)]
    steps = [(edge, corners[edge], corners[(edge + 1) % 4]) for edge in (_TOP, _RIGHT, _BOTTOM, _LEFT)]
    begins = [edge for edge, before, after in steps if not before and after]
    ends = [edge for edge, before, after in steps if before and not after]
    # Each of two lines turns around a corner: an outside one if the inside ones are joined, else an inside one.
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
