"""Compiling the loops before the first cells are compared."""

from __future__ import annotations

import numpy as np

from cxg_widget.compare.composition import Composition
from cxg_widget.compare.kernels import (
    add_columns,
    add_dense_rows,
    add_ranks,
    add_rows,
    add_totals,
    put_columns,
    put_rows,
    put_totals,
)
from cxg_widget.compute.compiled import frozen


def compile_loops() -> None:
    """Compile every loop on no cells or a few, or load what was compiled before."""
    assert Composition(np.array([1, 0]), np.array([2, 1])).log10_p_adj.size == 2
    starts, ends = frozen(np.zeros(2, dtype=np.int64)), np.zeros(1, dtype=np.int64)
    entries = starts, frozen(np.zeros(0, dtype=np.int32)), frozen(np.zeros(0, dtype=np.float32))
    cells = frozen(np.zeros(1, dtype=np.int32)), frozen(np.zeros(0))
    state, rare = np.zeros((1, 1, 5)), np.zeros((1, 1, 3), dtype=np.int32)
    add_rows(entries, cells, False, state, rare)
    add_dense_rows(frozen(np.zeros((1, 1), dtype=np.float32)), cells, False, state, rare)
    add_columns(entries, cells, False, state, rare)
    put_totals(entries, np.zeros(1))
    add_totals(entries, np.zeros(0))
    keys, fill = np.zeros(0, dtype=np.uint64), np.zeros(1, dtype=np.float32)
    put_columns(entries, cells, keys, ends)
    put_rows(entries, cells, (0, frozen(fill)), keys, ends)
    add_ranks((keys, ends, ends), np.zeros((1, 1), dtype=np.int64), fill, np.zeros((1, 1)), np.zeros(1))
