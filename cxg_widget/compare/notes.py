"""Writes the notes of a comparison, one sentence each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compare.fold import FORMULAS
from cxg_widget.compare.moments import Summary
from cxg_widget.compare.question import Question
from cxg_widget.compare.value_kind import ValueKind
from cxg_widget.compare.welch import TINY, Tested
from cxg_widget.datasets.base.dataset import Dataset
from cxg_widget.display.unscaled import unscaled_layer
from cxg_widget.text.names import describe_layer, shown
from cxg_widget.text.nouns import CELL, capitalized

if TYPE_CHECKING:
    from cxg_widget.compare.result import Comparison

_MOST_NAMED = 5
_DONORS = ("donor", "patient", "individual", "subject", "sample")
_ID = re.compile(r"[ _.-]?(id|name|number|uuid)?")
_NORMALIZED = "log1p of counts per 10,000 of all {many} of the {one}"


def notes_of(
    dataset: Dataset, question: Question, kind: ValueKind, sets: tuple[Summary, Summary], tested: Tested
) -> tuple[str, ...]:
    """Return all that is to be said."""
    said = [
        *_of_values(dataset, question, kind),
        *_of_fold(dataset, question, kind),
        *_of_genes(dataset, sets, tested),
        describe_donors(dataset),
    ]
    return tuple(said)


def explorer_notes(
    dataset: Dataset, question: Question, kind: ValueKind, sets: tuple[Summary, Summary]
) -> tuple[str, ...]:
    """Return the notes on CELLxGENE Explorer's numbers."""
    n_missing = _n_missing(sets)
    said = [
        "Use this only to reproduce lists from CELLxGENE Explorer: its t uses the number of "
        f"{dataset.obs_noun.many} of the smaller set for both, p_adj is Bonferroni's over all {dataset.var_noun.many} "
        "of the store, and log_fc is mean_a - mean_b. method='t-test' is Welch's test, and the unit of "
        "method='pseudobulk' is the donor.",
        *_of_values(dataset, question, kind),
        *_of_fold(dataset, question, kind),
    ]
    if n_missing:
        what = dataset.var_noun.counted(n_missing)
        said.append(f"{what} with NaN in a set: Explorer has no mean there, t = 0 and p = 1.")
    return (*said, describe_donors(dataset))


def notes_of_groups(
    dataset: Dataset,
    question: Question,
    kind: ValueKind,
    groups: Sequence[Comparison],
    left: tuple[Sequence[object], int],
) -> tuple[str, ...]:
    """Return all that is to be said of groups that were each compared with the rest.

    left : values that too few cells have; how many cells have no value
    """
    few, n_without = left
    said = [*_of_values(dataset, question, kind), *_of_fold(dataset, question, kind)]
    many, obs = dataset.var_noun.many, dataset.obs_noun
    if n_without:
        said.append(
            f"{capitalized(obs.counted(n_without))} without a value form no group, but are in the rest of each group."
        )
    if few:
        named = ", ".join(shown(one) for one in few[:_MOST_NAMED]) + (", ..." if len(few) > _MOST_NAMED else "")
        said.append(f"Not tested, because they have one {obs.one} or all but one: {named}. Their test results are NaN.")
    tested = [one._tested for one in groups if np.isfinite(one._tested.statistic).any()]
    n_untested = sum(_count(np.isnan(one.statistic)) for one in tested)
    if n_untested:
        of_others = " of other values" if few else ""
        said.append(
            f"{n_untested:,} rows{of_others} cannot be tested (all values equal, or too few {obs.many}): "
            "statistic and p are NaN, and p_adj of the others treats them as p = 1."
        )
    n_tiny = sum(_count((one.p < TINY) & np.isfinite(one.statistic)) for one in tested)
    if n_tiny:
        said.append(f"p of {n_tiny:,} rows is below 1e-300; see `.log10_p`.")
    said.append(f"p_adj adjusts over the {many} of one group. The rest of a group is all other {obs.many}.")
    return (*said, describe_donors(dataset))


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


def _of_values(dataset: Dataset, question: Question, kind: ValueKind) -> list[str]:
    where = describe_layer(question.layer)
    if question.normalize is not None:
        made = _NORMALIZED.format(many=dataset.var_noun.many, one=dataset.obs_noun.one)
        return [f"Tested: {made}; {where} holds {kind.reason}."]
    return [f"Tested: the values as they are; {where} holds {kind.reason}."]


def _of_fold(dataset: Dataset, question: Question, kind: ValueKind) -> list[str]:
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
    n_missing = _n_missing(sets)
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


def _n_missing(sets: tuple[Summary, Summary]) -> int:
    """Count the genes that were measured in fewer cells than others."""
    a, b = sets
    return _count((a.n < a.n.max(initial=0)) | (b.n < b.n.max(initial=0)))


def _count(which: NDArray[np.bool_]) -> int:
    return int(np.count_nonzero(which))
