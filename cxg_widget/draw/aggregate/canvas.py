"""Aggregates a view into planes: splits runs of the index into parts, with one compiled loop over each."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from cxg_widget.draw.aggregate import by_datashader
from cxg_widget.draw.aggregate.boxes import blocks_of
from cxg_widget.draw.aggregate.grid import PixelGrid, disc
from cxg_widget.draw.aggregate.image_columns import CategoryColumn, NumberColumn, SparseColumn, ViewColumn
from cxg_widget.draw.aggregate.planes import Planes, Statistic
from cxg_widget.draw.aggregate.task import Task, over_lines, run
from cxg_widget.errors import InvalidValue
from cxg_widget.spatial import SpatialIndex
from cxg_widget.spatial.view import View
from cxg_widget.wire.protocol import MISSING_U16

Aggregator = Literal["auto", "datashader"]
_NO_PLACES, _NO_CODES = np.zeros(0, dtype=np.uint32), np.zeros(0, dtype=np.uint16)
_Kept = tuple[SpatialIndex, object, PixelGrid, Planes]


class CountImages:
    """Cache of count images, so that a sparse column in the same view only needs its entries."""

    def __init__(self, kept: int = 3) -> None:
        self._kept = kept
        self._images: list[_Kept] = []
        self._offered: _Kept | None = None
        self._lock = Lock()

    def get(self, index: SpatialIndex, selected: object, grid: PixelGrid, make: Callable[[], Planes]) -> Planes:
        """Return the cached image of the same index and selection, or make it."""
        # Held for the look-up only: two threads that miss both make the image, and neither waits for the other.
        with self._lock:
            made, offered = list(self._images), self._offered
        found = next((one for one in made if _is_of(one, index, selected, grid)), None)
        if found is not None:
            return found[-1]
        if offered is not None and _is_of(offered, index, selected, grid):
            # Planes that count every cell contain the count image, whatever colors they have.
            planes = Planes(offered[-1].counts[..., None])
        else:
            planes = make()
        with self._lock:
            self._images = [(index, selected, grid, planes), *self._images][: self._kept]
        return planes

    def offer(self, index: SpatialIndex, selected: object, grid: PixelGrid, planes: Planes) -> None:
        """Cache planes that count every cell; the last ones are kept."""
        with self._lock:
            self._offered = index, selected, grid, planes


def _is_of(kept: _Kept, index: SpatialIndex, selected: object, grid: PixelGrid) -> bool:
    return kept[0] is index and kept[1] is selected and kept[2] == grid


def aggregate(
    index: SpatialIndex,
    column: ViewColumn | None,
    view: View,
    size: tuple[int, int],
    *,
    colors: NDArray[np.uint8] | None = None,
    visible: NDArray[np.bool_] | None = None,
    selected: NDArray[np.bool_] | NDArray[np.uint8] | None = None,
    spread: int = 1,
    statistic: Statistic = "mean",
    counts: CountImages | None = None,
    aggregator: Aggregator = "auto",
) -> Planes:
    """Aggregate the points of a view into planes, row 0 at the top; pixels are assigned by datashader's rule.

    index : of the points
    column : values to sum, in the order of the index; None = only count
    view : x at the left, x at the right, y at the bottom, y at the top edge, data units; bottom > top: y points down
    size : width and height, px
    colors : uint8 (k, 3), of the categories; required for a column of categories
    visible : bool (k + 1,), categories that count, missing last; None = all
    selected : in the order of the index, bool (n,) or bits from `arrange_mask`; the planes then have two layers
    spread : diameter in px of the disc of each point
    statistic : content of the planes of a numeric column: sums, the highest codes, or both
    counts : cache of count images
    aggregator : "datashader", or "auto" = compiled loops, which are faster
    """
    margin = spread // 2 if spread > 1 else 0
    grid = PixelGrid.of(view, size, margin)
    task = Task.of(index, selected, grid)
    if isinstance(column, CategoryColumn):
        _check_colors(column, colors, visible)
    n = task.xy.shape[0]
    if isinstance(column, CategoryColumn | NumberColumn) and column.codes.shape != (n,):
        raise InvalidValue(f"a column of {n:,} points must have as many codes; found {column.codes.shape}")
    if aggregator != "datashader":
        task = task._replace(blocks=blocks_of(index, task))
    if aggregator == "datashader":
        planes = by_datashader.planes(task, column, colors, visible, statistic)
    elif isinstance(column, CategoryColumn):
        planes = _mix(task, column, colors, visible)
    elif isinstance(column, NumberColumn):
        planes = _dense(task, column, statistic)
    else:
        image = (counts or CountImages()).get(index, selected, grid, lambda: run(_count, task))
        planes = image if column is None else _sparse(task, column, image, statistic)
    if counts is not None and visible is None and isinstance(column, CategoryColumn | NumberColumn):
        counts.offer(index, selected, grid, planes)
    return planes if margin == 0 else _spread_planes(planes, spread, margin)


def _check_colors(column: CategoryColumn, colors: NDArray[np.uint8] | None, visible: NDArray[np.bool_] | None) -> None:
    k = column.n_categories
    if colors is None or colors.shape != (k, 3) or (visible is not None and visible.shape != (k + 1,)):
        found, shown = (None if one is None else one.shape for one in (colors, visible))
        raise InvalidValue(
            f"{k} categories need colors ({k}, 3) and visible ({k + 1},) or None; found {found}, {shown}"
        )


def _count(task: Task) -> Planes:
    from cxg_widget.draw.aggregate import block_loops, pixel_loops

    counts = task.zeros(np.uint32)
    if task.blocks is not None:
        task = task.left(block_loops.cover(task.points, task.grid.arguments, task.blocks, None, None, 0, None, counts))
    pixel_loops.count(task.points, task.grid.arguments, counts)
    return Planes(task.shaped(counts[:, None]))


def _mix(
    task: Task, column: CategoryColumn, colors: NDArray[np.uint8] | None, visible: NDArray[np.bool_] | None
) -> Planes:
    k = column.n_categories
    shown = np.ones(k + 1, dtype=np.bool_) if visible is None else visible
    # A row for each code that the dtype can hold, so that no code can exceed the table.
    # 3, 300 or 5,000 categories take the same time: colors are summed, not a plane per category (decision 11).
    weights = np.zeros((column.missing_code + 1, 4), dtype=np.uint32)
    assert colors is not None
    weights[:k, :3] = colors
    weights[:k, 3] = 1
    weights[:k][~shown[:k]] = 0
    with_missing = column.has_missing and bool(shown[k])

    def part(task: Task) -> Planes:
        from cxg_widget.compute.compiled import frozen
        from cxg_widget.draw.aggregate import block_loops, pixel_loops

        totals, missing = task.zeros(np.uint32, 4), task.zeros(np.uint32) if with_missing else _NO_PLACES
        # Two channels are added as one 64-bit word; SAFE_CELLS keeps the lower from overflowing into the upper.
        entries = frozen(column.codes), frozen(_NO_PLACES)
        words, table = totals.view(np.uint64), frozen(weights.view(np.uint64))
        if task.blocks is not None:
            packed = frozen(block_loops.pack(weights, column.missing_code))
            own = entries[0], packed, column.missing_code, words, missing
            task = task.left(block_loops.cover(task.points, task.grid.arguments, task.blocks, *own))
        # Two packed words a cell take 18 ms for 10 M cells in two threads, four 32-bit sums 22 (decision 11).
        pixel_loops.mix(task.points, task.grid.arguments, entries, table, column.missing_code, words, missing)
        return Planes(task.shaped(totals), task.shaped(missing) if with_missing else None)

    return run(part, task)


def _dense(task: Task, column: NumberColumn, statistic: Statistic) -> Planes:
    return run(lambda part: _numbers(part, column, _NO_PLACES, statistic), task)


def _sparse(task: Task, column: SparseColumn, image: Planes, statistic: Statistic) -> Planes:
    # In the dtype of the places; otherwise numpy would copy all of them to that of the limits.
    ends = (ends.astype(column.places.dtype) for ends in (task.starts, task.stops))
    starts, stops = (np.searchsorted(column.places, end) for end in ends)
    own = task._replace(xy=column.xy, starts=starts, stops=stops, blocks=None)
    found = run(lambda part: _numbers(part, column, column.places, statistic), own)
    listed, known = found.known, image.known
    if found.missing is not None:
        known = known - found.missing
    peak = found.peak
    if peak is not None and column.fill:
        # If more cells have a value than are listed, one of them has the fill value.
        peak = np.maximum(peak, np.where(known > listed, column.fill, 0)).astype(np.uint16)
    if (column.fill or column.levels.is_bent) and statistic != "max":
        fill = column.levels.table[column.fill] if column.levels.is_bent else column.fill
        found.totals[..., 0] += fill * (known - listed).astype(found.totals.dtype)

    def count_lines(first: int, last: int) -> None:
        found.totals[:, first:last, :, -1] = known[:, first:last]

    over_lines(known.shape[1], count_lines)
    return Planes(found.totals, found.missing, peak, image.derived)  # counts every cell, with a value or without


def _numbers(
    task: Task, column: NumberColumn | SparseColumn, places: NDArray[np.uint32], statistic: Statistic
) -> Planes:
    from cxg_widget.compute.compiled import frozen
    from cxg_widget.draw.aggregate import block_loops, pixel_loops

    has_missing = column.has_missing
    missing = task.zeros(np.uint32) if has_missing else _NO_PLACES
    peak = _NO_CODES if statistic == "mean" else task.zeros(np.uint16)
    # Uneven codes have no mean; their numbers have.
    is_bent = column.levels.is_bent and statistic != "max"
    numbers = frozen(column.levels.table) if is_bent else None
    totals = task.zeros(np.uint32, 1) if statistic == "max" else task.zeros(np.float64 if is_bent else np.uint64, 2)
    entries = frozen(column.codes), frozen(places)
    # Sums of floats depend on their order, and blocks have no highest code.
    if task.blocks is not None and totals.dtype == np.uint64 and not peak.size:
        own = entries[0], None, MISSING_U16, totals, missing
        task = task.left(block_loops.cover(task.points, task.grid.arguments, task.blocks, *own))
    pixel_loops.total(task.points, task.grid.arguments, entries, numbers, MISSING_U16, totals, missing, peak)
    return Planes(
        task.shaped(totals), task.shaped(missing) if has_missing else None, task.shaped(peak) if peak.size else None
    )


def _spread_planes(planes: Planes, diameter: int, margin: int) -> Planes:
    """Spread each cell over a disc, and cut off the margin, which holds cells just outside of the view."""
    from cxg_widget.compute.compiled import frozen
    from cxg_widget.draw.aggregate import pixels

    columns, lines = disc(diameter)
    layers, height, width, _ = planes.totals.shape

    def spread(plane: NDArray[Any], combine_highest: bool) -> NDArray[Any]:
        lanes = plane.reshape(layers, height, width, -1)
        out = np.zeros((layers, height - 2 * margin, width - 2 * margin, lanes.shape[-1]), plane.dtype)
        pixels.spread(frozen(lanes), lines, columns, combine_highest, margin, out)
        return out.reshape(*out.shape[:3], *plane.shape[3:])

    return Planes(
        spread(planes.totals, False),
        None if planes.missing is None else spread(planes.missing, False),
        None if planes.peak is None else spread(planes.peak, True),
    )
