"""Traces lines of one height through numbers on a grid, by marching squares."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

_TOP, _RIGHT, _BOTTOM, _LEFT = range(4)


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
