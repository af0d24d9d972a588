"""The samples of a study: cells of one value of the sample column in one condition, with covariates and pairs."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.values import Codes
from cxg_widget.display.study_design import StudyDesign
from cxg_widget.errors import InvalidValue
from cxg_widget.study.columns import SampleColumn, column_of, confounded_columns
from cxg_widget.study.sentences import design_notes
from cxg_widget.text.names import shown, shown_label

if TYPE_CHECKING:
    import pandas as pd

    from cxg_widget.datasets.base.dataset import Dataset

Mask = NDArray[np.bool_]
Counts = NDArray[np.int64]
MOST_SAMPLES, MOST_CONDITIONS = 1_000, 20
LEAST_CELLS = 10
"""Cells that a sample, or a sample of a type, needs to be tested; a default where users may choose."""
_NEEDED = {"sample": (MOST_SAMPLES, "donor_id"), "condition": (MOST_CONDITIONS, "disease")}


@dataclass(frozen=True)
class StudySamples:
    """The samples of a study, by condition, then in the order of the sample column.

    codes : int32 (n_obs,), the sample of each cell, -1 = none
    names : unique name of each sample: its label, with the condition if it has cells in several
    labels : its label in the sample column
    conditions : labels of the conditions with cells, in the order of their categories
    condition : int64 (k,), index of the condition of each sample
    pairs : label of each sample in the column `pair`, "" = none
    n_all : int64 (k,), cells of each in the dataset
    excluded : bool (k,), samples that take no part
    notes : sentences about the design
    """

    design: StudyDesign
    codes: NDArray[np.int32]
    names: tuple[str, ...]
    labels: tuple[str, ...]
    conditions: tuple[str, ...]
    condition: Counts
    pairs: tuple[str, ...]
    covariates: tuple[SampleColumn, ...]
    n_all: Counts
    excluded: Mask
    notes: tuple[str, ...]

    @classmethod
    def of(cls, dataset: Dataset, design: StudyDesign) -> StudySamples:
        """Find the samples of a design; `excluded` is left to `excluding`.

        Raises `InvalidValue` if there are more samples or conditions than a study takes.
        """
        sample, condition = (_groups(dataset, name, kind) for name, kind in _columns(design))
        both = condition.codes.astype(np.int64) * len(sample.categories) + sample.codes
        both[(sample.codes < 0) | (condition.codes < 0)] = -1
        counts = np.bincount(both + 1)[1:]
        held = np.flatnonzero(counts)
        number = np.full(counts.size + 1, -1, dtype=np.int32)
        number[held] = np.arange(held.size)
        codes = number[both]
        of_condition, of_sample = np.divmod(held, max(len(sample.categories), 1))
        used, place = np.unique(of_condition, return_inverse=True)
        conditions = tuple(shown_label(condition.categories[at]) for at in used.tolist())
        labels = tuple(shown_label(sample.categories[at]) for at in of_sample.tolist())
        pair = None if design.pair is None else column_of(dataset, design.pair, codes, held.size, as_category=True)
        found = cls(
            design, codes, _unique_names(labels, [conditions[at] for at in place.tolist()]), labels, conditions,
            place.astype(np.int64), ("",) * held.size if pair is None else pair.labels(""),
            tuple(column_of(dataset, name, codes, held.size) for name in design.covariates),
            counts[held].astype(np.int64), np.zeros(held.size, dtype=np.bool_), (),
        )  # fmt: skip
        several = [*(() if pair is None else [pair]), *found.covariates]
        notes = design_notes(found, dataset, several, confounded_columns(dataset, found))
        return replace(found, notes=tuple(notes))

    def excluding(self, names: Collection[str]) -> StudySamples:
        """Return the samples with some of them excluded; unknown names are ignored."""
        return replace(self, excluded=np.array([one in names for one in self.names], dtype=np.bool_))

    def __len__(self) -> int:
        """Return the number of samples, with excluded ones."""
        return len(self.names)

    def n_cells(self, mask: Mask | None) -> Counts:
        """Count the cells of each sample among some cells, bool (n_obs,), None = all; int64 (k,)."""
        if mask is None:
            return self.n_all
        return np.bincount(self.codes[mask] + 1, minlength=len(self) + 1)[1:].astype(np.int64)

    def counts_by(self, codes: Codes, mask: Mask | None) -> Counts:
        """Count the cells of each sample by a column, int64 (k, categories); cells without a category count as none."""
        size = len(codes.categories)
        inside = (self.codes >= 0) & (codes.codes >= 0)
        if mask is not None:
            inside &= mask
        places = self.codes[inside].astype(np.int64) * size + codes.codes[inside]
        return np.bincount(places, minlength=len(self) * size).reshape(len(self), size).astype(np.int64)

    @property
    def condition_pairs(self) -> list[tuple[int, int]]:
        """Pairs of conditions, each the first minus the second."""
        return list(combinations(range(len(self.conditions)), 2))

    def frame(self, mask: Mask | None = None) -> pd.DataFrame:
        """Return a row per sample: its columns, n_cells among some cells, n_all, and whether it is excluded."""
        import pandas as pd

        design = self.design
        columns: dict[str, Any] = {
            design.sample: list(self.labels),
            design.condition: pd.Categorical.from_codes(self.condition, pd.Index(self.conditions)),
        }
        if design.pair is not None:
            columns.setdefault(design.pair, [one or None for one in self.pairs])
        columns |= {one.name: one.series() for one in self.covariates}
        columns |= {"n_cells": self.n_cells(mask), "n_all": self.n_all, "excluded": self.excluded}
        return pd.DataFrame(columns, index=pd.Index(self.names, name="name"))


def _columns(design: StudyDesign) -> list[tuple[str, Literal["sample", "condition"]]]:
    return [(design.sample, "sample"), (design.condition, "condition")]


def _groups(dataset: Dataset, name: str, what: Literal["sample", "condition"]) -> Codes:
    """Return the codes of samples or conditions; raises `InvalidValue` if there are too many."""
    found = dataset.codes(name)
    counts = np.bincount(found.codes.astype(np.int64) + 1, minlength=len(found.categories) + 1)[1:]
    n, (most, example) = int(np.count_nonzero(counts)), _NEEDED[what]
    if n > most:
        raise InvalidValue(
            f"a study takes up to {most:,} {what}s, and obs column {shown(name)} has {n:,} values; name another one, "
            f"as study({what}={example!r})"
        )
    kept = np.flatnonzero(counts)  # categories without cells would make the table of both columns large
    number = np.full(counts.size + 1, -1, dtype=np.int32)
    number[kept] = np.arange(kept.size)
    return Codes(number[found.codes], tuple(found.categories[at] for at in kept.tolist()), found.ordered)


def _unique_names(labels: tuple[str, ...], conditions: list[str]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for label, condition in zip(labels, conditions, strict=True):
        name = f"{label} ({condition})" if labels.count(label) > 1 else label
        while name in found:  # a label may look like the name of another sample
            name += "'"
        found[name] = None
    return tuple(found)
