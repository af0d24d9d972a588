"""The cells in the circle beneath the pointer, where they are too many to name one: how many, and of what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cxg_widget.display.coloring import Coloring
from cxg_widget.spatial import SpatialIndex
from cxg_widget.spatial.circle import Circle, runs_of_circle
from cxg_widget.spatial.regions import Runs
from cxg_widget.wire.protocol import MISSING_U16
from cxg_widget.wire.quantise import decode

if TYPE_CHECKING:
    from cxg_widget.draw.aggregate import ViewColumn
    from cxg_widget.draw.aggregate.columns import Places

LEAST = 30
"""So many cells in a circle of some px are too many to name one."""
_LONG = 4_096
"""Runs of so many cells are counted where they lie; shorter ones together."""


@dataclass(frozen=True)
class Beneath:
    """What is known of the cells in a circle that are shown.

    Attributes
    ----------
    n : how many they are
    counts : of each category, int64 (k + 1,), the missing ones last; None where they are not coloured by categories
    mean : of their numbers; NaN where none has one, None where they are not coloured by numbers
    n_above : how many numbers lie above 0
    n_missing : how many have no number
    """

    n: int
    counts: NDArray[np.int64] | None = None
    mean: float | None = None
    n_above: int = 0
    n_missing: int = 0

    @classmethod
    def of_categories(cls, counts: NDArray[np.int64], visible: NDArray[np.bool_] | None) -> Beneath:
        """Return cells by their categories, those left out that are hidden; bool (k + 1,), None = none is."""
        counts = counts if visible is None else np.where(visible, counts, 0)
        return cls(int(counts.sum()), counts)

    @classmethod
    def of_numbers(cls, values: NDArray[np.float64], counts: NDArray[np.int64], n: int) -> Beneath:
        """Return n cells by finite numbers, float64 (k,), and how many cells have each, int64 (k,)."""
        n_valued = int(counts.sum())
        mean = float(counts @ values / n_valued) if n_valued else np.nan
        return cls(n, None, mean, int(counts[values > 0].sum()), n - n_valued)

    @classmethod
    def of_rows(cls, rows: NDArray[np.int64], coloring: Coloring, hidden: tuple[str, ...]) -> Beneath:
        """Return what some rows are."""
        if coloring.scale == "categorical":
            codes, k = coloring.codes.codes[rows], len(coloring.codes.categories)
            counts = np.bincount(np.where(codes < 0, k, codes), minlength=k + 1).astype(np.int64)
            return cls.of_categories(counts, coloring.visible_categories(hidden))
        if coloring.scale != "continuous":
            return cls(rows.size)
        values = coloring.take(rows).numbers.dense().astype(np.float64)
        values = values[np.isfinite(values)]
        return cls.of_numbers(values, np.ones(values.size, dtype=np.int64), rows.size)


def beneath_circle(
    index: SpatialIndex, circle: Circle, column: ViewColumn | None, coloring: Coloring, hidden: tuple[str, ...]
) -> Beneath:
    """Return what lies in a circle of an index whose cells are coloured by a column in its order.

    Of numbers the mean is exact to (hi - lo) / 65534.
    """
    from cxg_widget.draw.aggregate import CategoryColumn

    runs = runs_of_circle(index.tree, circle)
    inner, unsure = runs.only(inner=True), runs.only(inner=False).places()
    rim = unsure[circle.holds(index.xy[unsure])]
    n = int(inner.sizes.sum()) + rim.size
    if column is None:
        return Beneath(n)
    codes = _count_codes(column, inner, rim)
    if isinstance(column, CategoryColumn):
        counts = np.append(codes[: column.n_categories], codes[column.missing_code])
        return Beneath.of_categories(counts, coloring.visible_categories(hidden))
    present = np.flatnonzero(codes[:MISSING_U16])
    return Beneath.of_numbers(decode(present, column.lo, column.hi), codes[present], n)


def _count_codes(column: ViewColumn, inner: Runs, rim: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count the cells of some runs and some more places by their codes, int64 (256 or 65,536,)."""
    from cxg_widget.draw.aggregate import CategoryColumn
    from cxg_widget.draw.aggregate.columns import codes_at

    counts = np.zeros(1 << 16, dtype=np.int64)
    is_long = inner.sizes >= _LONG
    short = Runs(inner.starts[~is_long], inner.stops[~is_long], inner.inner[~is_long]).places()
    parts: list[Places] = [slice(*run) for run in zip(inner.starts[is_long], inner.stops[is_long], strict=True)]
    for places in [*parts, np.concatenate([short, rim])]:
        found = np.bincount(column.codes[places] if isinstance(column, CategoryColumn) else codes_at(column, places))
        counts[: found.size] += found
    return counts
