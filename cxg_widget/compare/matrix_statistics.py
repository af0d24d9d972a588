"""Statistics of the matrix for comparisons, computed in this process; `ClusterMatrixStats` computes them on Dask."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compare.gathered import Gathered, gather
from cxg_widget.compare.grouped import Grouped, Tell
from cxg_widget.compare.grouping import Grouping
from cxg_widget.compare.question import Question
from cxg_widget.compare.sums import Sums, sum_counts
from cxg_widget.compare.value_kind import ValueKind, judge
from cxg_widget.datasets.base.dataset import Dataset
from cxg_widget.errors import Cancelled

Mask = NDArray[np.bool_]


class MatrixStats:
    """Statistics of the matrix of a dataset, and of the columns that group its cells.

    Parameters
    ----------
    tell : called with the part that is done of a look at the matrix, 0 to 1, and with what is being done; with 1 and
        "" at the end
    cancelled : called at least twice a second during a read; True gives up

    Every method raises `InvalidStore` or `DamagedStore` if the store cannot be read, and `Cancelled` when `cancelled()`
    returned True.
    """

    def __init__(
        self, dataset: Dataset, tell: Tell = lambda _, __: None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> None:  # fmt: skip
        self.dataset, self.tell = dataset, tell
        self._cancelled = cancelled

    def check(self, question: Question) -> None:
        """Raise as `Question.check`, or `InvalidOption` where it cannot be answered here."""
        question.check(self.dataset)

    def category_counts(
        self, column: str, masks: Sequence[Mask | None]
    ) -> tuple[tuple[Any, ...], list[NDArray[np.int64]]]:
        """Return the categories of an obs column, and how many cells of each mask, None = all, have each."""
        codes = self.dataset.codes(column)
        k, counts = len(codes.categories), []
        for mask in masks:
            found = codes.codes if mask is None else codes.codes[mask]
            counts.append(np.bincount(found[(found >= 0) & (found < k)], minlength=k).astype(np.int64))
        return codes.categories, counts

    def kind(self, rows: NDArray[np.int64], layer: str | None) -> ValueKind:
        """Return the kind of the values of a layer, judged from some rows, or from genes where these take less."""
        return judge(self.dataset, rows, layer, self.give_up)

    def gather(self, grouping: Grouping, question: Question, *, linear: bool) -> Gathered:
        """Gather what a question needs of each group."""
        return gather(self._grouped(grouping, question), linear=linear)

    def sum_counts(self, grouping: Grouping, question: Question) -> Sums:
        """Sum up the counts of each group over all genes, whichever the question names."""
        return sum_counts(self._grouped(grouping, question, every=True))

    def give_up(self) -> None:
        """Raise `Cancelled` when nobody waits any more."""
        if self._cancelled():
            raise Cancelled("a comparison was given up")

    def _grouped(self, grouping: Grouping, question: Question, *, every: bool = False) -> Grouped:
        dataset = self.dataset
        codes = None if grouping.column is None else dataset.codes(grouping.column)
        return Grouped.of(
            dataset, grouping.groups(codes, dataset.n_obs), grouping.n_groups, question.layer,
            None if every else question.positions(dataset), question.normalize is not None,
            question.method == "wilcoxon", self.tell, self.give_up,
        )  # fmt: skip
