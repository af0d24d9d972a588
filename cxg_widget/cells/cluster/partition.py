"""Functions that run on a worker, which holds an index over some rows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import add
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from cxg_widget.cells.cluster.source import Source, opened
from cxg_widget.cells.under_pointer import CellsUnderPointer, count_in_circle
from cxg_widget.compute.bits import pack_mask, unpack_mask
from cxg_widget.counts.on_grid import Grid, count_codes, count_on_grid
from cxg_widget.datasets import Codes, Dataset, Vector
from cxg_widget.datasets.base.column_pairs import EmbeddingName
from cxg_widget.display.color_target import Target, as_float
from cxg_widget.display.several_genes import mean_vector
from cxg_widget.draw.aggregate.by_datashader import PixelNumbers, reduce_pixels
from cxg_widget.draw.aggregate.by_rows import Wanted, sums_over
from cxg_widget.draw.aggregate.canvas import aggregate
from cxg_widget.draw.aggregate.image_columns import (
    CategoryColumn,
    NumberColumn,
    SparseColumn,
    ViewColumn,
    arrange_codes,
    arrange_mask,
    arrange_vector,
    numbers_at,
    shown_at,
)
from cxg_widget.draw.aggregate.planes import Planes
from cxg_widget.draw.aggregate.reductions import Sums
from cxg_widget.spatial import SpatialIndex
from cxg_widget.spatial.circle import Circle
from cxg_widget.spatial.view import View
from cxg_widget.wire.encoding import count_selected
from cxg_widget.wire.levels import Levels
from cxg_widget.wire.quantise import LEVELS

Addable = TypeVar("Addable", CellsUnderPointer, Planes, PixelNumbers, Sums, NDArray[np.uint32])


@dataclass(frozen=True)
class Rows:
    """The rows start <= row < stop of a source, for one user.

    own : columns of these rows that are not in the store, the annotations
    """

    source: Source
    user: str
    start: int
    stop: int
    own: Mapping[str, Codes] = field(default_factory=dict)

    def dataset(self) -> Dataset:
        """Return the dataset of this process, with `own` columns filled in these rows only."""
        dataset = opened(self.source, self.user)
        if not self.own:
            return dataset
        columns = {}
        for name, some in self.own.items():
            codes = np.full(dataset.n_obs, -1, dtype=some.codes.dtype)
            codes[self.start : self.stop] = some.codes
            columns[name] = some.holding(codes)
        # The process has one open dataset for all tasks: labels of one task must not show in another.
        found = dataset.with_own_columns()
        found.put_columns(columns)
        return found

    def parts(self, n: int) -> Iterator[Rows]:
        """Yield the rows, n at a time."""
        for start in range(self.start, self.stop, n):
            stop = min(start + n, self.stop)
            kept = slice(start - self.start, stop - self.start)
            own = {name: codes.take(kept) for name, codes in self.own.items()}
            yield replace(self, start=start, stop=stop, own=own)


class Partition:
    """Some rows of an embedding with their own index."""

    def __init__(self, start: int, index: SpatialIndex) -> None:
        self.start = start
        self.index = index

    def __sizeof__(self) -> int:
        """Report the size to Dask, so that work moves to this worker instead of the data."""
        return int(self.index.xy.nbytes + self.index.rows.nbytes)

    # Without the index's lock, which cannot be pickled, and its caches.
    def __getstate__(self) -> tuple[Any, ...]:
        index = self.index
        return self.start, (index.n_obs, index.rows, index.tree, index.extent, index.fingerprint)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.start, self.index = state[0], SpatialIndex(*state[1])


def load_partition(rows: Rows, embedding: EmbeddingName | None, axes: tuple[int, int]) -> Partition:
    """Read the coordinates of rows and build their index."""
    dataset = rows.dataset()
    return Partition(rows.start, SpatialIndex.build(dataset.embedding_block(embedding, axes, rows.start, rows.stop)))


def keep(partition: Partition, packed: NDArray[np.uint8]) -> Partition:
    """Return the partition with only some of its rows, packed bits."""
    mask = unpack_mask(packed, partition.index.n_obs)
    return Partition(partition.start, partition.index.kept(mask))


def bounds(partition: Partition) -> tuple[View | None, int]:
    """Return the extent (None without any points) and the number of rows without coordinates."""
    index = partition.index
    return index.extent if index.n else None, index.n_obs - index.n


def read_column(rows: Rows, target: Target, layer: str | None) -> Codes | Vector:
    """Read the codes or numbers of a coloring for rows, as `coloring.read` does for all."""
    dataset, block = rows.dataset(), (rows.start, rows.stop)
    if target.source == "var":
        return dataset.vector_block(target.name, layer, *block)
    if target.source in ("set", "mean"):
        vectors = dataset.vectors_block(target.genes, layer, *block)
        return mean_vector(vectors, len(target.genes), rows.stop - rows.start)
    if dataset.obs_columns[target.name].kind in ("int", "float"):
        return Vector(as_float(dataset.numbers_block(target.name, *block)))
    return dataset.codes_block(target.name, *block)


def category_bits(rows: Rows, target: Target, code: int) -> NDArray[np.uint8]:
    """Return the rows of a category, as packed bits; code -1 = those without one."""
    codes = rows.dataset().codes_block(target.name, rows.start, rows.stop).codes
    return pack_mask(codes == code)


def category_counts(
    rows: Rows, packed: NDArray[np.uint8] | None, target: Target
) -> tuple[tuple[Any, ...], NDArray[np.int64]]:
    """Return all categories of a column, and the number of rows, or of those whose bits are set, in each."""
    codes = rows.dataset().codes_block(target.name, rows.start, rows.stop)
    passing = None if packed is None else unpack_mask(packed, rows.stop - rows.start)
    return codes.categories, count_codes(codes.codes, len(codes.categories), passing)


def category_planes(
    rows: Rows, partition: Partition, packed: NDArray[np.uint8] | None, *, target: Target | None,
    slots: NDArray[np.int32], grid: Grid,
) -> NDArray[np.uint32]:  # fmt: skip
    """Count rows, or those whose bits are set, on a grid; target None = all in plane 0."""
    index = partition.index
    codes = None
    if target is not None:
        codes = rows.dataset().codes_block(target.name, rows.start, rows.stop).codes
    passing = None if packed is None else unpack_mask(packed, rows.stop - rows.start)
    return count_on_grid(index.xy, codes, slots, grid, rows=index.rows, passing=passing)


def count_selected_rows(
    rows: Rows, packed: NDArray[np.uint8], target: Target, layer: str | None, limits: tuple[float, float, float]
) -> NDArray[np.int64]:
    """Count the selected ones of the rows, see `encoding.count_selected`."""
    mask = unpack_mask(packed, rows.stop - rows.start)
    return count_selected(read_column(rows, target, layer), mask, *limits)


def arrange_categories(partition: Partition, codes: Codes) -> ViewColumn:
    """Return codes in the order of the index."""
    return arrange_codes(partition.index, codes)


def arrange_numbers(partition: Partition, vector: Vector, levels: Levels) -> ViewColumn:
    """Return numbers in the order of the index, as codes over the range of all partitions."""
    return arrange_vector(partition.index, vector, levels)


def arrange_bits(partition: Partition, packed: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return a selection, packed bits in row order, in the order of the index."""
    mask = unpack_mask(packed, partition.index.n_obs)
    return arrange_mask(partition.index, mask)


