"""The comparison of each group of a column, made from the sums of all groups when it is requested."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compare.gene_tests import FAR, TINY, Tested, by_t, p_of_z, rank_z, welch_t
from cxg_widget.compare.matrix_statistics import Gathered, ValueKind
from cxg_widget.compare.moments import Floats, Rests, Summary
from cxg_widget.compare.question import Question, tests_of
from cxg_widget.compare.result import Comparison, fold_of
from cxg_widget.text.nouns import Noun

if TYPE_CHECKING:
    import pandas as pd

LEAST_CELLS = 2
"""Cells that a group and its rest need."""


class Counted(NamedTuple):
    """Number of rows without a test, and with a p below `TINY`, in the groups that have tests."""

    untested: int
    tiny: int


@dataclass(frozen=True, eq=False)
class GroupComparisons(Mapping[Any, Comparison]):
    """The comparison of each group with its rest, or with a reference group.

    That of 2,000 groups by 10,000 genes takes 3 GB, the sums that it is made from 0.7, and users look at few of them.

    labels : value of each group
    n_cells, n_others : number of cells of each group, and of those that it is compared with
    found : sums of each group
    reference : group that each other one is compared with; None = its rest
    rest : name of the cells that a group is compared with
    names : of the genes
    scaled : genes whose values are scaled, bool (k,); None = all are of one kind
    noun : of the cells
    """

    labels: list[Any]
    n_cells: NDArray[np.int64]
    n_others: NDArray[np.int64]
    found: Gathered
    reference: int | None
    rest: str
    question: Question
    names: pd.Index
    kind: ValueKind
    scaled: NDArray[np.bool_] | None
    noun: Noun

    def __getitem__(self, value: Any) -> Comparison:
        group = self._groups[value]
        n_a, n_b = (self.noun.counted(int(n[group])) for n in (self.n_cells, self.n_others))
        description = f"{value} ({n_a}) compared with {self.rest} ({n_b})"
        a, b = self._pair(group)
        if self._is_tested(group):
            tested, auc, u = tests_of(self.found, group, a, b)
            fold = fold_of(a, b, self.kind, self.question, self.scaled)
        else:
            fold = auc = u = np.full(a.mean.shape, np.nan)
            tested = Tested(fold, fold, fold)
        return Comparison(
            description, (), self.names, a, b, fold, tested, auc, u, _question=self.question,
            sets=(str(value), self.rest),
        )  # fmt: skip

    def __contains__(self, value: object) -> bool:
        return value in self._groups  # that of Mapping makes the comparison

    def __iter__(self) -> Iterator[Any]:
        return iter(self._groups)

    def __len__(self) -> int:
        return len(self._groups)

    @property
    def too_few(self) -> list[Any]:
        """Values of the groups that cannot be tested, because they or the others have too few cells."""
        return [value for value, group in self._groups.items() if not self._is_tested(group)]

    def count_rows(self) -> Counted:
        """Count rows without a test, and those of a tiny p, by the statistic alone where that suffices."""
        untested = tiny = 0
        for group in filter(self._is_tested, self._groups.values()):
            statistic, p = self._statistic(group)
            n = int(np.count_nonzero(np.isnan(statistic)))
            # Without any finite one the whole group counts as not tested.
            if np.isfinite(statistic).any():
                untested += n
                tiny += int(np.count_nonzero(p < TINY))
        return Counted(untested, tiny)

    def _statistic(self, group: int) -> tuple[Floats, Floats]:
        """Return t or z of each gene, and p of those far from 0 and finite."""
        if self.found.rank_sums is None or self.found.ties is None:
            t, freedom = welch_t(*self._pair(group))
            far = np.isfinite(t) & (np.abs(t) > FAR)
            return t, by_t(t[far], freedom[far]).p
        n_a = self.found.n_of(group)
        n_b = self._n_all - n_a if self.reference is None else self.found.n_of(self.reference)
        ties = self.found.ties if self.found.ties.ndim == 1 else self.found.ties[group]
        z, _, _ = rank_z(self.found.rank_sums[group], ties, n_a, n_b)
        return z, p_of_z(z[np.abs(z) > FAR])

    def _pair(self, group: int) -> tuple[Summary, Summary]:
        """Return the summaries of a group and of the cells that it is compared with."""
        groups = self.found.groups
        return groups[group], self._rests[group] if self.reference is None else groups[self.reference]

    def _is_tested(self, group: int) -> bool:
        return bool(min(self.n_cells[group], self.n_others[group]) >= LEAST_CELLS)

    @cached_property
    def _groups(self) -> dict[Any, int]:
        return {value: group for group, value in enumerate(self.labels) if group != self.reference}

    @cached_property
    def _n_all(self) -> Floats:
        """Number of cells of all groups in which each gene was measured."""
        return reduce(np.add, map(self.found.n_of, range(len(self.found.groups))))

    @cached_property
    def _rests(self) -> Rests:
        return Rests(self.found.groups)
