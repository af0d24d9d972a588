"""Compares each group of a column with all other cells, in one pass over the matrix."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compare.gathered import Gathered
from cxg_widget.compare.grouping import Grouping
from cxg_widget.compare.markers import Markers
from cxg_widget.compare.matrix_statistics import MatrixStats
from cxg_widget.compare.moments import Summary
from cxg_widget.compare.notes import notes_of_groups
from cxg_widget.compare.question import METHODS, Question
from cxg_widget.compare.result import Comparison
from cxg_widget.compare.two_sets import fold_of, names_of, scan, tests_of
from cxg_widget.compare.value_kind import ValueKind
from cxg_widget.compare.welch import Tested
from cxg_widget.datasets.base.dataset import Dataset
from cxg_widget.errors import InvalidOption, InvalidValue, SelectionError
from cxg_widget.text.names import not_found, shown

GROUPED = ("t-test", "wilcoxon")
"""Methods that take all groups at once."""
LEAST_CELLS = 2
"""Cells that a group needs, and the rest of it."""
MOST_RESULTS = 2**24
"""Genes times groups: of each about 300 bytes are held until the table is made."""
# A key to rank by has 16 bits for the group, and cells without a value are one more.
_MOST_GROUPS = 2**16 - 2


def compare_groups(
    matrix: MatrixStats, column: str, question: Question, within: NDArray[np.bool_] | None = None
) -> Markers:
    """Compare the cells of each value of a column with all other cells, those without a value among these.

    Values that no cell has are left out; those of one cell have rows without numbers of a test.

    Parameters
    ----------
    column : obs column of categories, texts, whole numbers or booleans
    within : bool (n_obs,), the cells that count; None = all

    Raises
    ------
    UnknownName, InvalidValue, InvalidStore, DamagedStore, Cancelled
        As `two_sets.compare`, and if there is no such column, it holds floats, or there are too many groups.
    InvalidOption
        If the method takes two sets alone.
    SelectionError
        If there are fewer than two groups.
    """
    if question.method in METHODS and question.method not in GROUPED:
        raise InvalidOption(not_found("method", question.method, GROUPED, "markers(by=...)"))
    matrix.check(question)
    values, n_cells, grouping = _groups_of(matrix, column, within)
    _check_size(column, len(values), len(names_of(matrix.dataset, question)), matrix.dataset)
    kind, found = scan(matrix, grouping, question)
    n_all = matrix.dataset.n_obs if within is None else int(np.count_nonzero(within))
    return _markers(matrix.dataset, found, kind, question, (column, values, n_cells, n_all))


def _groups_of(
    matrix: MatrixStats, column: str, within: NDArray[np.bool_] | None
) -> tuple[list[object], NDArray[np.int64], Grouping]:
    """Return the values that cells have, how many have each, and groups of them, the last of cells without a value."""
    dataset = matrix.dataset
    categories, (n,) = matrix.category_counts(column, [within])
    n_all = dataset.n_obs if within is None else int(np.count_nonzero(within))
    k, n_without = len(categories), n_all - int(n.sum())
    present = np.flatnonzero(n)
    if not present.size or max(int(n.max()), n_without) == n_all:
        n_one = dataset.obs_noun.counted(n_all)
        raise SelectionError(
            f"obs column {column!r} has {'no values' if not present.size else 'one value'} in all {n_one}; "
            "markers(by=...) compares each value with the rest, and takes a column of two or more."
        )
    slots = np.full((1, k + 1), len(present) if n_without else -1, dtype=np.int32)
    slots[0, present] = np.arange(len(present))
    sides = () if within is None else (within,)
    table = slots if within is None else np.vstack([slots, np.full_like(slots, -1)])
    return [categories[at] for at in present], n[present], Grouping(table, sides, column)


def _check_size(column: str, n_groups: int, n_var: int, dataset: Dataset) -> None:
    if n_groups > _MOST_GROUPS or n_groups * n_var > MOST_RESULTS:
        most = max(1, min(_MOST_GROUPS, MOST_RESULTS // n_var))
        raise InvalidValue(
            f"obs column {shown(column)} has {n_groups:,} values, and {dataset.var_noun.counted(n_var)} would be "
            f"compared for each; at most {most:,} values can be, or more with fewer {dataset.var_noun.many} by genes=."
        )


def _markers(
    dataset: Dataset, found: Gathered, kind: ValueKind, question: Question,
    by: tuple[str, list[object], NDArray[np.int64], int],
) -> Markers:  # fmt: skip
    column, values, n_cells, n_all = by
    names, obs, made, few = names_of(dataset, question), dataset.obs_noun, [], []
    for group, (value, a, rest) in enumerate(zip(values, found.groups, _rests(found.groups), strict=False)):
        n_a = int(n_cells[group])
        n_rest = n_all - n_a
        tested, auc, u = tests_of(found, group, a, rest)
        fold = fold_of(a, rest, kind, question)
        if min(n_a, n_rest) < LEAST_CELLS:
            few.append(value)
            nothing = np.full(a.mean.shape, np.nan)
            tested, fold, auc, u = Tested(nothing, nothing, nothing), nothing, nothing, nothing
        description = f"{value} ({obs.counted(n_a)}) compared with the rest ({obs.counted(n_rest)})"
        made.append(Comparison(description, (), names, a, rest, fold, tested, auc, u, sets=(str(value), "the rest")))
    description = f"each of {len(values):,} values of obs column {column!r} compared with the rest of "
    description += f"{obs.counted(n_all)} by {dataset.var_noun.counted(len(names))}: "
    description += f"{METHODS[question.method]}, log2 fold change ({question.fold}'s definition)"
    n_without = n_all - int(n_cells.sum())
    notes = notes_of_groups(dataset, question, kind, made, (few, n_without))
    return Markers(description, notes, tuple(values), tuple(made))


def _rests(groups: Sequence[Summary]) -> Iterator[Summary]:
    """Yield the summary of all cells except those of each group: of all before it with all after it, of two or more."""
    # Merged, not subtracted: total minus group loses all digits where the rest is small (decision 62). Running merges
    # from both ends take 3 merges a group.
    after = list(accumulate(reversed(groups[1:]), Summary.with_))[::-1]
    yield after[0]
    before = groups[0]
    for group, other in zip(groups[1:], after[1:], strict=False):
        yield before.with_(other)
        before = before.with_(group)
    yield before
