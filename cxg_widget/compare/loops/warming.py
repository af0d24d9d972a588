"""Compiles the loops before the first comparison, or the first plot of groups."""

from __future__ import annotations

import numpy as np

from cxg_widget.compare.composition import Composition
from cxg_widget.compare.loops.rank_loops import (
    add_ranks,
    add_ranks_against,
    count_transposed,
    put_columns,
    put_keys,
    put_transposed,
    sort_keys,
)
from cxg_widget.compare.loops.sum_loops import (
    add_columns,
    add_dense_rows,
    add_rows,
    add_to_bins,
    add_totals,
    add_values,
    put_sparse,
    put_totals,
    sum_columns,
    sum_rows,
    sum_values_of_columns,
    sum_values_of_rows,
)
from cxg_widget.compare.moments import nothing_known
from cxg_widget.compute.compiled import frozen


def compile_loops() -> None:
    """Compile every loop on no cells or a few, or load what was compiled before."""
    assert Composition(np.array([1, 0]), np.array([2, 1])).log10_p_adj.size == 2
    starts, ends = frozen(np.zeros(2, dtype=np.int64)), np.zeros(1, dtype=np.int64)
    entries = starts, frozen(np.zeros(0, dtype=np.int32)), frozen(np.zeros(0, dtype=np.float32))
    cells = frozen(np.zeros(1, dtype=np.int32)), frozen(np.zeros(0))
    known, by_rows = (nothing_known(2, 2, 5, by_rows=axis) for axis in (False, True))
    ordered = *cells, frozen(np.zeros(1, dtype=np.int64))
    add_rows(entries, ordered, False, *by_rows)
    add_dense_rows(frozen(np.zeros((1, 1), dtype=np.float32)), ordered, False, *by_rows)
    add_columns(entries, cells, False, *known)
    put_totals(entries, np.zeros(1))
    add_totals(entries, np.zeros(0))
    for dtype in (np.uint32, np.int64):
        sum_rows(entries, cells[0], np.zeros((1, 1), dtype=dtype))
    sum_columns(entries, cells[0], np.zeros((1, 1), dtype=np.int64))
    none = np.zeros(0, dtype=np.int32)
    for sums in (np.zeros((1, 1), dtype=np.uint32), np.zeros((1, 1), dtype=np.int64)):
        put_sparse(sums, ends, none, np.zeros(0, dtype=np.int64))
    put_sparse(np.zeros((1, 1)), ends, none, np.zeros(0))
    for loop in (sum_values_of_rows, sum_values_of_columns):
        loop(entries, cells[0], np.zeros((1, 1)))
    keys, fill = np.zeros(0, dtype=np.uint64), np.zeros(1, dtype=np.float32)
    put_columns(entries, cells, keys, ends)
    offsets, counts = np.zeros(1, dtype=np.int32), np.zeros((3, 1), dtype=np.int64)
    add_values(frozen(fill), cells[0], counts, np.zeros((3, 1)))
    add_to_bins(frozen(fill), cells[0], np.arange(4.0), np.zeros((1, 3), dtype=np.int64))
    done, until = np.zeros(1, dtype=np.int32), np.zeros(1, dtype=np.int32)
    count_transposed(entries, (cells[0], done, until), frozen(fill), 0, offsets)
    for kind in (np.uint8, np.uint16):
        transposed = np.zeros(0, dtype=np.float32), np.zeros(0, dtype=kind)
        put_transposed(entries, (*cells, done, until), (0, frozen(fill)), offsets, transposed)
        put_keys((frozen(transposed[0]), frozen(transposed[1])), offsets, offsets, keys, ends)
    sort_keys(keys, ends, ends, keys)
    add_ranks((keys, ends, ends), np.zeros((1, 1), dtype=np.int64), fill, np.zeros((1, 1)), np.zeros(1))
    both = np.zeros((1, 1)), np.zeros((1, 1))
    add_ranks_against((keys, ends, ends), np.zeros((1, 1), dtype=np.int64), fill, 0, both)
