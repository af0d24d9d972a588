"""Exact medians of one gene in groups of cells."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compare.groups import CellGroups, Floats
from cxg_widget.datasets.base.values import Vector


def medians(vector: Vector, groups: CellGroups) -> Floats:
    """Return the median of each group, float64 (k,): of an even number of values the mean of the middle two.

    NaN does not count; a group without a value has NaN. Cells that a sparse gene does not list count with its fill.
    """
    codes = groups.codes if vector.rows is None else groups.codes[vector.rows]
    counts = (codes >= 0) & ~np.isnan(vector.values)
    values, codes = vector.values[counts], codes[counts]
    bounds = np.concatenate([[0], np.cumsum(np.bincount(codes, minlength=groups.n_groups))])
    by_group = values[np.argsort(codes, kind="stable")]
    n_filled = _n_filled(vector, groups)
    found = np.full(groups.n_groups, np.nan)
    for group, (start, end) in enumerate(pairwise(bounds.tolist())):
        n = end - start + int(n_filled[group])
        if n:
            middle = _ranked(by_group[start:end], vector.fill, int(n_filled[group]), ((n - 1) // 2, n // 2))
            found[group] = (middle[0] + middle[1]) / 2
    return found


def _n_filled(vector: Vector, groups: CellGroups) -> NDArray[np.int64]:
    """Count the cells of each group with the fill of a sparse gene, int64 (k,)."""
    if vector.rows is None or np.isnan(vector.fill):
        return np.zeros(groups.n_groups, dtype=np.int64)
    listed = groups.codes[vector.rows]
    return groups.n_cells - np.bincount(listed[listed >= 0], minlength=groups.n_groups)


def _ranked(values: NDArray[np.floating], fill: float, n_filled: int, ranks: tuple[int, int]) -> list[float]:
    """Return the values at two ranks of these values and `n_filled` times the fill, without writing the fill out."""
    n_below = int(np.count_nonzero(values < fill)) if n_filled else values.size
    places = [rank if rank < n_below else rank - n_filled for rank in ranks if not n_below <= rank < n_below + n_filled]
    # A median needs two ranks, not a sorted array.
    parted = np.partition(values, places) if places else values
    at = iter(places)
    return [fill if n_below <= rank < n_below + n_filled else float(parted[next(at)]) for rank in ranks]
