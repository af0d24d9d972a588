"""Compiled loops over the entries of many lines."""

from __future__ import annotations

from typing import Any

import numpy as np

from cxg_widget.compute.compiled import compiled


@compiled
def is_plain(starts: Any, positions: Any, length: int) -> bool:
    """Say whether positions ascend in each line, and none is below 0, or `length` and more."""
    # Counting all falls and subtracting those between lines takes SIMD: 0.3 ns an entry in place of 1.6.
    n_falls = 0
    for entry in range(1, len(positions)):
        n_falls += positions[entry] <= positions[entry - 1]
    for line in range(len(starts) - 1):
        first, end = starts[line], starts[line + 1]
        if first == end:
            continue
        if positions[first] < 0 or positions[end - 1] >= length:
            return False
        if first > 0:
            n_falls -= positions[first] <= positions[first - 1]
    return n_falls == 0


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
