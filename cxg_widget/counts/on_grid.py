"""Counts the cells of each category on a grid over the embedding; counts of partitions can be added."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.spatial.view import Extent

SIDE = 256
"""Bins along the longer side, including padding."""
_MOST_BYTES = 64 * 2**20
_PAD = 28 / 256
"""Empty bins on each side: more than the smoothing reaches."""
_AT_ONCE = 1 << 22
_NOTHING = np.empty(0, dtype=np.uint32)
_ALL = np.empty(0, dtype=np.bool_)
_NO_CODES = np.empty(0, dtype=np.int8)


@dataclass(frozen=True)
class Grid:
    """Bins over all cells of an embedding, with padding.

    extent : x0, x1, y0, y1 of all bins, data units
    shape : lines and columns; line 0 is at y0
    """

    extent: Extent
    shape: tuple[int, int]

    @classmethod
    def around(cls, cells: Extent, side: int = SIDE, *, equal_units: bool = True) -> Grid:
        """Return the grid for cells within some bounds.

        side : bins along the longer side
        equal_units : whether bins are square in data units; else both sides have equally many bins
        """
        x0, x1, y0, y1 = cells
        pad = round(side * _PAD)
        inner = side - 2 * pad
        widest = max(x1 - x0, y1 - y0) if equal_units else 0.0
        columns, from_x, to_x = _bins(x0, x1, widest, inner, pad)
        lines, from_y, to_y = _bins(y0, y1, widest, inner, pad)
        return cls((from_x, to_x, from_y, to_y), (lines, columns))

    @classmethod
    def for_planes(cls, n: int, cells: Extent, *, equal_units: bool = True) -> Grid:
        """Return a grid of which the planes take at most 64 MiB; coarser for very many planes."""
        return cls.around(cells, SIDE if 4 * n * SIDE**2 <= _MOST_BYTES else SIDE // 2, equal_units=equal_units)

    @property
    def side(self) -> int:
        """Bins along the longer side."""
        return max(self.shape)

    @property
    def steps(self) -> tuple[float, float]:
        """Width and height of a bin, data units."""
        (x0, x1, y0, y1), (lines, columns) = self.extent, self.shape
        return (x1 - x0) / columns, (y1 - y0) / lines

    @property
    def corners(self) -> NDArray[np.float64]:
        """Corners x0, y0 and x1, y1 of all bins, (2, 2)."""
        x0, x1, y0, y1 = self.extent
        return np.array([[x0, y0], [x1, y1]])

    def places(self, at: NDArray[Any]) -> NDArray[np.float64]:
        """Return data coordinates (n, 2) of columns and lines (n, 2), whose integers are centers of bins."""
        (x0, _, y0, _), steps = self.extent, self.steps
        return np.asarray((x0, y0) + (at + 0.5) * steps, dtype=np.float64)


def _bins(low: float, high: float, widest: float, inner: int, pad: int) -> tuple[int, float, float]:
    """Return the number of bins from low to high, with `pad` more on either side, and their ends.

    widest : width of `inner` bins; 0 = from low to high
    """
    step = (widest or high - low or 1.0) / inner
    # Rounding must not add a bin if the cells fill the last one exactly.
    n = max(1, math.ceil((high - low) / step - 1e-9)) + 2 * pad
    middle = low / 2 + high / 2
    return n, middle - n * step / 2, middle + n * step / 2


def count_codes(codes: NDArray[Any], k: int, passing: NDArray[np.bool_] | None = None) -> NDArray[np.int64]:
    """Count passing cells by their codes, int64 (k,); -1 is not counted."""
    from cxg_widget.compute.compiled import frozen
    from cxg_widget.counts import count_loops

    counts = np.zeros(k + 1, dtype=np.int64)
    count_loops.count_codes(frozen(codes), frozen(_ALL if passing is None else passing), counts)
    return counts[:k]


def slots_of(kept: NDArray[np.int64], k: int) -> NDArray[np.int32]:
    """Return the plane of each code, int32 (k + 1,): that of kept[i] is i, others and missing have -1."""
    slots = np.full(k + 1, -1, dtype=np.int32)
    slots[kept] = np.arange(kept.size)
    return slots


def count_on_grid(
    xy: NDArray[np.float32],
    codes: NDArray[Any] | None,
    slots: NDArray[np.int32],
    grid: Grid,
    *,
    rows: NDArray[np.uint32] | None = None,
    passing: NDArray[np.bool_] | None = None,
    check: Callable[[], object] = lambda: None,
) -> NDArray[np.uint32]:
    """Count cells by bin and plane, uint32 (n_planes, lines, columns).

    xy : float32 (n, 2); non-finite ones are not counted
    codes : signed (n_obs,), -1 = without a category; None = all cells in plane 0
    slots : as `slots_of` returns them
    rows : uint32 (n,), row of each of xy; None = in row order
    passing : bool (n_obs,), cells to count; None = all
    check : called repeatedly; an exception from it ends the count
    """
    from cxg_widget.compute.compiled import frozen
    from cxg_widget.counts import count_loops

    planes = np.zeros((max(int(slots.max(initial=-1)) + 1, 1), *grid.shape), dtype=np.uint32)
    (x0, _, y0, _), (wide, high) = grid.extent, grid.steps
    cells = frozen(xy), frozen(_NOTHING if rows is None else rows)
    column = frozen(_NO_CODES if codes is None else codes), frozen(slots)
    passes = frozen(_ALL if passing is None else passing)
    for start in range(0, len(xy), _AT_ONCE):
        # The loop itself cannot be interrupted.
        check()
        run = (*cells, start, min(start + _AT_ONCE, len(xy)))
        count_loops.count_on_grid(run, column, passes, (x0, y0, 1 / wide, 1 / high), planes)
    return planes
