"""The points of a view and the threads that aggregate them; `canvas.py` decides what is summed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache, reduce
from itertools import islice, pairwise
from operator import add
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compute.bits import pack_mask
from cxg_widget.draw.aggregate.grid import PixelGrid
from cxg_widget.draw.aggregate.planes import SAFE_CELLS, Planes
from cxg_widget.errors import InvalidValue
from cxg_widget.spatial import SpatialIndex

_ALONE = 200_000
"""Up to this many points a second thread costs more than it saves."""
Part = TypeVar("Part")
_NO_BITS = np.zeros(0, dtype=np.uint8)
BLOCK = 32
"""Points of a block, half a byte per cell; 16 are faster for 10 M cells, slower for 100 M (decision 90)."""
Blocks = tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]
"""Boxes of blocks of points, and the edges of columns and lines; see `block_loops.py`."""


class Task(NamedTuple):
    """Points to aggregate: runs of `xy` on a grid, in one layer or, with a selection, two."""

    xy: NDArray[np.float32]
    bits: NDArray[np.uint8]
    starts: NDArray[np.int64]
    stops: NDArray[np.int64]
    grid: PixelGrid
    blocks: Blocks | None = None

    @classmethod
    def of(cls, index: SpatialIndex, selected: NDArray[Any] | None, grid: PixelGrid) -> Task:
        """Return the points of an index that may be in a grid."""
        n = index.xy.shape[0]
        runs = index.runs(grid.view)
        starts, stops = (np.asarray(ends, dtype=np.int64) for ends in (runs.starts, runs.stops))
        if selected is None or n == 0:
            return cls(index.xy, _NO_BITS, starts, stops, grid)
        if selected.dtype == np.bool_ and selected.shape == (n,):
            return cls(index.xy, pack_mask(selected), starts, stops, grid)
        if selected.dtype == np.uint8 and selected.shape == (-(-n // 8),):
            return cls(index.xy, selected, starts, stops, grid)
        raise InvalidValue(
            f"a selection of {n:,} points must be bool ({n},) or bits uint8 ({-(-n // 8)},); "
            f"found {selected.dtype} {selected.shape}"
        )

    def left(self, runs: tuple[NDArray[np.int64], NDArray[np.int64]]) -> Task:
        """Return the task with the runs that the loops over blocks left."""
        return self._replace(starts=runs[0], stops=runs[1])

    @property
    def layers(self) -> int:
        """One, or two with a selection."""
        return 2 if self.bits.size else 1

    @property
    def n_points(self) -> int:
        """Number of points in the runs."""
        return int((self.stops - self.starts).sum())

    def zeros(self, dtype: type[np.generic], *lanes: int) -> NDArray[Any]:
        """Return an empty plane for the loops, (layers * pixels, *lanes)."""
        return np.zeros((self.layers * self.grid.n_pixels, *lanes), dtype=dtype)

    def shaped(self, flat: NDArray[Any]) -> NDArray[Any]:
        """Return such a plane as (layers, h, w, *lanes)."""
        return flat.reshape(self.layers, self.grid.height, self.grid.width, *flat.shape[1:])

    @property
    def points(self) -> tuple[NDArray[Any], ...]:
        """The points as arguments of the loops."""
        from cxg_widget.compute.compiled import frozen

        return frozen(self.xy), frozen(self.bits), frozen(self.starts), frozen(self.stops)


def run(loop: Callable[[Task], Planes], task: Task) -> Planes:
    """Run a loop over parts of a task, in threads if that helps, and add the results."""
    n_points = task.n_points
    # Our own threads, since two Python threads may not enter the thread layers of `numba.prange` at once (decision 11).
    # A part has at most SAFE_CELLS points, so that its 32-bit sums cannot overflow.
    n_parts = max(_threads() if n_points > _ALONE else 1, -(-n_points // SAFE_CELLS))
    if n_parts == 1:
        return loop(task)
    found = _pool().map(loop, _parts(task, n_points, n_parts))
    # With up to SAFE_CELLS points in total no sum can overflow, so the first part takes the others in.
    return reduce(add if n_points > SAFE_CELLS else _add_in_place, found)


def cut(task: Task, most: int) -> Iterator[Task]:
    """Split a task into parts with a limit of points; there is at least one."""
    return _parts(task, task.n_points, max(-(-task.n_points // most), 1))


def each(loop: Callable[[Task], Part], parts: Iterable[Task]) -> Iterator[Part]:
    """Yield the results of a loop for each part, in order; as many at once as there are threads."""
    left = iter(parts)
    # A few at a time: `map` over all parts would hold the frames of all of them.
    while some := list(islice(left, _threads())):
        yield from _pool().map(loop, some)


def _parts(task: Task, n_points: int, n_parts: int) -> Iterator[Task]:
    """Split the runs into parts of equal numbers of points."""
    ends = np.cumsum(task.stops - task.starts)
    cuts = [n_points * part // n_parts for part in range(n_parts + 1)]
    for low, high in pairwise(cuts):
        first, last = np.searchsorted(ends, low, side="right"), np.searchsorted(ends, high, side="left")
        starts, stops = task.starts[first : last + 1].copy(), task.stops[first : last + 1].copy()
        if starts.size:
            starts[0] = task.stops[first] - (ends[first] - low)
            stops[-1] = task.stops[last] - (ends[last] - high)
        yield task._replace(starts=starts, stops=stops)


def _add_in_place(into: Planes, other: Planes) -> Planes:
    def add_lines(first: int, last: int) -> None:
        into.totals[:, first:last] += other.totals[:, first:last]

    over_lines(into.totals.shape[1], add_lines)
    if into.missing is not None and other.missing is not None:
        into.missing[...] += other.missing
    if into.peak is not None and other.peak is not None:
        np.maximum(into.peak, other.peak, out=into.peak)
    return into


def over_lines(height: int, loop: Callable[[int, int], None]) -> None:
    """Run a loop over the lines first to last of an image, in threads."""
    cuts = [height * part // _threads() for part in range(_threads() + 1)]
    # Only from outside of the pool: a thread of it that waits for others of it can wait forever.
    for _ in _pool().map(loop, cuts[:-1], cuts[1:]):
        pass


def _threads() -> int:
    return min(4, os.cpu_count() or 1)


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_threads(), thread_name_prefix="cxg-widget-aggregate")
