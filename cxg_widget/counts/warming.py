"""Compiles the loops before the first column is opened."""

from __future__ import annotations

import numpy as np

from cxg_widget.compute.compiled import frozen
from cxg_widget.counts.coded import of_codes, of_numbers
from cxg_widget.counts.count_loops import put_keys, put_states, sum_runs, tally, tally_runs
from cxg_widget.counts.on_grid import Grid, count_codes, count_on_grid
from cxg_widget.datasets.base.values import Codes


def compile_runs() -> None:
    """Compile the loop that counts cells under the pointer."""
    places = np.arange(2)
    for kind in ("uint8", "uint16"):
        codes = frozen(np.zeros(3, dtype=kind))
        tally_runs(codes, places, places + 1, np.zeros((4, 2), dtype=np.uint32))
    sum_runs(codes, places, places + 1, 1, 2)


def compile_loops() -> None:
    """Compile every loop on a few cells, for the usual dtypes of columns, or load what was compiled before."""
    nobody, nothing = np.zeros(3, dtype=np.bool_), np.zeros(3, dtype=np.uint8)
    states = np.zeros(3, dtype=np.uint8)
    put_states(frozen(nothing), frozen(nobody), frozen(nobody), frozen(nothing), states)
    put_keys(frozen(nothing), 1, frozen(states), 0, np.zeros(3, dtype=np.uint16))
    few, many = tuple(range(3)), tuple(range(300))
    coded = [of_numbers(np.arange(3).astype(dtype)) for dtype in ("float32", "float64", "int32", "int64")]
    coded += [of_codes(Codes(np.arange(3).astype(dtype), few)) for dtype in ("int8", "int16", "int32")]
    coded += [of_codes(Codes(np.arange(3).astype(dtype), many)) for dtype in ("int16", "int32")]
    for column in coded:
        tally(frozen(column.codes), frozen(states), 2, np.zeros((4, column.n_codes << 2), dtype=np.uint32))
    xy, rows, slots = np.zeros((3, 2), dtype=np.float32), np.arange(3, dtype=np.uint32), np.zeros(4, dtype=np.int32)
    for kind in ("int8", "int16", "int32"):
        codes = np.arange(3).astype(kind)
        count_codes(codes, 3)
        count_on_grid(xy, codes, slots, Grid.around((0, 0, 0, 0), 16), rows=rows)
