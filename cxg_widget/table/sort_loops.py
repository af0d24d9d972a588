"""The compiled loops over sort keys; imported at first use only, since numba takes a while.

A key is an unsigned integer of a cell, and the order of keys is that of the values. Keys above `last` are of cells
without a value, which come last whichever way is sorted. A mask, bool (n,), may be empty: then all cells count.
"""
# ruff: noqa: PLR0917 (compiled loops take no keywords)

from __future__ import annotations

from typing import Any

import numpy as np

from cxg_widget.compute.compiled import compiled

DIGIT = 16
"""Bits of a key that are looked at in one go."""


@compiled
def put_float_keys(bits: Any, sign: Any, infinite: Any, out: Any) -> None:
    """Write the keys of floating-point numbers from their bits; the highest key where there is no number.

    sign : the bit that says so; infinite : the bits of infinity
    """
    # The bits of floats ascend with their distance from 0: so those of numbers below 0 are turned round, and the
    # others are placed above them.
    for cell in range(bits.size):
        one = bits[cell]
        if (one & ~sign) > infinite:
            # All bits set, without naming the width of the key.
            out[cell] = ~(one & ~one)
        elif one == sign:  # -0.0 equals 0.0
            out[cell] = sign
        elif one & sign:
            out[cell] = ~one
        else:
            out[cell] = one | sign


@compiled
def put_words(text: Any, begin: Any, end: Any, depth: Any, out: Any) -> None:
    """Write eight bytes of each string from byte 8 * depth on, the first one highest; 0 after its end."""
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
    """Return the key of a cell as it is sorted by: where the highest come first, turned round up to `last`."""
    key = np.uint64(keys[cell])
    return last - key if descends and key <= last else key


@compiled
def count_digits(keys: Any, mask: Any, last: Any, descends: Any, low: Any, high: Any, shift: Any, out: Any) -> None:
    """Count the cells with a key from `low` to `high` by (key - low) >> shift, which lies below out.size."""
    for cell in range(keys.size):
        if mask.size and not mask[cell]:
            continue
        key = placed(keys, cell, last, descends)
        if low <= key <= high:
            out[(key - low) >> shift] += 1


@compiled
def put_rows(keys: Any, mask: Any, last: Any, descends: Any, low: Any, high: Any, skip: Any, out: Any) -> None:
    """Write the rows of cells with a key from `low` to `high`, but for the first `skip`, until `out` is full."""
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
    """Count the cells with a lower key than that of a row, and those with the same in rows before it."""
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
    """Write the rows that are True, but for the first `skip`, until `out` is full."""
    found = -skip
    for cell in range(mask.size):
        if mask[cell]:
            if found >= 0:
                out[found] = cell
            found += 1
            if found == out.size:
                return
