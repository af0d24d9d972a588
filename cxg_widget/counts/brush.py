"""Cumulative sums over the bins of a brushed column, which give the counts of other columns under any brush."""
# Changes with js/src/panels/columns/brush_counts.js: counts while a brush moves.

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.counts.coded import Countable
from cxg_widget.counts.counter import Column, Counter, GroupCodes
from cxg_widget.errors import InvalidValue
from cxg_widget.rules.crossfilter import Crossfilter, Mask
from cxg_widget.rules.forms import Rule

LEFT_OUT = 255
"""Bin of a cell that fails another filter; there are fewer bins."""
_NOBODY: Mask = np.empty(0, dtype=np.bool_)


class Brush:
    """A brushed numeric column, and the filters except its own."""

    def __init__(self, counter: Counter, crossfilter: Crossfilter, column: Column, rules: Sequence[Rule]) -> None:
        self._counter, self._crossfilter = counter, crossfilter
        self._coded = counter.coded(column, is_kept=True)
        if self._coded.categories is not None:
            raise InvalidValue(f"a brush moves over numbers; {column[1]!r} has categories")
        own = counter.own_rule(column, rules)
        self.other_rules = [rule for rule in rules if rule is not own]
        self._keys: dict[int, tuple[NDArray[np.uint8], Any]] = {}

    @property
    def n_bins(self) -> int:
        """Number of bins of the column."""
        return self._coded.n_codes - 1

    def n_steps(self, width: int) -> int:
        """Return the number of sums for steps of some bins."""
        return -(-self.n_bins // width) + 2

    def sums(
        self, column: Column, rows: Sequence[int], groups: Callable[[], GroupCodes | None], width: int = 1
    ) -> NDArray[np.uint32]:
        """Count another column, for the cells that pass all filters except those of both.

        Parameters
        ----------
        rows : codes of requested categories; for numbers all bins and missing ones
        groups : called if it has few enough categories to be counted by group
        width : bins of the brush per step

        Returns
        -------
        uint32 (n_steps, n_rows, n_groups or 1) : at step k the cells in the first k * width bins of the brush; the last
        step
            but one has all bins, the last also cells without a value
        """
        coded = self._counter.coded(column, is_kept=True)
        _check_rows(coded, rows)
        by = groups() if coded.is_grouped else None
        keys, bits = self._keys_of(column, by)
        found = coded.pair_counts(keys, (self._coded.n_codes + 1) << bits, rows)
        n_rows, n_parts = found.shape[1], by.n if by else 1
        # Keys have 2 ** bits places for the groups of each bin; the last ones are unused.
        by_bin = found.reshape(-1, 1 << bits, n_rows)[: self._coded.n_codes, :n_parts].transpose(0, 2, 1)
        up_to = np.zeros((self._coded.n_codes + 1, n_rows, n_parts), dtype=np.uint32)
        np.cumsum(by_bin, axis=0, out=up_to[1:])
        ends = [*range(0, self.n_bins, width), self.n_bins, self.n_bins + 1]
        return up_to[ends]

    def bins(self, rows: NDArray[np.integer[Any]], other_rules: Sequence[Rule]) -> NDArray[np.uint8]:
        """Return the bin of some rows, uint8: `n_bins` without a value, `LEFT_OUT` if one of `other_rules` fails."""
        found = self._coded.at(rows).astype(np.uint8)
        passing = self._crossfilter.passing(other_rules) if other_rules else None
        if passing is not None:
            found[~passing[rows]] = LEFT_OUT
        return found

    def _keys_of(self, column: Column, by: GroupCodes | None) -> tuple[Any, int]:
        """Return the key of each cell, as `Countable.keys`, and the bits of its group."""
        bits = (by.n - 1).bit_length() if by else 0
        states = self._counter.states(column, self.other_rules, _NOBODY, by)
        known, keys = self._keys.get(bits, (None, None))
        # The counter returns the same array while filters and groups stay the same, so identity shows a change.
        if known is not states:
            keys = self._coded.keys(states, bits)
            self._keys[bits] = states, keys
        return keys, bits


def _check_rows(coded: Countable, rows: Sequence[int]) -> None:
    if rows and not 0 <= min(rows) <= max(rows) < coded.n_codes:
        raise InvalidValue(f"rows must be of the {coded.n_codes} there are; found {min(rows)} to {max(rows)}")
