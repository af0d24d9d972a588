"""Compiling the loops before the table is first sorted."""

from __future__ import annotations

import numpy as np

from cxg_widget.table.keys import Keys, of_numbers, of_text
from cxg_widget.table.order import place_of, rows_at


def compile_loops() -> None:
    """Compile every loop on a few cells, or load what was compiled before."""
    rows_at(None, np.ones(1, dtype=np.bool_), 0, 1)
    of_text(np.array(["a"], dtype=object))
    for float_type in (np.float32, np.float64):
        of_numbers(np.zeros(1, dtype=float_type))
    for key_type in (np.uint16, np.uint32, np.uint64):
        keys = Keys(np.zeros(1 << 15, dtype=key_type), 1)  # too many to be sorted in one go
        rows_at(keys, None, 0, 1)
        place_of(0, keys, None)
