"""Summary of the cells under the pointer, if they are too many to name one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cxg_widget.display.coloring import Coloring
from cxg_widget.spatial import SpatialIndex
from cxg_widget.spatial.circle import Circle, runs_of_circle
from cxg_widget.spatial.regions import Runs
from cxg_widget.wire.levels import Levels
from cxg_widget.wire.protocol import MISSING_U16
from cxg_widget.wire.quantise import LEVELS, between

if TYPE_CHECKING:
    from cxg_widget.draw.aggregate.image_columns import CategoryColumn, NumberColumn, SparseColumn, ViewColumn

MANY = 30
"""From this number of cells in the circle, a summary replaces the nearest cell."""
_Edges = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Runs of places: starts and stops."""


@dataclass(frozen=True)
class CellsUnderPointer:
    """Summary of the shown cells in a circle.

    counts : by category, int64 (k + 1,), missing last; None if not colored by categories
    mean : of their numbers; NaN if none has one, None if not colored by numbers
    n_above : number of values above 0
    off : largest error of the mean
    """

    n: int
    counts: NDArray[np.int64] | None = None
    mean: float | None = None
    n_above: int = 0
    n_missing: int = 0
    off: float = 0.0

    def __add__(self, other: CellsUnderPointer) -> CellsUnderPointer:
        """Return the summary of both, with the same coloring."""
        n = self.n + other.n
        if self.counts is not None and other.counts is not None:
            return CellsUnderPointer(n, self.counts + other.counts)
        if self.mean is None or other.mean is None:
            return CellsUnderPointer(n)
        n_missing, n_above = self.n_missing + other.n_missing, self.n_above + other.n_above
        # Weighted means instead of sums, which may be infinite.
        shares = [((one.n - one.n_missing) / max(n - n_missing, 1), one) for one in (self, other)]
        mean = sum(share * one.mean for share, one in shares if share and one.mean is not None)
        off = sum(share * one.off for share, one in shares)
        return CellsUnderPointer(n, None, mean if n > n_missing else np.nan, n_above, n_missing, off)

    @classmethod
    def of_categories(cls, counts: NDArray[np.int64], visible: NDArray[np.bool_] | None) -> CellsUnderPointer:
        """Summarize cells by category, without hidden ones; bool (k + 1,), None = none hidden."""
        counts = counts if visible is None else np.where(visible, counts, 0)
        return cls(int(counts.sum()), counts)

    @classmethod
    def of_numbers(cls, values: NDArray[np.float64]) -> CellsUnderPointer:
        """Summarize numbers, float64 (n,); non-finite ones are missing."""
        finite = values[np.isfinite(values)]
        # Divided before adding, since the sum of large numbers may be infinite.
        mean = float((finite / finite.size).sum()) if finite.size else np.nan
        return cls(values.size, None, mean, int(np.count_nonzero(finite > 0)), values.size - finite.size)

    @classmethod
    def of_rows(cls, rows: NDArray[np.int64], coloring: Coloring, hidden: tuple[str, ...]) -> CellsUnderPointer:
        """Summarize some rows."""
        if coloring.scale == "categorical":
            codes, k = coloring.codes.codes[rows], len(coloring.codes.categories)
            counts = np.bincount(np.where(codes < 0, k, codes), minlength=k + 1).astype(np.int64)
            return cls.of_categories(counts, coloring.visible_categories(hidden))
        if coloring.scale != "continuous":
            return cls(rows.size)
        return cls.of_numbers(coloring.take(rows).numbers.dense().astype(np.float64))


def count_in_circle(
    index: SpatialIndex, circle: Circle, column: ViewColumn | None, visible: NDArray[np.bool_] | None
) -> CellsUnderPointer:
    """Summarize the cells in a circle of an index, colored by a column in its order.

    visible : visible categories, bool (k + 1,), missing last; None = all
    """
    from cxg_widget.draw.aggregate.image_columns import CategoryColumn

    starts, stops = _runs_in(index, circle)
    if column is None:
        return CellsUnderPointer(int((stops - starts).sum()))
    if isinstance(column, CategoryColumn):
        return CellsUnderPointer.of_categories(_counts_of(column, starts, stops), visible)
    return _numbers_of(column, starts, stops)


