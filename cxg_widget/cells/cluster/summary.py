"""What the legend says of a column that no process holds whole: counted in parts, then added up."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets import Codes, Vector
from cxg_widget.wire.encoding import QUANTILES, bin_values, category_counts
from cxg_widget.wire.protocol import MISSING_U16
from cxg_widget.wire.quantise import LEVELS, between, quantise


def count_codes(codes: Codes) -> tuple[tuple[Any, ...], NDArray[np.int64]]:
    """Return the categories and the cells of each, the missing ones first; runs on a worker."""
    counts, n_missing = category_counts(codes)
    return codes.categories, np.array([n_missing, *counts])


def limits_of(vector: Vector, n_rows: int) -> tuple[float, float, int]:
    """Return the finite range (inf, -inf if there is none) and the number of cells that are not; runs on a worker."""
    finite = vector.values[np.isfinite(vector.values)]
    known = [finite.min(), finite.max()] if finite.size else []
    if vector.rows is not None and vector.rows.size < n_rows:
        known.append(vector.fill)
    lo, hi = (float(min(known)), float(max(known))) if known else (np.inf, -np.inf)
    return lo, hi, int(vector.values.size - finite.size)


def tally(vector: Vector, n_rows: int, lo: float, hi: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count cells by bin (64,) and by code (65535,) over lo..hi, the range of all cells; runs on a worker."""
    finite = vector.values[np.isfinite(vector.values)]
    n_fill = 0 if vector.rows is None else n_rows - vector.rows.size
    bins = bin_values(finite, lo, hi) + n_fill * bin_values(np.array([vector.fill]), lo, hi)
    codes = np.bincount(quantise(finite, lo, hi), minlength=MISSING_U16)
    if n_fill:
        codes[int(quantise(np.array([vector.fill]), lo, hi)[0])] += n_fill
    return bins, codes


def quantiles_of(codes: NDArray[np.int64], lo: float, hi: float) -> NDArray[np.float64]:
    """Return quantiles (1001,) from the number of cells of each code."""
    ends = np.cumsum(codes)
    total = int(ends[-1])
    if total == 0:
        return np.zeros(QUANTILES)
    position = np.linspace(0, total - 1, QUANTILES)
    below = np.floor(position).astype(np.int64)
    low, high = (np.searchsorted(ends, rank, side="right") for rank in (below, np.minimum(below + 1, total - 1)))
    return between(lo, hi, (low + (high - low) * (position - below)) / LEVELS)
