"""Aggregates views with datashader: the same planes as the compiled loops, and all other statistics of pixels."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.draw.aggregate.grid import PixelGrid, disc
from cxg_widget.draw.aggregate.image_columns import (
    CategoryColumn,
    NumberColumn,
    Places,
    SparseColumn,
    ViewColumn,
    codes_at,
    numbers_at,
)
from cxg_widget.draw.aggregate.planes import Planes, Statistic
from cxg_widget.draw.aggregate.reductions import Plan, Sums, reduction_of, sums_of, together
from cxg_widget.draw.aggregate.task import Task, cut, each
from cxg_widget.spatial import SpatialIndex
from cxg_widget.spatial.view import View
from cxg_widget.wire.protocol import MISSING_U16

if TYPE_CHECKING:
    import pandas as pd

BLOCK = 1 << 22
"""Points per frame, to bound memory; smaller blocks would need more additions of planes."""
MOST_CATEGORIES = 64
"""Most categories with a plane each; for more, the colors are summed by channel."""
_CODES = np.append(np.arange(MISSING_U16, dtype=np.float64), np.nan)
"""The number of each code, NaN = missing."""
_used = threading.Event()
_Canvas = tuple[View, tuple[int, int]]
_Fill = Callable[[Places], Mapping[str, Any]]


def is_at_hand() -> bool:
    """Return whether datashader was imported and has compiled something, which takes seconds."""
    return _used.is_set()


@dataclass(frozen=True)
class PixelNumbers:
    """A number for each pixel of a view that is not a cell's value; those of disjoint cells can be added, in order.

    sums : for each layer, as in `Planes`, the number and the number of cells
    """

    sums: tuple[Sums, ...]
    grid: PixelGrid

    def __add__(self, other: PixelNumbers) -> PixelNumbers:
        """Return the numbers of both sets of cells together; a missing layer counts as empty."""
        shared = min(len(self.sums), len(other.sums))
        both = map(add, self.sums, other.sums)
        return PixelNumbers((*both, *self.sums[shared:], *other.sums[shared:]), self.grid)

    def finished(self) -> tuple[NDArray[np.float64], NDArray[np.uint32]]:
        """Return number (NaN if there is none) and cells of each pixel, (layers, h, w), row 0 at the top."""
        found = [_upright(sums, self.grid) for sums in self.sums]
        numbers, cells = (np.stack([layer[name] for layer in found]) for name in ("number", "cells"))
        return numbers.astype(np.float64), cells


def reduce_pixels(
    index: SpatialIndex,
    columns: Mapping[str, ViewColumn],
    reduction: Any,
    view: View,
    size: tuple[int, int],
    *,
    selected: NDArray[np.bool_] | NDArray[np.uint8] | None = None,
    rows: NDArray[Any] | None = None,
    spread: int = 1,
) -> PixelNumbers:
    """Reduce the points of a view to a number per pixel; parameters as in `aggregate`.

    columns : by their names in the reduction
    reduction : an object of `datashader.reductions`, or the name of one over the only column
    rows : row of each place; used if the order of cells matters
    """
    plan = reduction_of(reduction, next(iter(columns)) if isinstance(reduction, str) else None)
    margin = spread // 2 if spread > 1 else 0
    task = Task.of(index, selected, PixelGrid.of(view, size, margin))
    grid, order = task.grid, rows if plan.is_ordered else None
    # Discs of points just outside reach into the view; the margin holds these points until they are spread.
    canvas = _within(grid, margin) if spread > 1 else (grid.view, (grid.width, grid.height))
    both = together(number=plan, cells=reduction_of("count"))

    def fill(places: Places) -> Mapping[str, Any]:
        return {name: _values(columns[name], places) for name in plan.columns}

    def part(task: Task) -> PixelNumbers:
        frames = list(_frames(task, fill, order))
        if spread > 1:
            frames = [_spread(frame, grid, spread) for frame in frames]
        return PixelNumbers(tuple(sums_of(frame, *canvas, both) for frame in frames), grid)

    return reduce(add, each(part, cut(task, BLOCK) if order is None else [task]))


def planes(
    task: Task,
    column: ViewColumn | None,
    colors: NDArray[np.uint8] | None,
    visible: NDArray[np.bool_] | None,
    statistic: Statistic,
) -> Planes:
    """Sum the points of a task, identical to the compiled loops: counts, codes of numbers, colors of categories.

    colors, visible, statistic : as in `aggregate.aggregate`
    """
    if isinstance(column, CategoryColumn):
        assert colors is not None
        weights = np.zeros((column.missing_code + 1, 4), dtype=np.float64)
        weights[: column.n_categories] = np.insert(colors, 3, 1, axis=1)
        if visible is not None:
            weights[: column.n_categories][~visible[:-1]] = 0
        sums = _by_category if column.n_categories <= MOST_CATEGORIES else _by_channel
        found = reduce(add, each(lambda part: sums(part, column, weights), cut(task, BLOCK)))
        with_missing = column.has_missing and (visible is None or bool(visible[-1]))
        return found if with_missing else Planes(found.totals)
    found = reduce(add, each(lambda part: _numbers(part, column), cut(task, BLOCK)))
    missing = found.missing if column is not None and column.has_missing else None
    totals = found.known[..., None] if statistic == "max" else found.totals
    return Planes(totals, missing, None if statistic == "mean" else found.peak)


def _by_category(task: Task, column: CategoryColumn, weights: NDArray[np.float64]) -> Planes:
    frames = _frames(task, lambda places: {"code": _values(column, places)})
    found = _planes(task.grid, frames, cells=reduction_of("count"), each=reduction_of("count", by="code"))
    cells, each = found["cells"], found["each"]
    # Sums of integers below 2**53 are exact in float64, so they equal those of the loops.
    return Planes(_whole(each @ weights[: column.n_categories]), _whole(cells - each.sum(axis=-1), np.uint32))


def _by_channel(task: Task, column: CategoryColumn, weights: NDArray[np.float64]) -> Planes:
    def fill(places: Places) -> Mapping[str, Any]:
        codes = column.codes[places]
        return dict(zip("rgbn", weights[codes].T, strict=True)) | {"lost": np.float64(codes == column.missing_code)}

    found = _planes(task.grid, _frames(task, fill), **{name: reduction_of("sum", name) for name in ("lost", *"rgbn")})
    return Planes(_whole(np.stack([found[name] for name in "rgbn"], axis=-1)), _whole(found["lost"], np.uint32))


def _numbers(task: Task, column: NumberColumn | SparseColumn | None) -> Planes:
    if column is None:
        found = _planes(task.grid, _frames(task, lambda _: {}), cells=reduction_of("count"))
        return Planes(_whole(found["cells"][..., None]))
    is_bent = column.levels.is_bent

    def fill(places: Places) -> Mapping[str, Any]:
        return {"code": _codes(column, places), **({"number": numbers_at(column, places)} if is_bent else {})}

    of_codes = {name: reduction_of(name, "code") for name in ("count", "max")}
    of_codes["sum"] = reduction_of("sum", "number" if is_bent else "code")
    found = _planes(task.grid, _frames(task, fill), cells=reduction_of("count"), **of_codes)
    missing = _whole(found["cells"] - found["count"], np.uint32)
    totals = _whole(np.stack([found["sum"], found["count"]], axis=-1), np.float64 if is_bent else np.uint64)
    return Planes(totals, missing, _whole(found["max"], np.uint16))


def _planes(grid: PixelGrid, frames: Iterator[pd.DataFrame], **wanted: Plan) -> dict[str, NDArray[np.float64]]:
    """Return float64 (layers, h, w, ...) for each requested reduction, by name."""
    plan, canvas = together(**wanted), (grid.view, (grid.width, grid.height))
    found = [_upright(sums_of(frame, *canvas, plan), grid) for frame in frames]
    return {name: np.stack([layer[name] for layer in found]).astype(np.float64) for name in wanted}


def _whole(plane: NDArray[np.float64], dtype: type[np.generic] = np.uint64) -> NDArray[Any]:
    return np.nan_to_num(plane).astype(dtype)


def _upright(sums: Sums, grid: PixelGrid) -> dict[str, NDArray[Any]]:
    """Return planes with ascending coordinates in screen order: row 0 at the top."""
    planes = sums.finished()
    _used.set()
    lines, columns = (slice(None, None, step) for step in (1 if grid.downward else -1, -1 if grid.leftward else 1))
    return {str(name): plane.to_numpy()[lines, columns] for name, plane in planes.items()}


def _frames(task: Task, fill: _Fill, rows: NDArray[Any] | None = None) -> Iterator[pd.DataFrame]:
    """Yield the points of each layer, with columns that `fill` adds for their places."""
    import pandas as pd

    if (
        task.starts.size == 1 and rows is None and not task.bits.size
    ):  # a single run without filter and selection is a slice
        every = slice(int(task.starts[0]), int(task.stops[0]))
        yield pd.DataFrame({"x": task.xy[every, 0], "y": task.xy[every, 1], **fill(every)})
        return
    lengths = task.stops - task.starts
    places = np.arange(lengths.sum()) + np.repeat(task.starts - (np.cumsum(lengths) - lengths), lengths)
    if rows is not None:
        # In the order of the store, for "first" and "last"; places are in Morton order.
        places = places[np.argsort(rows[places], kind="stable")]
    above = (task.bits[places >> 3] >> (places & 7).astype(np.uint8)) & 1 if task.bits.size else np.zeros(places.size)
    for layer in range(task.layers):
        own = places[above == layer]
        xy, index = task.xy[own], None if rows is None else rows[own]
        yield pd.DataFrame({"x": xy[:, 0], "y": xy[:, 1], **fill(own)}, index=index)


def _spread(frame: pd.DataFrame, grid: PixelGrid, diameter: int) -> pd.DataFrame:
    """Copy each point to the center of every pixel of its disc, in px from the origin of the coordinates."""
    import pandas as pd

    def middle(values: NDArray[Any], low: float, high: float, n: int) -> NDArray[np.float64]:
        scale = n / (high - low)
        at = np.minimum(np.floor(values.astype(np.float64) * scale - low * scale), n - 1)
        return np.where((values >= low) & (values <= high), at + 0.5, np.nan)

    x = middle(frame["x"].to_numpy(), grid.x0, grid.x1, grid.width)
    y = middle(frame["y"].to_numpy(), grid.y0, grid.y1, grid.height)
    right, down = -1 if grid.leftward else 1, 1 if grid.downward else -1
    discs = [frame.assign(x=x + right * i, y=y + down * j) for i, j in zip(*disc(diameter), strict=True)]
    return pd.concat(discs)


def _within(grid: PixelGrid, margin: int) -> _Canvas:
    """Return the pixels without a margin, in px."""
    width, height = grid.width - margin, grid.height - margin
    return (margin, width, margin, height), (width - margin, height - margin)


def _values(column: ViewColumn, places: Places) -> Any:
    """Return the values of a column at some places: numbers in their own units, NaN = missing; or categories."""
    import pandas as pd

    if isinstance(column, CategoryColumn):
        codes = column.codes[places].astype(np.int32)
        codes[codes == column.missing_code] = -1
        return pd.Categorical.from_codes(codes, categories=pd.RangeIndex(column.n_categories))
    return numbers_at(column, places)


def _codes(column: NumberColumn | SparseColumn, places: Places) -> NDArray[np.float64]:
    """Return the codes of some places, NaN = missing."""
    return _CODES[codes_at(column, places)]