def planes_of(
    partition: Partition,
    column: ViewColumn | None,
    selected: NDArray[np.uint8] | None,
    *,
    view: View,
    size: tuple[int, int],
    highlighted: int,
    options: dict[str, Any],
) -> Planes:
    """Aggregate the cells of a view; those of the highlighted category are on top, as if selected."""
    if isinstance(column, CategoryColumn) and highlighted >= 0:
        selected = pack_mask(column.codes == highlighted)
    return aggregate(partition.index, column, view, size, selected=selected, **options)


def numbers_of(
    partition: Partition,
    selected: NDArray[np.uint8] | None,
    *columns: ViewColumn,
    names: tuple[str, ...],
    reduction: Any,
    view: View,
    size: tuple[int, int],
    spread: int,
) -> PixelNumbers:
    """Reduce the cells of a view to numbers of pixels."""
    index, named = partition.index, dict(zip(names, columns, strict=True))
    return reduce_pixels(index, named, reduction, view, size, selected=selected, rows=index.rows, spread=spread)


def add_planes(*planes: Addable) -> Addable:
    """Add planes of disjoint cells."""
    return reduce(add, planes)


def sums_of_rows(
    rows: Rows, partition: Partition, packed: NDArray[np.uint8] | None, *, wanted: Wanted, view: View,
    size: tuple[int, int],
) -> Sums:  # fmt: skip
    """Reduce rows, or those whose bits are set, with the coordinates of the partition."""
    index, n = partition.index, rows.stop - rows.start
    # The index lacks rows without coordinates, which are NaN here.
    xy = np.full((n, 2), np.nan, dtype=np.float32)
    xy[index.rows] = index.xy
    mask = None if packed is None else unpack_mask(packed, n)
    dataset = rows.dataset()
    return sums_over(
        dataset, wanted, view, size, rows=(rows.start, rows.stop), mask=mask,
        xy_block=lambda start, stop: xy[start - rows.start : stop - rows.start],
    )  # fmt: skip


