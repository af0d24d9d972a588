"""Replaces float64 values by their place in the order, which float32 holds: ranks need no more."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.matrix_block import MatrixBlock, Numbers


def places_of(values: Numbers, fill: float = 0.0) -> NDArray[np.float32]:
    """Return the place of each value among the distinct ones, float32 (k,), so that `fill` is 0; NaN stays.

    Of one gene up to 2^24 distinct values on either side of `fill` are distinguished.
    """
    found = np.full(len(values), np.nan, dtype=np.float32)
    known = ~np.isnan(values)
    # float32 holds whole numbers up to 2**24 exactly: ranks need the order alone.
    distinct, places = np.unique(values[known], return_inverse=True)
    below = int(np.searchsorted(distinct, fill))
    has_fill = below < len(distinct) and distinct[below] == fill
    places = places - below
    found[known] = places if has_fill else places + (places >= 0)
    return found


def in_order(block: MatrixBlock) -> MatrixBlock:
    """Return columns, without a fill, whose values are places in the order of each."""
    parts = [places_of(block.values[first:stop]) for first, stop in pairwise(block.starts.tolist())]
    return MatrixBlock(block.starts, block.positions, np.concatenate([*parts, np.empty(0, np.float32)]))
