"""Compiled loops over the entries of many lines."""

from __future__ import annotations

from typing import Any

import numpy as np

from cxg_widget.compute.compiled import compiled


@compiled
def is_plain(starts: Any, positions: Any, length: int) -> bool:
    """Say whether positions ascend in each line, and none is below 0, or `length` and more."""
    for line in range(len(starts) - 1):
        last = -1
        for entry in range(starts[line], starts[line + 1]):
            if positions[entry] <= last:
                return False
            last = positions[entry]
        if last >= length:
            return False
    return True


@compiled
def repeats(starts: Any, positions: Any, length: int) -> bool:
    """Say whether a line names a position twice, in one pass whatever their order.

    starts : integers (n_lines + 1,)
    positions : integers, each 0 <= position < length
    """
    # The last line that named each position. TileDB gives no order, and sorting took half as long as reading
    # (decision 55).
    line_of = np.full(length, -1, np.int64)
    for line in range(len(starts) - 1):
        for entry in range(starts[line], starts[line + 1]):
            if line_of[positions[entry]] == line:
                return True
            line_of[positions[entry]] = line
    return False