def count(partition: Partition, view: View) -> int:
    """Count the cells of a view."""
    return partition.index.count(view)


def polygon_bits(
    partition: Partition,
    column: ViewColumn | None,
    polygon: NDArray[np.float64],
    visible: NDArray[np.bool_] | None,
) -> NDArray[np.uint8]:
    """Return which rows are in a polygon and visible, as packed bits."""
    index = partition.index
    is_shown = shown_at(column, visible)
    if is_shown is None:
        return pack_mask(index.polygon_mask(polygon))
    places = index.polygon_places(polygon)
    mask = np.zeros(index.n_obs, dtype=np.bool_)
    mask[index.rows[places[is_shown(places)]]] = True
    return pack_mask(mask)


def rows_in(partition: Partition, view: View) -> NDArray[np.int64]:
    """Return the rows of a view, as rows of the dataset, in any order."""
    return partition.start + partition.index.rows[partition.index.rows_in(view)].astype(np.int64)


def nearest(
    partition: Partition,
    column: ViewColumn | None,
    circle: tuple[float, float, float, float],
    visible: NDArray[np.bool_] | None,
) -> tuple[float, int] | None:
    """Return the distance and the row of the nearest visible cell.

    circle : x, y, radius and stretch, as in `SpatialIndex.nearest`
    """
    index, (x, y, radius, stretch) = partition.index, circle
    place = index.nearest(x, y, radius, shown_at(column, visible), stretch=stretch)
    if place is None:
        return None
    at_x, at_y = index.xy[place].astype(np.float64)
    return math.hypot(at_x - x, (at_y - y) * stretch), partition.start + int(index.rows[place])


def under_pointer(
    partition: Partition, column: ViewColumn | None, circle: Circle, visible: NDArray[np.bool_] | None
) -> CellsUnderPointer:
    """Summarize the visible cells in a circle."""
    return count_in_circle(partition.index, circle, column, visible)


def take(
    partition: Partition, column: ViewColumn | None, rows: NDArray[np.int64]
) -> tuple[NDArray[np.float32], NDArray[Any] | None]:
    """Return coordinates and values of rows relative to `start`: codes (-1 missing) or numbers (NaN missing)."""
    index = partition.index
    places = index.places[rows]
    drawn = places < index.n
    xy = np.full((rows.size, 2), np.nan, dtype=np.float32)
    xy[drawn] = index.xy[places[drawn]]
    if column is None:
        return xy, None
    if isinstance(column, CategoryColumn):
        codes = np.full(rows.size, -1, dtype=np.int32)
        found = column.codes[places[drawn]].astype(np.int32)
        codes[drawn] = np.where(found == column.missing_code, -1, found)
        return xy, codes
    values = np.full(rows.size, np.nan)
    values[drawn] = numbers_at(column, places[drawn])
    return xy, values if _is_fine(column) else values.astype(np.float32)


def _is_fine(column: NumberColumn | SparseColumn) -> bool:
    """Return whether float32 is too coarse to distinguish neighboring codes, as for times in nanoseconds."""
    levels = column.levels
    largest = max(abs(levels.lo), abs(levels.hi))
    if largest > np.finfo(np.float32).max:
        return True
    if levels.is_bent:
        return levels.center != 0
    return bool(np.spacing(np.float32(largest)) * LEVELS > levels.hi - levels.lo)
