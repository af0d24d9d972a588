"""Counts columns by category or bin: all cells, those that pass all other filters, selected ones."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compute.cache import ByteCache
from cxg_widget.counts.coded import MOST_GROUPED, Countable, read_coded
from cxg_widget.rules.crossfilter import Crossfilter, Mask
from cxg_widget.rules.forms import Rule

if TYPE_CHECKING:
    import pandas as pd

    from cxg_widget.datasets.base.dataset import Dataset

_OPEN_BYTES = 2**30
"""Limit on the codes of open columns; beyond it the least recently used are read again."""
_MOST_GROUPS, _FEW_GROUPS = 62, 14
"""Most groups per count: few for long columns, since each group takes a table of all codes."""
Column = tuple[str, str, str | None]
"""Source "obs" or "var", name, and the layer of a gene."""
_NONE: NDArray[Any] = np.empty(0, dtype=np.uint8)
_NOBODY: Mask = np.empty(0, dtype=np.bool_)


@dataclass(frozen=True)
class GroupCodes:
    """The group of each cell, at most 62 groups.

    of_cells : uint8 (n_obs,)
    """

    of_cells: NDArray[np.uint8]
    n: int


@dataclass(frozen=True)
class Tally:
    """Cells by code, int64 (n_codes,), those without a value last.

    everything : all cells; filtered : those that pass all filters except the column's own; selected : selected ones
    chosen : selected ones among the filtered
    grouped : int64 (n_codes, n groups), filtered ones by group; no columns if no groups were requested
    """

    coded: Countable
    everything: NDArray[np.int64]
    filtered: NDArray[np.int64]
    selected: NDArray[np.int64]
    chosen: NDArray[np.int64]
    grouped: NDArray[np.int64]


class Counter:
    """Counts the columns of one dataset; open ones are read once, and take one or two bytes a cell.

    read : reads a column as codes; None = into this process
    """

    def __init__(
        self, dataset: Dataset, crossfilter: Crossfilter, read: Callable[[Column], Countable] | None = None
    ) -> None:
        self._dataset, self._crossfilter = dataset, crossfilter
        self._read = read or (lambda column: read_coded(dataset, *column))
        self._lock = threading.Lock()
        self._open = ByteCache(_OPEN_BYTES, lambda column: column.nbytes)
        self._states: tuple[Any, ...] = ()

    @property
    def used_bytes(self) -> int:
        """Bytes of the open columns."""
        return self._open.used_bytes

    def keep(self, columns: Collection[Column]) -> None:
        """Drop all other columns."""
        self._open.keep_only(columns)
        if not columns:
            self._states = ()

    def close(self) -> None:
        """Drop everything, and cache nothing from now on."""
        self._open.limit_bytes = 0
        self.keep(())

    def count(
        self,
        column: Column,
        rules: Sequence[Rule],
        selected: Mask,
        groups: Callable[[], GroupCodes | None] = lambda: None,
        *,
        is_kept: bool = False,
        except_own: bool = True,
    ) -> Tally:
        """Count the cells of a column.

        selected : bool (n_obs,)
        groups : called if the column has few enough categories to be counted by group
        is_kept : whether to cache its codes
        except_own : False = filtered cells also pass the column's own filter
        """
        from cxg_widget.counts.count_loops import GROUP, PASSES, SELECTED

        coded = self.coded(column, is_kept=is_kept)
        by = groups() if coded.is_grouped else None
        states = self.states(column if except_own else None, rules, selected, by)
        bits = GROUP + (by.n - 1).bit_length() if by else GROUP
        found = coded.tally(states, bits).reshape(coded.n_codes, -1, 1 << GROUP)
        of_groups = found[:, :, [PASSES, PASSES | SELECTED]].sum(axis=2)
        return Tally(
            coded,
            found.sum(axis=(1, 2)),
            of_groups.sum(axis=1),
            found[:, :, [SELECTED, PASSES | SELECTED]].sum(axis=(1, 2)),
            found[:, :, PASSES | SELECTED].sum(axis=1),
            of_groups[:, : by.n] if by else of_groups[:, :0],
        )

    def count_by(
        self, column: Column, by: Column, rules: Sequence[Rule], selected: Mask
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Count the cells that pass all filters by two columns: all of them, and the selected ones.

        Returns two int64 (n_codes, n categories of by); cells without a category of `by` are not counted.
        """
        from cxg_widget.counts.count_loops import GROUP, PASSES, SELECTED

        coded, other = self.coded(column), self.coded(by)
        n_by, most = other.n_codes - 1, _MOST_GROUPS if coded.n_codes <= MOST_GROUPED + 1 else _FEW_GROUPS
        counts = np.zeros((2, coded.n_codes, n_by), dtype=np.int64)
        for start in range(0, n_by, most):
            n = min(most, n_by - start)
            table = np.full(other.n_codes, n, dtype=np.uint8)
            table[start : start + n] = np.arange(n)
            states = self._make_states(
                self._crossfilter.failed(rules), None, selected, GroupCodes(other.look_up(table), n)
            )
            found = coded.tally(states, GROUP + n.bit_length()).reshape(coded.n_codes, -1, 1 << GROUP)[:, :n]
            counts[0, :, start : start + n] = found[:, :, [PASSES, PASSES | SELECTED]].sum(axis=2)
            counts[1, :, start : start + n] = found[:, :, PASSES | SELECTED]
        return counts[0], counts[1]

    def coded(self, column: Column, *, is_kept: bool = False) -> Countable:
        """Return a column as codes; raises as `coded.read_coded`."""
        coded: Countable | None = self._open.get(column)
        if coded is None or not coded.is_at_hand:
            coded = self._read(column)
        if is_kept:
            self._open.put(column, coded)
        return coded

    def states(
        self, column: Column | None, rules: Sequence[Rule], selected: Mask, by: GroupCodes | None
    ) -> NDArray[np.uint8]:
        """Return the state of each cell, uint8 (n_obs,), as `put_states`; columns without a filter share it.

        column : None = without its own filter
        selected : bool (n_obs,), or empty; by : None = groups are not used
        """
        failed = self._crossfilter.failed(rules) if rules else None
        own = None if column is None else self.own_rule(column, rules)
        if own is not None:
            return self._make_states(failed, self._crossfilter.mask(own), selected, by)
        key = (failed, selected, by)
        # Under the lock, so that columns counted at the same time share one array.
        with self._lock:
            made = self._states
            if not made or any(one is not other for one, other in zip(made[0], key, strict=True)):
                # Columns that are not counted by group ignore the upper bits.
                is_finer = bool(made) and by is None and made[0][0] is failed and made[0][1] is selected
                if not is_finer:
                    self._states = made = (key, self._make_states(failed, None, selected, by))
            states: NDArray[np.uint8] = made[1]
        return states

    def _make_states(
        self, failed: NDArray[np.uint8] | None, own: Mask | None, selected: Mask, by: GroupCodes | None
    ) -> NDArray[np.uint8]:
        from cxg_widget.compute.compiled import frozen
        from cxg_widget.counts.count_loops import put_states

        states = np.empty(self._dataset.n_obs, dtype=np.uint8)
        put_states(
            frozen(_NONE if failed is None else failed),
            frozen(_NOBODY if own is None else own),
            # An empty mask lets the loop skip the selection.
            frozen(selected if selected.any() else _NOBODY),
            frozen(by.of_cells if by else _NONE),
            states,
        )
        return states

    def own_rule(self, column: Column, rules: Sequence[Rule]) -> Rule | None:
        """Return the filter of the column itself, None if it has none."""
        source, name, _ = column
        return next((rule for rule in rules if self._is_same(source, name, rule.get("not", rule))), None)

    def _is_same(self, source: str, name: str, rule: Rule) -> bool:
        if source == "obs":
            return bool(rule.get("obs") == name)
        if "var" not in rule:
            return False
        names = self._dataset.names_in(rule.get("layer"))
        return bool(rule["var"] == name) or names.find_var(rule["var"]) == names.find_var(name)


