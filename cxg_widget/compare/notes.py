"""Writes the notes of a comparison, one sentence each."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compare.gene_tests import FORMULAS, TINY, Tested
from cxg_widget.compare.matrix_statistics import ValueKind
from cxg_widget.compare.moments import Summary
from cxg_widget.compare.question import Question
from cxg_widget.datasets.base.dataset import Dataset
from cxg_widget.display.unscaled import unscaled_layer
from cxg_widget.text.names import describe_layer
from cxg_widget.text.nouns import CELL, capitalized

_DONORS = ("donor", "patient", "individual", "subject", "sample")
_ID = re.compile(r"[ _.-]?(id|name|number|uuid)?")
_NORMALIZED = "log1p of counts per 10,000 of all {many} of the {one}"


def notes_of(
    dataset: Dataset, question: Question, kind: ValueKind, sets: tuple[Summary, Summary], tested: Tested
) -> tuple[str, ...]:
    """Return all that is to be said."""
    said = [
        *describe_values(dataset, question, kind),
        *describe_fold(dataset, question, kind),
        *_of_genes(dataset, sets, tested),
        describe_donors(dataset),
    ]
    return tuple(said)


def describe_donors(dataset: Dataset) -> str:
    """Say that cells are no replicates, and of which column their donors are, where one has a usual name."""
    column, many = _column_of_donors(dataset), dataset.obs_noun.many
    whose = "donor" if dataset.obs_noun == CELL else "sample"
    of = "" if column is None else f" (obs column {column!r})"
    by = "..." if column is None else repr(column)
    return (
        f"{capitalized(many)} of one {whose} are not independent{of}: p describes these {many} and is far too small "
        f"as evidence for other {whose}s. Use compare(method='pseudobulk', by={by}) to test {whose}s."
    )


def _column_of_donors(dataset: Dataset) -> str | None:
    # Words in the outer loop: a column of donors counts before one of samples, wherever it stands.
    for word in _DONORS:
        for name in dataset.obs_columns:
            if name.lower().startswith(word) and _ID.fullmatch(name.lower().removeprefix(word)):
                return name
    return None


def describe_values(dataset: Dataset, question: Question, kind: ValueKind) -> list[str]:
    """Say what was tested."""
    where = describe_layer(question.layer)
    if question.normalize is not None:
        made = _NORMALIZED.format(many=dataset.var_noun.many, one=dataset.obs_noun.one)
        return [f"Tested: {made}; {where} holds {kind.reason}."]
    return [f"Tested: the values as they are; {where} holds {kind.reason}."]


def describe_fold(dataset: Dataset, question: Question, kind: ValueKind) -> list[str]:
    """Say how the fold change is defined, and where it is none."""
    if kind.kind == "scaled":
        other = unscaled_layer(dataset, question.layer)
        where = f"layer={other!r}, the values before they were scaled" if other else "a layer of log1p values or counts"
        return [
            "log2fc is NaN: scaled values have no fold change, because 0 does not mean no expression. Compare in "
            f"{where}. share_a and share_b are shares of values above 0."
        ]
    said = [f"log2fc ({question.fold}'s definition): {FORMULAS[question.fold]}."]
    if question.normalize is None and kind.kind in ("counts", "linear"):
        what = "counts" if kind.kind == "counts" else "values that are not logarithms"
        said.append(
            f"log2fc assumes log1p values, but these are {what}, so it is not a fold change. "
            "Use normalize='log1p_10k' to compare log1p of counts per 10,000."
        )
    return said


def _of_genes(dataset: Dataset, sets: tuple[Summary, Summary], tested: Tested) -> list[str]:
    noun, cells = dataset.var_noun, dataset.obs_noun
    said = []
    n_missing = count_missing(sets)
    if n_missing:
        said.append(
            f"{capitalized(noun.counted(n_missing))} not measured in all {cells.many}; n_a and n_b count those."
        )
    n_untested = _count(np.isnan(tested.statistic))
    if n_untested:
        said.append(
            f"{noun.counted(n_untested)} cannot be tested (all values equal, or too few {cells.many}): "
            "statistic and p are NaN, and p_adj of the others treats them as p = 1."
        )
    n_same = _count(np.isinf(tested.statistic))
    if n_same:
        said.append(f"{noun.counted(n_same)} have one value in a and another in b: t is infinite and p is 0.")
    n_tiny = _count((tested.p < TINY) & np.isfinite(tested.statistic))
    if n_tiny:
        said.append(f"p of {noun.counted(n_tiny)} is below 1e-300; see `.log10_p`.")
    return said


def count_missing(sets: tuple[Summary, Summary]) -> int:
    """Count the genes that were measured in fewer cells than others."""
    a, b = sets
    return _count((a.n < a.n.max(initial=0)) | (b.n < b.n.max(initial=0)))


def _count(which: NDArray[np.bool_]) -> int:
    return int(np.count_nonzero(which))
