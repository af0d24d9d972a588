"""Chooses the donors that count on each side of a comparison, and reports those excluded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compare.compared_groups import Grouping
from cxg_widget.compare.matrix_statistics import MatrixStats
from cxg_widget.datasets.base.dataset import Dataset
from cxg_widget.errors import SelectionError
from cxg_widget.text.nouns import Noun

if TYPE_CHECKING:
    import pandas as pd

    from cxg_widget.compare.question import Question

Mask = NDArray[np.bool_]
Counts = NDArray[np.int64]
DONOR = Noun("donor", "donors")


@dataclass(frozen=True)
class Samples:
    """The samples: cells of one donor on one side, first those of a, then those of b, by donor.

    grouping : cells of each
    donors : (k,), labels
    sides : int8 (k,), 0 = a, 1 = b
    n_cells : int64 (k,)
    is_paired : whether both sides have the same donors
    """

    grouping: Grouping
    donors: tuple[Any, ...]
    sides: NDArray[np.int8]
    n_cells: Counts
    is_paired: bool
    set_names: tuple[str, str]
    notes: tuple[str, ...]

    def __len__(self) -> int:
        """Return the number of samples."""
        return len(self.donors)

    def frame(self, totals: NDArray[Any]) -> pd.DataFrame:
        """Return a table with a row per sample: donor, side, n_cells, and total of its counts or other values."""
        import pandas as pd

        sides = np.array(["a", "b"])[self.sides]
        labels = pd.Index(self.donors, name="donor")
        columns = {"donor": labels, "side": sides, "n_cells": self.n_cells, "total": totals}
        return pd.DataFrame(columns)


def samples_of(matrix: MatrixStats, sets: tuple[Mask, Mask], question: Question, set_names: tuple[str, str]) -> Samples:
    """Choose the donors: only pairs if enough donors are on both sides, else all donors with enough cells."""
    dataset, column = matrix.dataset, str(question.by)
    categories, found = matrix.category_counts(column, sets)
    counts = np.stack(found)
    is_enough = counts >= question.min_cells
    is_both = is_enough[0] & is_enough[1]
    is_paired = int(is_both.sum()) >= question.min_donors
    # Pairs and unpaired donors together would need a mixed model (decision 60).
    used = is_enough & is_both if is_paired else is_enough
    _check(used, counts, question, set_names, dataset)
    side, donor = np.nonzero(used)
    table = np.full((3, len(categories) + 1), -1, dtype=np.int32)
    table[side, donor] = np.arange(len(donor))
    n_without = sum(int(np.count_nonzero(mask)) for mask in sets) - int(counts.sum())
    return Samples(
        Grouping(table, sets, column),
        tuple(categories[at] for at in donor),
        side.astype(np.int8),
        counts[side, donor],
        is_paired,
        set_names,
        (
            _describe_pairs(is_enough, is_both, question, set_names),
            *_describe_few(counts, question, set_names, dataset),
            *_describe_missing(n_without, question, dataset),
        ),
    )


def _check(
    used: NDArray[np.bool_], counts: NDArray[np.int64], question: Question, set_names: tuple[str, str], dataset: Dataset
) -> None:
    n = used.sum(axis=1)
    if (n >= question.min_donors).all():
        return
    cells = dataset.obs_noun.counted(question.min_cells)
    has = " and ".join(
        f"{int(k)} of {DONOR.counted(int((one > 0).sum()))} of {name}"
        for name, k, one in zip(set_names, n, counts, strict=True)
    )
    raise SelectionError(
        f"method={question.method!r} needs {question.min_donors} donors on each side (min_donors=) with {cells} or "
        f"more (min_cells=) by {question.by!r}; only {has} have that many."
    )


def _describe_pairs(
    is_enough: NDArray[np.bool_], is_both: NDArray[np.bool_], question: Question, set_names: tuple[str, str]
) -> str:
    n_both, alone = int(is_both.sum()), (is_enough & ~is_both).sum(axis=1)
    if n_both < question.min_donors:
        if not n_both:
            return "a and b have different donors: the test is not paired."
        return (
            f"Not paired: {DONOR.counted(n_both)} on both sides, fewer than min_donors={question.min_donors}; p "
            "treats both sums of such a donor as independent."
        )
    sentence = f"Paired: {DONOR.counted(n_both)} on both sides."
    if alone.any():
        left = " and ".join(f"{DONOR.counted(int(n))} of {name}" for n, name in zip(alone, set_names, strict=True) if n)
        sentence += f" Excluded, on one side only: {left}."
    return sentence


def _describe_few(
    counts: NDArray[np.int64], question: Question, set_names: tuple[str, str], dataset: Dataset
) -> list[str]:
    is_few = (counts > 0) & (counts < question.min_cells)
    parts = [
        f"{DONOR.counted(int(few.sum()))} of {name} ({dataset.obs_noun.counted(int(n[few].sum()))})"
        for few, n, name in zip(is_few, counts, set_names, strict=True)
        if few.any()
    ]
    many = dataset.obs_noun.many
    if not parts:
        return []
    return [f"Excluded, fewer than {question.min_cells} {many} (min_cells=): {' and '.join(parts)}."]


def _describe_missing(n: int, question: Question, dataset: Dataset) -> list[str]:
    return [f"Excluded, no {question.by!r}: {dataset.obs_noun.counted(n)}."] if n else []
