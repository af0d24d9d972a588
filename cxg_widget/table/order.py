"""Finds the rows of a page of the sorted table by counting digits of their keys, without sorting all rows.

A page of ten million rows is found in a few passes over their keys, wherever it is, and only the keys are cached.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compute.compiled import frozen
from cxg_widget.table.keys import Keys, of_numbers, of_text
from cxg_widget.table.sort_loops import DIGIT, count_before, count_digits, put_masked, put_rows

Mask = NDArray[np.bool_]
Rows = NDArray[np.int64]
_FEW = 1 << 14
"""Up to this many rows are sorted directly, without counting further digits."""
_ALL: Mask = np.empty(0, dtype=np.bool_)
_WINDOW = 1 << 12
"""Rows found at a time, so that scrolling on needs no new search."""


def rows_at(keys: Keys | None, mask: Mask | None, start: int, stop: int, *, descends: bool = False) -> Rows:
    """Return the rows at the positions start <= position < stop of a table, int64.

    keys : sort keys, equal keys in the order of the store; None = unsorted
    mask : bool (n,), cells of the table; None = all
    stop : at most the number of cells
    """
    if keys is None:
        if mask is None:
            return np.arange(start, stop)
        out = np.empty(stop - start, dtype=np.int64)
        if out.size:
            put_masked(frozen(mask), start, out)
        return out
    return _Sorted(keys, mask, descends=descends).rows(start, stop)


def place_of(row: int, keys: Keys | None, mask: Mask | None, *, descends: bool = False) -> int:
    """Return the position of a row in a table, -1 if it is not in it; parameters as `rows_at`."""
    if mask is not None and not mask[row]:
        return -1
    if keys is None:
        return row if mask is None else int(np.count_nonzero(mask[:row]))
    return _Sorted(keys, mask, descends=descends).place(row)


class _Sorted:
    """Some cells sorted by their keys."""

    def __init__(self, keys: Keys, mask: Mask | None, *, descends: bool) -> None:
        self._keys, self._descends = keys, descends
        mask = _ALL if mask is None else mask
        self._given: tuple[Any, ...] = (frozen(keys.first), frozen(mask), np.uint64(keys.last), descends)
        self._bits = 8 * keys.first.dtype.itemsize

    def rows(self, start: int, stop: int) -> Rows:
        """Return the rows at some positions."""
        if start >= stop:
            return np.empty(0, dtype=np.int64)
        if self._keys.first.size <= _FEW:
            mask = self._given[1]
            n = int(np.count_nonzero(mask)) if mask.size else self._keys.first.size
            return self._sorted(0, (1 << self._bits) - 1, n, start, stop)
        return np.concatenate(self._within(0, self._bits, start, stop))

    def place(self, row: int) -> int:
        """Return the position of a row that is in the table."""
        lower, equal = count_before(*self._given, row)
        if self._keys.next is None or self._is_missing(row):
            return int(lower + equal)
        same, among = self._same(row)
        return int(lower) + _Sorted(self._keys.next(same), None, descends=self._descends).place(among)

    def _is_missing(self, row: int) -> bool:
        return int(self._keys.first[row]) > self._keys.last

    def _same(self, row: int) -> tuple[Rows, int]:
        """Return all rows with the key of a row, and its index among them."""
        keys, mask = self._given[0], self._given[1]
        is_same = keys == keys[row]
        same = np.flatnonzero(is_same & mask if mask.size else is_same)
        return same, int(np.searchsorted(same, row))

    def _within(self, low: int, bits: int, start: int, stop: int) -> list[Rows]:
        """Return the rows at some positions among those whose keys agree with `low` in all but the lowest bits."""
        if bits == 0:
            return [self._of_one_key(low, start, stop)]
        # With 16 bits at a time any page is found in a few passes, the last one as fast as the first (decision 38).
        shift = max(bits - DIGIT, 0)
        counts = np.zeros(1 << (bits - shift), dtype=np.int64)
        count_digits(*self._given, np.uint64(low), np.uint64(low + (1 << bits) - 1), np.uint64(shift), counts)
        ends = np.cumsum(counts)
        found: list[Rows] = []
        digit = int(np.searchsorted(ends, start, side="right"))
        while start < stop:
            # Once few rows agree in their leading digits, they are sorted directly.
            before = int(ends[digit] - counts[digit])
            to = int(np.searchsorted(ends, min(before + _FEW, int(ends[-1])), side="right")) - 1
            to = min(to, int(np.searchsorted(ends, stop, side="left")))
            first = low + (digit << shift)
            if to < digit:  # more than a few rows
                to = digit
                end = min(stop, int(ends[digit]))
                found += self._within(first, shift, start - before, end - before)
            else:
                end = min(stop, int(ends[to]))
                high = low + ((to + 1) << shift) - 1
                found.append(self._sorted(first, high, int(ends[to]) - before, start - before, end - before))
            start, digit = end, int(np.searchsorted(ends, end, side="right"))
        return found

    def _sorted(self, low: int, high: int, n: int, start: int, stop: int) -> Rows:
        """Return the rows at some positions among all n with keys from `low` to `high`."""
        rows = self._of_keys(low, high, 0, n)
        keys = self._keys.first[rows]
        if self._descends:
            keys = np.where(keys <= self._keys.last, keys.dtype.type(self._keys.last) - keys, keys)
        order = np.argsort(keys, kind="stable")
        rows, keys = rows[order], keys[order]
        if self._keys.next is not None:
            begin = int(np.searchsorted(keys, keys[start]))
            while begin < stop:
                end = int(np.searchsorted(keys, keys[begin], side="right"))
                if end - begin > 1 and not self._is_missing(rows[begin]):
                    rows[begin:end] = self._by_next(rows[begin:end], 0, end - begin)
                begin = end
        return rows[start:stop]

    def _of_one_key(self, key: int, start: int, stop: int) -> Rows:
        """Return some of the rows with one key, sorted by their further keys."""
        if self._keys.next is None or key > self._keys.last:
            return self._of_keys(key, key, start, stop - start)
        counts = np.zeros(1, dtype=np.int64)
        count_digits(*self._given, np.uint64(key), np.uint64(key), np.uint64(0), counts)
        return self._by_next(self._of_keys(key, key, 0, int(counts[0])), start, stop)

    def _by_next(self, same: Rows, start: int, stop: int) -> Rows:
        assert self._keys.next is not None
        return same[_Sorted(self._keys.next(same), None, descends=self._descends).rows(start, stop)]

    def _of_keys(self, low: int, high: int, skip: int, n: int) -> Rows:
        out = np.empty(n, dtype=np.int64)
        if n:
            put_rows(*self._given, np.uint64(low), np.uint64(high), skip, out)
        return out


def compile_loops() -> None:
    """Compile every loop on a few cells, or load it from disk, before the table is first sorted."""
    rows_at(None, np.ones(1, dtype=np.bool_), 0, 1)
    of_text(np.array(["a"], dtype=object))
    for float_type in (np.float32, np.float64):
        of_numbers(np.zeros(1, dtype=float_type))
    for key_type in (np.uint16, np.uint32, np.uint64):
        keys = Keys(np.zeros(1 << 15, dtype=key_type), 1)  # too many for a direct sort
        rows_at(keys, None, 0, 1)
        place_of(0, keys, None)


class Ordered:
    """The sorted cells of a table.

    keys : sort keys; None = unsorted
    mask : bool (n,), cells of the table; None = all n
    """

    def __init__(self, keys: Keys | None, mask: Mask | None, n: int, *, descends: bool = False) -> None:
        self._keys, self._mask, self._n, self._descends = keys, mask, n, descends
        self.total = n if mask is None else int(np.count_nonzero(mask))
        self._window: tuple[int, Rows] = (0, np.empty(0, dtype=np.int64))

    def is_of(self, keys: Keys | None, mask: Mask | None, *, descends: bool) -> bool:
        """Return whether it was made of the same arrays."""
        return self._keys is keys and self._mask is mask and self._descends == descends

    def rows(self, start: int, n: int) -> Rows:
        """Return the rows at up to n positions from `start` on, int64."""
        stop = min(start + n, self.total)
        if start >= stop:
            return np.empty(0, dtype=np.int64)
        begin, held = self._window
        if not begin <= start <= stop <= begin + held.size:
            begin = start // _WINDOW * _WINDOW
            end = min(-(-stop // _WINDOW) * _WINDOW, self.total)
            held = rows_at(self._keys, self._mask, begin, end, descends=self._descends)
            self._window = begin, held
        return held[start - begin : stop - begin]

    def place(self, row: int) -> int:
        """Return the position of a row, -1 if it is not in the table."""
        if not 0 <= row < self._n:
            return -1
        return place_of(row, self._keys, self._mask, descends=self._descends)
