"""Some cells in the order of a column, of which pages are wanted one after another."""

from __future__ import annotations

import numpy as np

from cxg_widget.table.keys import Keys
from cxg_widget.table.order import Mask, Rows, place_of, rows_at

_WINDOW = 1 << 12
"""Rows found at a time, so that who scrolls on need not look for them anew."""


class Ordered:
    """The cells of a table in their order.

    Parameters
    ----------
    keys : by what they are sorted; None = not at all
    mask : bool (n,), which cells they are; None = all n

    Attributes
    ----------
    total : how many they are
    """

    def __init__(self, keys: Keys | None, mask: Mask | None, n: int, *, descends: bool = False) -> None:
        self._keys, self._mask, self._n, self._descends = keys, mask, n, descends
        self.total = n if mask is None else int(np.count_nonzero(mask))
        self._window: tuple[int, Rows] = (0, np.empty(0, dtype=np.int64))

    def is_of(self, keys: Keys | None, mask: Mask | None, *, descends: bool) -> bool:
        """Say whether it is of these very arrays."""
        return self._keys is keys and self._mask is mask and self._descends == descends

    def rows(self, start: int, n: int) -> Rows:
        """Return the rows at up to n places from `start` on, int64."""
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
        """Return at which place a row stands, -1 where it is not among them."""
        if not 0 <= row < self._n:
            return -1
        return place_of(row, self._keys, self._mask, descends=self._descends)
