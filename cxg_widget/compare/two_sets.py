"""Compares two sets of cells: one pass over the matrix, a test of each gene, and notes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compare.gene_tests import NEEDS_LINEAR, Tested, log2_fold, rank_sum, welch
from cxg_widget.compare.grouping import Grouping
from cxg_widget.compare.matrix_statistics import Gathered, MatrixStats, ValueKind
from cxg_widget.compare.moments import Floats, Summary
from cxg_widget.compare.question import METHODS, Question
from cxg_widget.compare.result import Comparison, notes_of
from cxg_widget.datasets.base.dataset import Dataset
from cxg_widget.errors import InvalidValue
from cxg_widget.text.names import describe_layer

if TYPE_CHECKING:
    pass


def compare(
    matrix: MatrixStats, a: NDArray[np.bool_], b: NDArray[np.bool_], question: Question, *,
    set_names: tuple[str, str] = ("a", "b"),
) -> Comparison:  # fmt: skip
    """Compare two sets of cells gene by gene.

    a, b : bool (n_obs,)
    set_names : what they are called

    Raises
    ------
    InvalidValue, UnknownName
        If a method, layer, gene or definition is not known, or values are not of the kind that it needs.
    SelectionError
        If a set holds too few cells, or both hold the same.
    InvalidStore, DamagedStore
        If the matrix cannot be read.
    Cancelled
        When `cancelled()` returned True.
    """
    matrix.check(question)
    question.check_cells(a, b, set_names, matrix.dataset)
    if METHODS[question.method].by_donor:
        from cxg_widget.compare.donors.by_sums import compare_donors

        return compare_donors(matrix, a, b, question, set_names)
    kind, found = scan(matrix, Grouping.of_sets(a, b), question)
    n_cells = int(np.count_nonzero(a)), int(np.count_nonzero(b))
    return _result(matrix.dataset, found, kind, question, (set_names, n_cells))


def scan(matrix: MatrixStats, grouping: Grouping, question: Question) -> tuple[ValueKind, Gathered]:
    """Scan the matrix for a question; return the kind of its values, and the sums."""
    question.positions(matrix.dataset)  # an unknown gene raises before anything is read
    kind = _judged(matrix, grouping, question)
    linear = question.fold in NEEDS_LINEAR and kind.kind != "scaled"
    # Ends the progress bar in the page, also after an error.
    try:
        return kind, matrix.gather(grouping, question, linear=linear)
    finally:
        matrix.tell(1.0, "")


def _judged(matrix: MatrixStats, grouping: Grouping, question: Question) -> ValueKind:
    """Return the kind of the values; refuse to normalize values that are no counts."""
    kind = matrix.kind(grouping, question.layer)
    if question.normalize is None or kind.kind not in ("log1p", "scaled"):
        return kind
    where = describe_layer(question.layer)
    raise InvalidValue(f"normalize={question.normalize!r} takes counts, and {where} holds {kind.reason}.")


def _result(
    dataset: Dataset, found: Gathered, kind: ValueKind, question: Question,
    sets: tuple[tuple[str, str], tuple[int, int]],
) -> Comparison:  # fmt: skip
    (a, b), (set_names, n_cells) = found.groups, sets
    names = question.names(dataset)
    counts = [f"{name} ({dataset.obs_noun.counted(n)})" for name, n in zip(set_names, n_cells, strict=True)]
    sentence = f"{counts[0]} compared with {counts[1]} by {dataset.var_noun.counted(len(names))}: "
    sentence += f"{METHODS[question.method].title}, log2 fold change ({question.fold}'s definition)"
    tested, auc, u = tests_of(found, 0, a, b)
    made = Comparison(sentence, (), names, a, b, fold_of(a, b, kind, question), tested, auc, u, sets=set_names)
    if question.method == "explorer":
        from cxg_widget.compare.explorer import as_in_explorer

        return as_in_explorer(made, n_cells, dataset, question, kind)
    return replace(made, notes=notes_of(dataset, question, kind, (a, b), tested))


def tests_of(found: Gathered, group: int, a: Summary, b: Summary) -> tuple[Tested, Floats, Floats]:
    """Return the test of the cells of a group, AUC and U, which are NaN where nothing was ranked."""
    if found.rank_sums is None or found.ties is None:
        nothing = np.full(a.mean.shape, np.nan)
        return welch(a, b), nothing, nothing
    tested, u, auc = rank_sum(found.rank_sums[:, group], found.ties, a.n, b.n)
    return tested, auc, u


def fold_of(a: Summary, b: Summary, kind: ValueKind, question: Question) -> Floats:
    """Return log2 fold changes, NaN of scaled values."""
    return np.full(a.mean.shape, np.nan) if kind.kind == "scaled" else log2_fold(a, b, question.fold)
