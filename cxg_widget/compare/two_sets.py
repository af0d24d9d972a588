"""Two sets of cells compared: one look at the matrix, a test of each gene, and what is to be said of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compare.explorer import ExplorerComparison, explorer_test
from cxg_widget.compare.fold import NEEDS_LINEAR, log2_fold
from cxg_widget.compare.gathered import Gathered, gather
from cxg_widget.compare.grouped import Grouped
from cxg_widget.compare.moments import Floats, Summary
from cxg_widget.compare.notes import explorer_notes, notes_of
from cxg_widget.compare.question import METHODS, Question
from cxg_widget.compare.rank_sum import rank_sum
from cxg_widget.compare.result import Comparison
from cxg_widget.compare.value_kind import ValueKind, judge
from cxg_widget.compare.welch import Tested, welch
from cxg_widget.datasets.base.dataset import Dataset
from cxg_widget.errors import InvalidValue
from cxg_widget.text.names import layer_told

if TYPE_CHECKING:
    import pandas as pd


def compare(
    dataset: Dataset, a: NDArray[np.bool_], b: NDArray[np.bool_], question: Question, *,
    told: tuple[str, str] = ("a", "b"), tell: Callable[[float], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Comparison:  # fmt: skip
    """Compare two sets of cells gene by gene.

    Parameters
    ----------
    a, b : bool (n_obs,)
    told : what they are called
    tell : is told which part is done of a look at the matrix, 0 to 1, in this thread
    cancelled : asked now and then, ten times a second while something is read; True gives up

    Raises
    ------
    InvalidValue, UnknownName
        If a method, layer, gene or definition is not known, or values are not what is asked for.
    SelectionError
        If a set holds too few cells, or both hold the same.
    InvalidStore, DamagedStore
        If the matrix cannot be read.
    Cancelled
        When `cancelled()` returned True.
    """
    question.check(dataset)
    question.check_cells(a, b, told, dataset)
    groups = np.full(dataset.n_obs, -1, dtype=np.int32)
    groups[a], groups[b] = 0, 1
    normalized = question.normalize is not None
    cells = Grouped(dataset, groups, 2, question.layer, question.positions(dataset), normalized, tell, cancelled)
    kind = judged(cells, question)
    return _result(cells, looked(cells, kind, question), kind, question, told)


def looked(cells: Grouped, kind: ValueKind, question: Question) -> Gathered:
    """Go through the matrix for what a question needs."""
    linear = question.fold in NEEDS_LINEAR and kind.kind != "scaled"
    try:
        return gather(cells, linear=linear, ranked=question.method == "wilcoxon")
    finally:
        cells.tell(1.0)


def judged(cells: Grouped, question: Question) -> ValueKind:
    """Return what the values are; refuse to normalize what are no counts any more."""
    kind = judge(cells)
    if question.normalize is None or kind.kind not in ("log1p", "scaled"):
        return kind
    where = layer_told(question.layer)
    raise InvalidValue(f"normalize={question.normalize!r} takes counts, and {where} holds {kind.told}.")


def _result(cells: Grouped, found: Gathered, kind: ValueKind, question: Question, told: tuple[str, str]) -> Comparison:
    a, b = (found.moments.of(group).at(found.asked) for group in (0, 1))
    tested, auc, u = tests_of(found, 0, a, b)
    fold, names = fold_of(a, b, kind, question), names_of(cells)
    counts = [f"{name} ({cells.dataset.obs_noun.counted(int(n))})" for name, n in zip(told, cells.n_cells, strict=True)]
    sentence = f"{counts[0]} compared with {counts[1]} by {cells.dataset.var_noun.counted(len(names))}: "
    sentence += f"{METHODS[question.method]}, log2fc by {question.fold!r}"
    if question.method == "explorer":
        n_a, n_b = map(int, cells.n_cells)
        own = explorer_test(a, b, (n_a, n_b), cells.n_var)
        notes = explorer_notes(cells.dataset, question, kind, (a, b))
        return ExplorerComparison(sentence, notes, names, a, b, fold, own.tested, auc, u, own.p_adj, _log_fc=own.log_fc)
    notes = notes_of(cells.dataset, question, kind, (a, b), tested)
    return Comparison(sentence, notes, names, a, b, fold, tested, auc, u)


def tests_of(found: Gathered, group: int, a: Summary, b: Summary) -> tuple[Tested, Floats, Floats]:
    """Return the test of the cells of a group, AUC and U, which are NaN where nothing was ranked."""
    if found.ranks is None:
        nothing = np.full(a.mean.shape, np.nan)
        return welch(a, b), nothing, nothing
    tested, u, auc = rank_sum(found.ranks.sums[found.asked, group], found.ranks.ties[found.asked], a.n, b.n)
    return tested, auc, u


def fold_of(a: Summary, b: Summary, kind: ValueKind, question: Question) -> Floats:
    """Return log2 fold changes, NaN of scaled values."""
    return np.full(a.mean.shape, np.nan) if kind.kind == "scaled" else log2_fold(a, b, question.fold)


def names_of(cells: Grouped) -> pd.Index:
    """Return the names of the genes that were asked for, as var has them."""
    import pandas as pd

    labels = np.asarray(list(cells.dataset.names_in(cells.layer).var_labels), dtype=object)
    genes = slice(None) if cells.positions is None else cells.positions
    names: pd.Index = pd.Index(labels[genes], name=cells.dataset.index_name("var"))
    return names
