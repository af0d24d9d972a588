"""Compiled loops over sort keys; imported at first use, since numba is slow to import.

Keys are unsigned integers, in the order of the values. Keys above `last` belong to cells without a value, which come
last in both directions. A mask, bool (n,), may be empty: then all cells count.
"""
# ruff: noqa: PLR0917 (compiled loops take no keywords)

from __future__ import annotations

from typing import Any

import numpy as np

from cxg_widget.compute.compiled import compiled

DIGIT = 16
"""Bits of a key that one pass counts."""


@compiled
def put_float_keys(bits: Any, sign: Any, infinite: Any, out: Any) -> None:
    """Write the keys of floating-point numbers from their bits; NaN gets the highest key.

    sign : the sign bit; infinite : the bits of infinity
    """
    # The bits of floats ascend with their absolute value, so those of negative numbers are inverted, and the others are
    # moved above them.
    for cell in range(bits.size):
        one = bits[cell]
        if (one & ~sign) > infinite:
            # All bits set, for any width of the key.
            out[cell] = ~(one & ~one)
        elif one == sign:  # -0.0 equals 0.0
            out[cell] = sign
        elif one & sign:
            out[cell] = ~one
        else:
            out[cell] = one | sign


@compiled
def put_words(text: Any, begin: Any, end: Any, depth: Any, out: Any) -> None:
    """Write eight bytes of each string from byte 8 * depth on, big-endian; 0 after its end."""
    for cell in range(begin.size):
        word = np.uint64(0)
        first = begin[cell] + 8 * depth
        for at in range(8):
            word <<= np.uint64(8)
            if first + at < end[cell]:
                word |= np.uint64(text[first + at])
        out[cell] = word


@compiled
def placed(keys: Any, cell: Any, last: Any, descends: Any) -> Any:
    """Return the sort key of a cell; for a descending order, inverted up to `last`."""
    key = np.uint64(keys[cell])
    return last - key if descends and key <= last else key


@compiled
def count_digits(keys: Any, mask: Any, last: Any, descends: Any, low: Any, high: Any, shift: Any, out: Any) -> None:
    """Count the cells with a key from `low` to `high` by (key - low) >> shift, which is below out.size."""
    for cell in range(keys.size):
        if mask.size and not mask[cell]:
            continue
        key = placed(keys, cell, last, descends)
        if low <= key <= high:
            out[(key - low) >> shift] += 1


@compiled
def put_rows(keys: Any, mask: Any, last: Any, descends: Any, low: Any, high: Any, skip: Any, out: Any) -> None:
    """Write the rows of cells with a key from `low` to `high`, after skipping `skip` of them, until `out` is full."""
    found = -skip
    for cell in range(keys.size):
        if mask.size and not mask[cell]:
            continue
        key = placed(keys, cell, last, descends)
        if low <= key <= high:
            if found >= 0:
                out[found] = cell
            found += 1
            if found == out.size:
                return


@compiled
def count_before(keys: Any, mask: Any, last: Any, descends: Any, row: Any) -> Any:
    """Count the cells with a lower key than that of a row, and those with the same key in earlier rows."""
    wanted = placed(keys, row, last, descends)
    lower, equal = 0, 0
    for cell in range(keys.size):
        if mask.size and not mask[cell]:
            continue
        key = placed(keys, cell, last, descends)
        if key < wanted:
            lower += 1
        elif key == wanted and cell < row:
            equal += 1
    return lower, equal


@compiled
def put_masked(mask: Any, skip: Any, out: Any) -> None:
    """Write the rows that are True, after skipping `skip` of them, until `out` is full."""
    found = -skip
    for cell in range(mask.size):
        if mask[cell]:
            if found >= 0:
                out[found] = cell
            found += 1
            if found == out.size:
                return