def frame_of(name: str, tally: Tally) -> pd.DataFrame:
    """Return int64 columns all, filtered, selected; missing values come last, if there are any."""
    import pandas as pd

    n_rows = n_rows_of(tally)
    counts = {"all": tally.everything, "filtered": tally.filtered, "selected": tally.selected}
    index = index_of(name, tally)
    return pd.DataFrame({column: values[:n_rows] for column, values in counts.items()}, index=index, dtype=np.int64)


def n_rows_of(tally: Tally) -> int:
    """Return the number of codes with a row: all, except that of missing values if there are none."""
    return tally.everything.size - int(tally.everything[-1] == 0)


def index_of(name: str, tally: Tally) -> pd.Index:
    """Return the categories or intervals, with missing values last, if there are any."""
    return _index_of(tally, n_rows_of(tally)).rename(name)


def _index_of(tally: Tally, n_rows: int) -> pd.Index:
    import pandas as pd

    coded = tally.coded
    rows = np.arange(n_rows)
    rows[rows == coded.n_codes - 1] = -1
    if coded.categories is None:
        missing: Any = pd.IntervalIndex.from_arrays([np.nan], [np.nan], closed="left")
        bins = pd.IntervalIndex.from_breaks(coded.edges, closed="left") if coded.edges.size else missing[:0]
        return bins.append(missing)[rows] if n_rows > len(bins) else bins
    known: pd.Index = pd.Index(list(coded.categories))
    if coded.is_categorical:
        return pd.CategoricalIndex(pd.Categorical.from_codes(rows, categories=known, ordered=coded.ordered))
    # The boolean index of pandas 2 takes no missing value; one of objects does.
    if n_rows == coded.n_codes:
        known = known.astype(object).append(pd.Index([np.nan], dtype=object))
    found: pd.Index = known.take(rows)
    return found