def count_in_mask(
    index: SpatialIndex, circle: Circle, mask: NDArray[np.bool_], coloring: Coloring, hidden: tuple[str, ...]
) -> CellsUnderPointer:
    """Summarize the cells of a mask, bool (n_obs,), in a circle of an index of all cells."""
    starts, stops = _runs_in(index, circle)
    rows = index.rows[Runs(starts, stops, np.ones(starts.size, dtype=np.bool_)).places()].astype(np.int64)
    return CellsUnderPointer.of_rows(rows[mask[rows]], coloring, hidden)


def _runs_in(index: SpatialIndex, circle: Circle) -> _Edges:
    """Return the runs of the points in a circle; many points at one place are tested as one."""
    found, crowds = runs_of_circle(index.tree, circle), index.crowds
    inner, unsure = found.only(inner=True), found.only(inner=False).singled(crowds).places()
    rim = unsure[circle.holds(index.xy[unsure])]
    ends, crowded = rim + 1, np.isin(crowds.starts, rim)
    ends[np.searchsorted(rim, crowds.starts[crowded])] = crowds.stops[crowded]
    return np.concatenate([inner.starts, rim]), np.concatenate([inner.stops, ends])


def _counts_of(column: CategoryColumn, starts: NDArray[np.int64], stops: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count the cells of runs by category, int64 (k + 1,), missing last."""
    from cxg_widget.compute.compiled import frozen
    from cxg_widget.counts.count_loops import tally_runs

    tables = np.zeros((4, column.missing_code + 1), dtype=np.uint32)
    tally_runs(frozen(column.codes), starts, stops, tables)
    counts = tables.sum(axis=0, dtype=np.int64)
    return np.append(counts[: column.n_categories], counts[column.missing_code])


def _numbers_of(
    column: NumberColumn | SparseColumn, starts: NDArray[np.int64], stops: NDArray[np.int64]
) -> CellsUnderPointer:
    """Return the mean of the numbers of runs."""
    from cxg_widget.compute.compiled import frozen
    from cxg_widget.counts.count_loops import sum_numbers, sum_runs
    from cxg_widget.draw.aggregate.image_columns import SparseColumn

    levels, n = column.levels, int((stops - starts).sum())
    lo, hi = levels.lo, levels.hi
    zero = MISSING_U16 if hi < 0 else levels.zero
    if isinstance(column, SparseColumn):
        starts, stops = (np.searchsorted(column.places, edges) for edges in (starts, stops))
    n_valued, total, n_above, n_zero = sum_runs(frozen(column.codes), starts, stops, zero, MISSING_U16)
    if isinstance(column, SparseColumn):
        rest = n - int((stops - starts).sum())
        n_valued, total = n_valued + rest, total + rest * column.fill
        n_above, n_zero = n_above + rest * (column.fill > zero), n_zero + rest * (column.fill == zero)
    if levels.is_bent:
        sums = []
        for one in (levels.table, _steps(levels)):
            listed = sum_numbers(frozen(column.codes), starts, stops, MISSING_U16, frozen(one))
            sums.append(listed + (rest * one[column.fill] if isinstance(column, SparseColumn) else 0.0))
        mean, off = (float(one / n_valued) if n_valued else np.nan for one in sums)
        return CellsUnderPointer(n, None, mean, int(n_above), n - int(n_valued), off if n_valued else 0.0)
    mean = float(between(lo, hi, total / (n_valued * LEVELS))) if n_valued else np.nan
    off = (hi / LEVELS - lo / LEVELS) * (n_valued - n_zero) / max(n_valued, 1)  # 0 has its own code
    return CellsUnderPointer(n, None, mean, int(n_above), n - int(n_valued), off)


def _steps(levels: Levels) -> NDArray[np.float64]:
    """Return the largest error of a number by its code, float64 (65536,)."""
    numbers = levels.numbers_at(np.clip(np.arange(-0.5, MISSING_U16 + 1), 0, LEVELS))
    steps = np.diff(numbers)
    steps[levels.zero] *= levels.zero < 0
    return steps
